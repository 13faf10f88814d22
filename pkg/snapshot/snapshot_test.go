package snapshot

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

var (
	budget     = privacy.Budget{Epsilon: 1, Delta: 1e-6}
	contextual = bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
	tree       = learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}})
	secure     = learner.New(linear.UCB{}, continual.SecureTree{Budget: budget})
)

// play plays rounds of a game that is a function of the round.
func play(t *testing.T, s *Session, from, to int) (arms []int) {
	t.Helper()
	for round := from; round <= to; round++ {
		rng := random.New(1, round, "game")
		x := []float64{rng.Float64() - 0.5, 0.5, 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}
		v := bandit.View{Round: round, Arms: 3, Dim: 2, X: x}
		var err error
		if arms, err = s.Select(&v, arms); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(&v, arms[len(arms)-1:], []float64{rng.Float64()}); err != nil {
			t.Fatal(err)
		}
	}
	return arms
}

// released returns what the run's sums show.
func released(t *testing.T, s *Session) []float64 {
	t.Helper()
	out, err := s.run.(interface {
		Released([]float64) ([]float64, error)
	}).Released(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func begun(t *testing.T, l bandit.Learner, deploy bool) *Session {
	t.Helper()
	s, err := Seeded(l, contextual, 64, 1)
	if deploy {
		s, err = Deployed(l, contextual, 64)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func saved(t *testing.T, s *Session) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loaded(t *testing.T, state []byte, l bandit.Learner) *Session {
	t.Helper()
	s, err := Load(bytes.NewReader(state), l)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSeededGoesOn: the noise of a seeded run is the same after Load, to the bit.
func TestSeededGoesOn(t *testing.T) {
	s := begun(t, tree, false)
	play(t, s, 1, 20)
	again := loaded(t, saved(t, s), tree)
	if again.Rounds() != 20 {
		t.Errorf("%d rounds were played, want 20", again.Rounds())
	}
	for round := 21; round <= 63; round++ {
		a, b := play(t, s, round, round), play(t, again, round, round)
		if !slices.Equal(a, b) || !slices.Equal(released(t, s), released(t, again)) {
			t.Fatalf("round %d: arms %v and %v, releases\n%v\n%v", round, a, b, released(t, s), released(t, again))
		}
	}
	if !bytes.Equal(saved(t, s), saved(t, again)) {
		t.Error("the last states differ")
	}
}

// TestDeployedGoesOn: a deployed run keeps the noise of its past and draws new noise from then on,
// in each copy. It has no seed; a release has 6 numbers of 50 random bits, so the false alarm is
// below 1e-15.
func TestDeployedGoesOn(t *testing.T) {
	for _, l := range []bandit.Learner{tree, secure} {
		s := begun(t, l, true)
		if other := begun(t, l, true); s.state.Seed == other.state.Seed {
			t.Errorf("two deployed runs have the seed %d", s.state.Seed)
		}
		play(t, s, 1, 21)
		state := saved(t, s)
		a, b := loaded(t, state, l), loaded(t, state, l)
		if past := released(t, s); !slices.Equal(released(t, a), past) || !slices.Equal(released(t, b), past) {
			t.Errorf("%T: the past is\n%v\n%v\nwant\n%v", l, released(t, a), released(t, b), past)
		}
		play(t, s, 22, 40)
		play(t, a, 22, 40)
		play(t, b, 22, 40)
		if slices.Equal(released(t, a), released(t, b)) || slices.Equal(released(t, a), released(t, s)) {
			t.Errorf("%+v: two copies draw the same noise", l)
		}
		twice := loaded(t, saved(t, a), l) // the noise of the new rounds is kept as well
		if !slices.Equal(released(t, twice), released(t, a)) {
			t.Errorf("%T: saved again, the past is another", l)
		}
	}
}

// TestLoadRefuses: wrong bytes, another learner, other code.
func TestLoadRefuses(t *testing.T) {
	s := begun(t, tree, false)
	play(t, s, 1, 20)
	state := saved(t, s)
	changed := func(at int) []byte {
		b := slices.Clone(state)
		b[at] ^= 1
		return b
	}
	resealed := slices.Clone(state[:len(state)-sha256.Size]) // cut, and with the right checksum
	resealed = resealed[:len(resealed)-5]
	sum := sha256.Sum256(resealed)
	resealed = append(resealed, sum[:]...)
	for _, c := range []struct {
		name  string
		state []byte
		l     bandit.Learner
		want  string
	}{
		{"nothing", nil, tree, "0 bytes that do not begin with"},
		{"another file", []byte("a recipe\nfor cake, and what not, that is longer than a checksum is, to be sure"), tree, "no saved run, or one of another version"},
		{"another version", changed(len(magic) - 2), tree, "one of another version"},
		{"a changed bit", changed(len(state) / 2), tree, "the checksum is wrong"},
		{"a changed checksum", changed(len(state) - 1), tree, "the checksum is wrong"},
		{"a cut file", state[:len(state)-7], tree, "the checksum is wrong"},
		{"a cut state", resealed, tree, "snapshot: "},
		{"another learner", state, learner.New(linear.UCB{RhoMin: 3}, tree.Statistic), "the state is of the learner"},
		{"another statistic", state, learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-6}}}), "the state is of the learner"},
		{"no learner", state, nil, "the learner is nil"},
		{"one that cannot be written", state, learner.Delayed{Learner: &tree}, "value.Learner is a pointer"},
	} {
		if _, err := Load(bytes.NewReader(c.state), c.l); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Seeded(tree, contextual, 0, 1); err == nil || !strings.Contains(err.Error(), "horizon = 0") {
		t.Errorf("a horizon of 0: %v", err)
	}
}

// shifty is a learner whose code, which its value does not show, is changed by a test.
type shifty struct{ Arm int }

var plays = 0

type shiftyRun struct{ arm int }

func (l shifty) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return &shiftyRun{l.Arm + plays} }), nil
}
func (r *shiftyRun) Select(_ *bandit.View, dst []int) ([]int, error)   { return append(dst, r.arm), nil }
func (r *shiftyRun) Update(_ *bandit.View, _ []int, _ []float64) error { return nil }

