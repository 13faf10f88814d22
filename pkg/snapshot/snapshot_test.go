package snapshot_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/snapshot"
)

var (
	budget = privacy.Budget{Epsilon: 1, Delta: 1e-6}
	linear = bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	single = bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1}
)

func overTree() *learner.Private[privacy.Sums] {
	return learner.New(&learner.LinUCB{}, mechanism.Tree{Noise: mechanism.Gaussian{Budget: budget}})
}

// ready initialises and resets a learner.
func ready(t *testing.T, l bandit.Learner, p bandit.Problem, horizon int) bandit.Learner {
	t.Helper()
	if err := l.Init(p, horizon); err != nil {
		t.Fatal(err)
	}
	l.Reset(random.New(1, 0, "own"), random.Source(1, 0, "noise"))
	return l
}

func play(t *testing.T, l bandit.Learner, p bandit.Problem, rounds int) {
	t.Helper()
	for round := 1; round <= rounds; round++ {
		v := &bandit.View{Round: round, Arms: p.Arms, Dim: p.Dim, X: make([]float64, p.Arms*p.Dim)}
		for i := range v.X {
			v.X[i] = 0.5 - float64(i*round%7)/10
		}
		arms := l.Select(v, nil)
		l.Update(v, arms, []float64{float64(arms[0]) / 4})
	}
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, l any) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := snapshot.Save(&w, l); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// refused wants a state refused with certain words, and the learner left as it was.
func refused(t *testing.T, what string, state []byte, into any, words ...string) {
	t.Helper()
	before := save(t, into)
	err := snapshot.Load(bytes.NewReader(state), into)
	if err == nil {
		t.Errorf("%s: not refused", what)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q in it", what, err, w)
		}
	}
	if !bytes.Equal(save(t, into), before) {
		t.Errorf("%s: refused, and the learner has changed", what)
	}
}

// TestTampered changes every byte of a state, cuts it off everywhere and appends to it.
func TestTampered(t *testing.T) {
	l := ready(t, overTree(), linear, 50)
	play(t, l, linear, 20)
	state := save(t, l)
	into := ready(t, overTree(), linear, 50)
	t.Logf("%d bytes", len(state))
	for i := range state {
		changed := bytes.Clone(state)
		changed[i] ^= 1 << (i % 8)
		if err := snapshot.Load(bytes.NewReader(changed), into); err == nil {
			t.Fatalf("byte %d changed: not refused", i)
		}
		if err := snapshot.Load(bytes.NewReader(state[:i]), into); err == nil {
			t.Fatalf("cut off after %d bytes: not refused", i)
		}
	}
	for _, c := range []struct {
		what  string
		state []byte
		want  string
	}{
		{"nothing", nil, "truncated: 0 bytes"},
		{"half of it", state[:len(state)/2], "truncated"},
		{"one more", append(bytes.Clone(state), 0), "1 bytes follow the state"},
		{"two of them", append(bytes.Clone(state), state...), "follow the state"},
		{"a picture", []byte("\x89PNG\r\n\x1a\n and so on, and so on, and so on, and so on"), `begins with "\x89PNG`},
		{"the next version", append([]byte("dpbandits state\n\x02"), state[17:]...), "version 2, want 1"},
		{"the last byte", append(bytes.Clone(state[:len(state)-1]), state[len(state)-1]+1), "the checksum is wrong"},
	} {
		refused(t, c.what, c.state, into, c.want)
	}
	if err := snapshot.Load(iotest.ErrReader(io.ErrClosedPipe), into); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
	if err := snapshot.Load(iotest.OneByteReader(bytes.NewReader(state)), into); err != nil {
		t.Errorf("the state itself: %v", err)
	}
}

// TestKey: a state that was saved under a key loads under that alone.
func TestKey(t *testing.T) {
	l := ready(t, overTree(), linear, 50)
	var w bytes.Buffer
	if err := snapshot.Key("secret").Save(&w, l); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, want string }{
		{"secret", ""}, {"another", "another key"}, {"", "the state has a key, and Load was given no key"},
	} {
		err := snapshot.Key(c.key).Load(bytes.NewReader(w.Bytes()), l)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("under the key %q: %v, want %q", c.key, err, c.want)
		}
	}
	if err := snapshot.Key("secret").Load(bytes.NewReader(save(t, l)), l); err == nil || !strings.Contains(err.Error(), "has no key") {
		t.Errorf("a state without a key, under one: %v", err)
	}
}

// TestOtherTuning restores into learners that differ in one thing.
func TestOtherTuning(t *testing.T) {
	more := linear
	more.Arms = 4
	wide := linear
	wide.RewardMax = 2
	tree := func(set func(*learner.LinUCB, *mechanism.Gaussian)) bandit.Learner {
		l := overTree()
		noise := l.Statistic.(mechanism.Tree).Noise.(mechanism.Gaussian)
		set(l.Policy.(*learner.LinUCB), &noise)
		l.Statistic = mechanism.Tree{Noise: noise}
		return l
	}
	state := save(t, ready(t, overTree(), linear, 50))
	for _, c := range []struct {
		what    string
		into    bandit.Learner
		problem bandit.Problem
		horizon int
		want    string
	}{
		{"epsilon", tree(func(_ *learner.LinUCB, g *mechanism.Gaussian) { g.Budget.Epsilon = 2 }), linear, 50, "Statistic.Noise.Budget.Epsilon: the tuning is 1 in the state, and 2 here"},
		{"rho_min", tree(func(p *learner.LinUCB, _ *mechanism.Gaussian) { p.RhoMin = 3 }), linear, 50, "Policy.RhoMin: the tuning is 0 in the state, and 3 here"},
		{"the shift", tree(func(p *learner.LinUCB, _ *mechanism.Gaussian) { p.OptimalShift = true }), linear, 50, "Policy.OptimalShift: the tuning is false in the state, and true here"},
		{"the statistic", learner.New(&learner.LinUCB{}, mechanism.BLT{Budget: budget}), linear, 50, "which the learner here does not"},
		{"no statistic", learner.New(&learner.LinUCB{}, nil), linear, 50, "mechanism.tree"},
		{"the learner", &learner.Random{}, linear, 50, "learner.Private"},
		{"more arms", overTree(), more, 50, "problem: Arms = 3 in the state, and 4 here"},
		{"larger rewards", overTree(), wide, 50, "RewardMax = 1 in the state, and 2 here"},
		{"the horizon", overTree(), linear, 51, "Horizon = 50 in the state, and 51 here"},
	} {
		refused(t, c.what, state, ready(t, c.into, c.problem, c.horizon), c.want)
	}
	support := func(of ...int) bandit.Learner {
		return ready(t, &learner.SupportOracle{Support: of, Ridge: 1}, linear, 50)
	}
	refused(t, "fewer elements", save(t, support(0, 1)), support(1), "Support: the tuning is 2 elements in the state, and 1 here")
	refused(t, "other elements", save(t, support(0, 1)), support(1, 0), "Support[0]: the tuning is 0 in the state, and 1 here")

	steps := func(step func(int) float64) *online.OGD {
		o := &online.OGD{Radius: 1, Gradient: 1, Step: step}
		if err := o.Init(3, 50); err != nil {
			t.Fatal(err)
		}
		return o
	}
	refused(t, "a function", save(t, steps(nil)), steps(online.CurvedStep(1)), "Step: no function in the state, and one here")
}