// TestOtherCode: a learner of the same text whose code plays other arms is refused by the round.
func TestOtherCode(t *testing.T) {
	s := begun(t, shifty{}, false)
	play(t, s, 1, 3)
	state := saved(t, s)
	defer func() { plays = 0 }()
	plays = 1
	_, err := Load(bytes.NewReader(state), shifty{})
	if want := "round 1, played again: it plays [1], and played [0] when it was saved: its code is another"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestSeededRefuses: a learner with a mechanism that draws from the operating system whatever the
// seed would go on with another past. Both shows of the same data would be spent, and one claimed.
func TestSeededRefuses(t *testing.T) {
	for name, l := range map[string]bandit.Learner{
		"alone":             secure,
		"under a coin":      learner.RandomisedAction{Learner: secure, Epsilon: 1},
		"beside other sums": late{Round: 1},
		"a program":         late{Round: 1, Always: true},
	} {
		if _, err := Seeded(l, contextual, 64, 1); err == nil || !strings.Contains(err.Error(), "want Deployed") {
			t.Errorf("%s: %v", name, err)
		}
		s, err := Deployed(l, contextual, 64)
		if name == "a program" {
			if err == nil || !strings.Contains(err.Error(), "program") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		play(t, s, 1, 20)
		play(t, loaded(t, saved(t, s), l), 21, 30)
	}
	s := begun(t, late{Round: 2}, false)
	saved(t, s)
	play(t, s, 1, 3)
	if err := s.Save(io.Discard); err == nil || !strings.Contains(err.Error(), "want Deployed") {
		t.Errorf("a mechanism that is opened in round 2: %v", err)
	}
}

// late is a learner whose noise asks for the operating system's randomness in a round; 1 is as it
// starts. Or it always draws noise of its own.
type late struct {
	Round  int
	Always bool
}

type lateRun struct {
	late
	noise *privacy.Noise
}

func (l late) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(_ *rand.Rand, source rand.Source) bandit.Run {
		if s, ok := source.(interface{ Elsewhere() }); ok && l.Always {
			s.Elsewhere()
		}
		r := &lateRun{l, privacy.NewNoise(source)}
		r.draw(1)
		return r
	}), nil
}

func (r *lateRun) draw(round int) {
	if round == r.Round {
		r.noise.Source()
	}
}

func (r *lateRun) Select(v *bandit.View, dst []int) ([]int, error) {
	r.draw(v.Round)
	return append(dst, 0), nil
}
func (r *lateRun) Update(*bandit.View, []int, []float64) error { return nil }

// drawing draws as many words of noise in a round as its code says. It is told of no arm.
type drawing struct{}

type drawingRun struct{ source rand.Source }

var words = 2

func (drawing) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(_ *rand.Rand, source rand.Source) bandit.Run { return &drawingRun{source} }), nil
}
func (r *drawingRun) Select(_ *bandit.View, dst []int) ([]int, error) { return dst, nil }
func (r *drawingRun) Update(*bandit.View, []int, []float64) error {
	for range words {
		r.source.Uint64()
	}
	return nil
}