// TestOtherStreams restores into learners whose randomness is of another kind.
func TestOtherStreams(t *testing.T) {
	with := func(own rand.Source, noise rand.Source) bandit.Learner {
		l := arms.NewLazyThompson(1)
		if err := l.Init(single, 50); err != nil {
			t.Fatal(err)
		}
		l.Reset(rand.New(own), noise)
		play(t, l, single, 10)
		return l
	}
	state := save(t, with(rand.NewPCG(1, 2), rand.NewPCG(3, 4)))
	refused(t, "another stream", state, with(rand.NewPCG(1, 2), rand.NewChaCha8([32]byte{})), "a stream of type *rand.PCG in the state, and *rand.ChaCha8 here")
	refused(t, "the system's", state, with(rand.NewPCG(1, 2), random.NewSystem()), "*rand.PCG in the state, and *random.System here")
	refused(t, "a ledger", state, with(rand.NewPCG(1, 2), privacy.NewLedger(rand.NewPCG(3, 4))), "no ledger in the state, and one here")

	system := save(t, with(rand.NewPCG(1, 2), random.NewSystem()))
	refused(t, "a seeded one", system, with(rand.NewPCG(1, 2), rand.NewPCG(3, 4)), "random.System")

	// the system's randomness is not in the state, and that of the learner restored into stays
	own := random.NewSystem()
	into := with(rand.NewPCG(5, 6), own)
	before := *own
	if err := snapshot.Load(bytes.NewReader(system), into); err != nil {
		t.Fatal(err)
	}
	if *own != before {
		t.Error("restoring wrote to the buffer of the system's randomness")
	}
	play(t, into, single, 10)
	if again := save(t, into); bytes.Contains(again, (*[4096]byte)(unsafe.Pointer(own))[4080:]) {
		t.Errorf("a state of %d bytes holds the system's buffer", len(again))
	}
}

// TestLedger: the ledger goes on where it was, so that the noise of both halves is in it.
func TestLedger(t *testing.T) {
	start := func(seed uint64) (bandit.Learner, *privacy.Ledger) {
		l, ledger := overTree(), privacy.NewLedger(random.Source(seed, 0, "noise"))
		if err := l.Init(linear, 50); err != nil {
			t.Fatal(err)
		}
		l.Reset(random.New(seed, 0, "own"), ledger)
		return l, ledger
	}
	saved, _ := start(1)
	play(t, saved, linear, 20)
	restored, ledger := start(2)
	play(t, restored, linear, 3)
	if err := snapshot.Load(bytes.NewReader(save(t, saved)), restored); err != nil {
		t.Fatal(err)
	}
	play(t, restored, linear, 29)
	if err := ledger.CheckPlan(restored.(privacy.Planner), 49); err != nil {
		t.Error(err)
	}
	if err := ledger.CheckPlan(saved.(privacy.Planner), 49); err == nil {
		t.Error("the noise of 49 rounds is that of 20 rounds, too")
	}
}

// ownPolicy is a learner as a user would write one: with whatever comes to hand.
type ownPolicy struct {
	Explore float64
	Rounds  int `snapshot:"state"`

	bandit.Base
	own    *rand.Rand
	normal *random.Normals
	seen   map[string]*tally
	best   *tally
	last   any
	all    []*tally
}

type tally struct {
	arm, times int
	sum        float64
}

func (l *ownPolicy) Init(p bandit.Problem, _ int) error {
	l.all = nil
	for a := range p.Arms {
		l.all = append(l.all, &tally{arm: a})
	}
	return nil
}

func (l *ownPolicy) Reset(own *rand.Rand, _ rand.Source) {
	l.own, l.normal, l.best, l.seen, l.last, l.Rounds = own, random.NewNormals(own), nil, map[string]*tally{}, nil, 0
	for _, s := range l.all {
		*s = tally{arm: s.arm}
	}
}

func (l *ownPolicy) Select(_ *bandit.View, dst []int) []int {
	var z [1]float64
	l.normal.Fill(z[:])
	if l.best == nil || l.own.Float64() < l.Explore || z[0] > 2 {
		return append(dst, l.own.IntN(len(l.all)))
	}
	return append(dst, l.best.arm)
}

func (l *ownPolicy) Update(_ *bandit.View, arms []int, y []float64) {
	l.Rounds++
	s := l.all[arms[0]]
	s.times++
	s.sum += y[0]
	l.seen[fmt.Sprint(y[0])] = s
	l.last = *s
	for _, s := range l.all {
		if s.times > 0 && (l.best == nil || s.sum/float64(s.times) > l.best.sum/float64(l.best.times)) {
			l.best = s
		}
	}
}

// TestOwnPolicy restores a learner of a type that the toolkit does not know.
func TestOwnPolicy(t *testing.T) {
	l := ready(t, &ownPolicy{Explore: 0.2}, single, 0)
	play(t, l, single, 30)
	into := &ownPolicy{Explore: 0.2}
	ready(t, into, single, 0)
	play(t, into, single, 7)
	if err := snapshot.Load(bytes.NewReader(save(t, l)), into); err != nil {
		t.Fatal(err)
	}
	if into.best != into.all[into.best.arm] || into.seen["0.5"] != into.all[2] {
		t.Error("the tallies are not shared any more")
	}
	play(t, l, single, 300)
	play(t, into, single, 300)
	if !bytes.Equal(save(t, l), save(t, into)) {
		t.Error("they go on differently")
	}
}

// TestCannotBeSaved names what a state cannot hold.
func TestCannotBeSaved(t *testing.T) {
	type inner struct{ f func() }
	type outer struct {
		Tuned   func() // may be anything
		list    []inner
		events  chan int
		raw     unsafe.Pointer
		address uintptr
		any     any
		keyed   map[*int]int
	}
	deep := any(1.5)
	for range 200 {
		deep = struct{ any }{deep}
	}
	for _, c := range []struct {
		value any
		want  string
	}{
		{&outer{Tuned: func() {}}, ""},
		{&outer{list: []inner{{}, {func() {}}}}, "outer.list[1].f: a function"},
		{&outer{events: make(chan int)}, "outer.events: a chan int"},
		{&outer{raw: unsafe.Pointer(t)}, "outer.raw: a unsafe.Pointer"},
		{&outer{address: 1}, "outer.address: a uintptr"},
		{&outer{any: func() {}}, "outer.any: a func() in an interface"},
		{&outer{any: outer{Tuned: func() {}}}, "outer.any.Tuned: a function"},
		{&outer{any: deep}, "nested more than 100 deep"},
		{&outer{keyed: map[*int]int{}}, "outer.keyed: a map with keys of type *int"},
		{outer{}, "want a pointer"},
		{(*outer)(nil), "want a pointer"},
		{nil, "want a pointer"},
		{new(int), ""},
	} {
		err := snapshot.Save(io.Discard, c.value)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.value, err, c.want)
		}
	}
	l := ready(t, overTree(), linear, 50)
	v := &bandit.View{Round: 1, Arms: 3, Dim: 2, X: make([]float64, 6)}
	l.Update(v, l.Select(v, nil), []float64{math.NaN()})
	if err := snapshot.Save(io.Discard, l); err == nil || !errors.Is(err, l.Err()) {
		t.Errorf("a learner that has failed: %v, want %v in it", err, l.Err())
	}
}

// TestNotReset: what is not saved has to be there.
func TestNotReset(t *testing.T) {
	blt := func() *learner.Private[privacy.Sums] {
		return learner.New(&learner.LinUCB{}, mechanism.BLT{Budget: budget})
	}
	into := blt()
	if err := into.Init(linear, 50); err != nil {
		t.Fatal(err)
	}
	refused(t, "a learner that is not Reset", save(t, ready(t, blt(), linear, 50)), into, "it holds a github.com/dpbandits/dpbandits/pkg/mechanism.bltRun, which the learner here does not")
}

// rule is a part with something that is kept.
type rule struct {
	name string
	of   func() int `snapshot:"keep"`
}

type rules struct{ list []*rule }