// TestOtherDraws: code that draws less of the past noise would draw the rest of it for new data,
// and code that draws more would show the past again under new noise.
func TestOtherDraws(t *testing.T) {
	defer func() { words = 2 }()
	for _, deploy := range []bool{false, true} {
		words = 2
		s := begun(t, drawing{}, deploy)
		for round := range 3 {
			v := bandit.View{Round: round + 1, Arms: 3}
			if _, err := s.Select(&v, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Update(&v, []int{}, nil); err != nil {
				t.Fatal(err)
			}
		}
		state := saved(t, s)
		loaded(t, state, drawing{})
		for _, words = range []int{1, 3} {
			if _, err := Load(bytes.NewReader(state), drawing{}); err == nil || !strings.Contains(err.Error(), "words of noise") {
				t.Errorf("%d words a round, and 2 when it was saved: %v", words, err)
			}
		}
	}
}

// TestRefusedCalls: what a run counts as spent by a refused call is spent after Load, too. Metered
// counts a record that is refused, and ends; one that is frozen counts none.
func TestRefusedCalls(t *testing.T) {
	for _, freeze := range []bool{false, true} {
		l := learner.Metered{Learner: tree, Budget: privacy.Budget{Epsilon: 0.9, Delta: 1e-6}, Freeze: freeze}
		s := begun(t, l, false)
		var v bandit.View
		round := func(s *Session, number int, y float64) error {
			v = bandit.View{Round: number, Arms: 3, Dim: 2, X: []float64{1, 0, 0, 1, 0.5, 0.5}}
			arms, err := s.Select(&v, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s.Update(&v, arms, []float64{y})
		}
		on := func(s *Session, from int) { // to an end that may come earlier
			for number := from; number <= 40; number++ {
				_ = round(s, number, 1)
			}
		}
		for number := 1; number <= 20; number++ {
			if err := round(s, number, math.NaN()); err == nil {
				t.Fatal("a reward of NaN is taken in")
			}
			again, twin := loaded(t, saved(t, s), l), begun(t, l, false)
			for earlier := 1; earlier <= number; earlier++ {
				_ = round(twin, earlier, math.NaN())
			}
			on(again, number+1)
			on(twin, number+1)
			if x, y := released(t, again), released(t, twin); !slices.Equal(x, y) {
				t.Fatalf("freeze %v: after %d refused records the loaded run releases %v, another one %v", freeze, number, x, y)
			}
		}
	}
}

// closing is a learner that counts what is open of it.
type closing struct{ shifty }

type closingReady struct{ bandit.Calibrated }

var opened int

func (c closing) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	opened++
	ready, err := c.shifty.Open(p, horizon)
	return closingReady{ready}, err
}

func (closingReady) Close() error {
	opened--
	return nil
}

// TestLoadCloses: a learner that is not given back is closed.
func TestLoadCloses(t *testing.T) {
	s := begun(t, closing{}, false)
	play(t, s, 1, 3)
	state := saved(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() { plays = 0 }()
	plays = 1
	if _, err := Load(bytes.NewReader(state), closing{}); err == nil || opened != 0 {
		t.Errorf("%v, and %d learners are open", err, opened)
	}
	if _, err := Load(nil, tree); err == nil {
		t.Error("no reader")
	}
}

// TestStateIsWhatItWasGiven: contexts are copied unless View.Same says that they are the last ones,
// and they are, and a round that has no rewards yet is saved, too. An Update is of the contexts of
// its Select, in which one may be NaN.
func TestStateIsWhatItWasGiven(t *testing.T) {
	s := begun(t, tree, false)
	x := []float64{1, 0, 0, 1, 0.5, 0.5}
	v := bandit.View{Round: 1, Arms: 3, Dim: 2, X: slices.Clone(x)}
	arms, err := s.Select(&v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(&v, arms, []float64{1, 2}); err == nil {
		t.Error("two rewards of one arm are taken")
	}
	if err := s.Update(&v, arms, []float64{1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(&v, arms, []float64{1}); err == nil || !strings.Contains(err.Error(), "without a Select") {
		t.Errorf("a second Update: %v", err)
	}
	clear(v.X)
	v.Round = 2
	if arms, err = s.Select(&v, nil); err != nil {
		t.Fatal(err)
	}
	copy(v.X, x)
	if err := s.Update(&v, arms, []float64{1}); err == nil || !strings.Contains(err.Error(), "other contexts") {
		t.Errorf("an Update of what was no Select's: %v", err)
	}
	v.Same = true // which is not so
	if _, err = s.Select(&v, nil); err != nil {
		t.Fatal(err)
	}
	v.Round = 3
	if arms, err = s.Select(&v, nil); err != nil {
		t.Fatal(err)
	}
	var kept [][]float64
	for _, c := range s.state.Calls {
		if c.Kind == selects {
			kept = append(kept, c.View.X)
		}
	}
	if want := [][]float64{x, make([]float64, 6), x, nil}; !reflect.DeepEqual(kept, want) {
		t.Errorf("contexts %v are kept, want %v", kept, want)
	}
	again := loaded(t, saved(t, s), tree)
	if !reflect.DeepEqual(again.state.Calls, s.state.Calls) {
		t.Errorf("calls %+v, want %+v", again.state.Calls, s.state.Calls)
	}
	for _, s := range []*Session{s, again} {
		if err := s.Update(&v, arms, []float64{0.5}); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(released(t, s), released(t, again)) {
		t.Error("after the missing reward the releases differ")
	}
}

// nilling is a learner that plays nothing, and hands back no slice.
type nilling struct{}

type nillingRun struct{ bandit.Run }

func (nilling) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return nillingRun{} }), nil
}

func (nillingRun) Select(*bandit.View, []int) ([]int, error) { return nil, errors.New("no") }

// TestRefusedSelect: a Select that is refused leaves the round as it was, with its Update to come,
// and the state as it can be loaded, whatever its view holds.
func TestRefusedSelect(t *testing.T) {
	x := []float64{1, 0, 0, 1, 0.5, 0.5}
	none := contextual
	none.Dim, none.ContextNorm = 0, 0
	for name, c := range map[string]struct {
		of  bandit.Learner
		in  bandit.Problem
		x   []float64
		bad bandit.View
	}{
		"nil that is the last's":   {tree, contextual, x, bandit.View{Same: true}},
		"empty that is the last's": {tree, contextual, x, bandit.View{Same: true, X: []float64{}}},
		"NaN":                      {tree, contextual, x, bandit.View{X: []float64{math.NaN(), 0, 0, 0, 0, 0}}},
		"contexts where are none":  {arms.Thompson{}.Learner(), none, nil, bandit.View{X: x}},
	} {
		s, err := Seeded(c.of, c.in, 64, 1)
		if err != nil {
			t.Fatal(err)
		}
		for round := 1; round <= 4; round++ {
			v := bandit.View{Round: round, Arms: 3, Dim: c.in.Dim, X: c.x, Same: round > 1}
			bad := c.bad
			bad.Round, bad.Arms, bad.Dim = v.Round, v.Arms, v.Dim
			chosen, err := s.Select(&v, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Select(&bad, nil); err == nil {
				t.Fatalf("%s: taken", name)
			}
			if err := s.Update(&v, chosen, []float64{1}); err != nil {
				t.Errorf("%s, round %d: %v", name, round, err)
			}
			again := loaded(t, saved(t, s), c.of)
			if s.Rounds() != round || again.Rounds() != round {
				t.Errorf("%s: %d and %d rounds, want %d", name, s.Rounds(), again.Rounds(), round)
			}
		}
	}
	s := begun(t, nilling{}, false)
	if _, err := s.Select(&bandit.View{Round: 1, Arms: 3}, make([]int, 2)); err == nil {
		t.Error("an error is lost")
	}
}

// TestConditions: from Save and Load on, the claim says what a copy of the state costs.
func TestConditions(t *testing.T) {
	for _, deploy := range []bool{false, true} {
		s := begun(t, tree, deploy)
		play(t, s, 1, 8)
		before := s.Plan(8)
		if !before.Held() || strings.Contains(strings.Join(before.Conditions, " "), "state was saved") {
			t.Errorf("before Save, held is %v, and the conditions are %q", before.Held(), before.Conditions)
		}
		want := "two show the same noise"
		if deploy {
			want = "k copies"
		}
		again := loaded(t, saved(t, s), tree)
		for _, s := range []*Session{s, again, loaded(t, saved(t, again), tree)} {
			p := privacy.PlanOf(s, 8)
			if last := p.Conditions[len(p.Conditions)-1]; !p.Held() || !strings.Contains(last, want) || len(p.Conditions) != len(before.Conditions)+1 {
				t.Errorf("after Save, held is %v, and the conditions are %q, want one more with %q", p.Held(), p.Conditions, want)
			}
			if a, b := p.Claim().Epsilon(), before.Claim().Epsilon(); a != b {
				t.Errorf("epsilon = %v, and before Save %v", a, b)
			}
		}
	}
}