// TestKeptIsMissing: a state that has more of what is kept than the learner is refused.
func TestKeptIsMissing(t *testing.T) {
	one, two := func() int { return 1 }, func() int { return 2 }
	more := &rules{[]*rule{{"a", one}, {"b", one}}}
	refused(t, "more rules", save(t, more), &rules{[]*rule{{"a", one}}}, "of: it is not saved, and the learner here has none there")
	into := &rules{[]*rule{{"c", two}, {"d", two}}}
	if err := snapshot.Load(bytes.NewReader(save(t, more)), into); err != nil || into.list[1].name != "b" || into.list[1].of() != 2 {
		t.Errorf("%v: %+v, want the names of the state and the functions that were here", err, into.list[1])
	}
}

// all has what a state can be made of.
type all struct {
	N     int
	bits  []uint8
	words [2]uint16
	x     []float64
	name  string
	same  []float64
	any   any
	by    map[string]bool
}

// TestBytes: the bytes are those of this version, on every machine. If they change, the version has
// to change.
func TestBytes(t *testing.T) {
	a := &all{N: -5, bits: []uint8{1, 2}, words: [2]uint16{3, 0x405}, x: []float64{1, math.Inf(1), -0.1}, name: "bytes", any: 2.5, by: map[string]bool{"b": true, "a": false}}
	a.same = a.x[1:]
	const want = "409e2136e3e0ef47f6516d7ca29752f2f9bd32849e4dc04726d5f1cf30a45ad3"
	if got := fmt.Sprintf("%x", sha256.Sum256(save(t, a))); got != want {
		t.Errorf("the hash of a state is %s, want %s", got, want)
	}
}

// TestCopiesClaim: a claim says what two copies of one state cost, once there is a state.
func TestCopiesClaim(t *testing.T) {
	secure := func() bandit.Learner { return learner.New(&learner.LinUCB{}, mechanism.SecureTree{Budget: budget}) }
	for name, c := range map[string]struct {
		make  func() bandit.Learner
		words string
	}{
		"seeded":      {func() bandit.Learner { return overTree() }, "two show the same noise"},
		"secure":      {secure, "spend what k runs do"},
		"metered":     {func() bandit.Learner { return &learner.Metered{Learner: overTree(), Budget: budget} }, "two show the same noise"},
		"inside":      {func() bandit.Learner { return &learner.Delayed{Learner: secure()} }, "spend what k runs do"},
		"not private": {func() bandit.Learner { return learner.New(&learner.LinUCB{}, nil) }, ""},
	} {
		saved, restored, fresh := ready(t, c.make(), linear, 50), ready(t, c.make(), linear, 50), ready(t, c.make(), linear, 50)
		before := privacy.ClaimOf(saved)
		if err := snapshot.Load(bytes.NewReader(save(t, saved)), restored); err != nil {
			t.Fatal(err)
		}
		for who, l := range map[string]bandit.Learner{"saved": saved, "restored": restored, "fresh": fresh} {
			got := privacy.ClaimOf(l)
			if got.Epsilon() != before.Epsilon() || strings.Contains(before.String(), "a state was saved") {
				t.Errorf("%s, %s: claims\n%v\nafter\n%v", name, who, got, before)
			}
			want := 0
			if who != "fresh" && c.words != "" {
				want = 1
			}
			if n := strings.Count(got.String(), "a state was saved"); n != want || want == 1 && !strings.Contains(got.String(), c.words) {
				t.Errorf("%s, %s: claims\n%v, want %d lines about copies, with %q", name, who, got, want, c.words)
			}
		}
	}
	var runs [2]privacy.Stream[privacy.Sums]
	for i := range runs {
		opened, err := mechanism.Tree{Noise: mechanism.Gaussian{Budget: budget}}.Open(privacy.Setup{Horizon: 9, Dim: 2, Bound: 1, Alpha: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	}
	tree, twin := runs[0], runs[1]
	if err := snapshot.Load(bytes.NewReader(save(t, tree)), twin); err != nil || !strings.Contains(privacy.ClaimOf(twin).String(), "two show the same noise") {
		t.Errorf("a tree alone: %v, claims\n%v", err, privacy.ClaimOf(twin))
	}
}
