package audit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/far"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

var problem = bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// streams are two arms at right angles in all rounds; in the second, both pay 1 in one world and -1
// in the other.
func streams(rounds int) (worlds [2]audit.Stream) {
	for w := range worlds {
		for t := range rounds {
			r := audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{0, 0}}
			if t == 1 {
				r.Rewards = [][]float64{{-1, -1}, {1, 1}}[w]
			}
			worlds[w] = append(worlds[w], r)
		}
	}
	return worlds
}

func linUCB(b privacy.Budget) bandit.Learner {
	return learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: b}})
}

// sums is the transcript of LinUCB: what it reads.
func sums(run bandit.Run, _ int, dst []float64) []float64 {
	n := len(dst)
	dst = append(dst, make([]float64, 6)...)
	run.(*learner.PrivateRun[privacy.Sums]).Release().Read(dst[n:])
	return dst
}

func TestLearner(t *testing.T) {
	budget := privacy.Budget{Epsilon: 1, Delta: 0.01}
	private := audit.Learner{Name: "private", Of: linUCB(budget), Problem: problem, Worlds: streams(8), Runs: 4000}
	told := private
	told.Name, told.Transcript = "with its sums", func(run bandit.Run, round int, dst []float64) []float64 {
		if round == 8 { // the horizon's last row is never released
			return dst
		}
		return sums(run, round, dst)
	}
	exact := private // not private, whatever it claims
	exact.Name, exact.Claim, exact.Of = "exact sums", budget, learner.New(linear.UCB{}, continual.Exact{})
	for _, c := range []struct {
		a        audit.Learner
		excluded bool
	}{{private, false}, {told, false}, {exact, true}} {
		f, err := c.a.Run(ctx, audit.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: epsilon >= %.3g: %s", f.Name, f.Epsilon, f.Event)
		if f.Excluded() != c.excluded {
			t.Errorf("want excluded = %v\n%v", c.excluded, f)
		}
		if math.Abs(f.Claim.Epsilon-1) > 1e-6 || f.Claim.Delta != 0.01 {
			t.Errorf("%s: claim %v, want (1, 0.01), the learner's own", f.Name, f.Claim)
		}
	}
}

// teller is a learner that plays the arm with the largest first context, and nothing else: its own
// action tells the context of its round.
type teller struct{}

// Open accepts any problem.
func (l teller) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return l }), nil
}
func (teller) Update(*bandit.View, []int, []float64) error { return nil }
func (teller) Select(v *bandit.View, dst []int) ([]int, error) {
	if v.Row(0)[0] > v.Row(1)[0] {
		return append(dst, 0), nil
	}
	return append(dst, 1), nil
}

// hollow opens to nothing.
type hollow struct{}

func (hollow) Open(bandit.Problem, int) (bandit.Calibrated, error) { return nil, nil }

// Joint privacy leaves the changed round's own action out; central privacy does not.
func TestOwnAction(t *testing.T) {
	a := audit.Learner{Name: "teller", Claim: privacy.Budget{Epsilon: 1}, Of: teller{}, Problem: problem, Runs: 400}
	a.Worlds = streams(3)
	a.Worlds[1][1].X = []float64{0, 1, 1, 0}
	for _, own := range []bool{false, true} {
		a.OwnAction = own
		f, err := a.Run(ctx, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() != own {
			t.Errorf("OwnAction = %v: want excluded = %v\n%v", own, own, f)
		}
	}
}

// The audit of a Gaussian tree, and of its transcripts alone, comes to four fifths of what the tree
// proves, and not over it.
func TestAccumulator(t *testing.T) {
	a := audit.Accumulator{
		Name:  "tree",
		Of:    continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}}},
		Setup: privacy.Setup{Dim: 3, Horizon: 8, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
		Runs:  200000,
	}
	if testing.Short() {
		a.Runs = 20000
	}
	f, err := a.Run(ctx, audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", f)
	if least := 0.8; (f.Epsilon < least && !testing.Short()) || f.Excluded() || math.Abs(f.Claim.Epsilon-1) > 1e-6 {
		t.Errorf("epsilon >= %v, want in [%v, 1], the claim its own\n%v", f.Epsilon, least, f)
	}
	// Its claim at a tenth of its noise is excluded.
	weak := a
	weak.Name, weak.Claim, weak.Runs = "weak", privacy.Budget{Epsilon: 1, Delta: 0.01}, 4000
	weak.Of = continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 3, Delta: 0.01}}}
	if f, err := weak.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want the weak tree's claim excluded\n%v", err, f)
	}
}

// far.Rows keep the bounds, and of 20,000 random pairs that do none is farther apart by more than a
// percent; where orthogonal rows of full length exist they are sqrt(2) Bound^2 apart, to rounding.
func TestFarRows(t *testing.T) {
	for _, c := range []struct {
		dim            int
		bound, context float64
		far            bool
	}{{3, 1, 0, true}, {2, 1, 0, true}, {3, math.Sqrt2, 1, true}, {2, math.Sqrt2, 1, true}, {4, 1, 0.9, true}, {2, 1, 0.9, false}, {2, 1, 0.99, false}, {3, 2, 1, false}, {3, 1.2, 1, true}, {4, 1, 0.1, false}, {2, 1, 0.4, false}, {3, 1, 0.37, false}, {3, 1, 0.6, false}} {
		s := privacy.Setup{Dim: c.dim, Horizon: 2, Bound: c.bound, Context: c.context, Alpha: 1}
		v, w := far.Rows(s)
		norm := func(x []float64) (sum float64) {
			for _, v := range x {
				sum += v * v
			}
			return math.Sqrt(sum)
		}
		apart := func(v, w []float64) float64 { // |v v^T - w w^T|^2
			var dot float64
			for i := range v {
				dot += v[i] * w[i]
			}
			return math.Pow(norm(v), 4) + math.Pow(norm(w), 4) - 2*dot*dot
		}
		for _, x := range [][]float64{v, w} {
			if norm(x) > c.bound*(1+1e-12) || (c.context > 0 && norm(x[:c.dim-1]) > c.context*(1+1e-12)) {
				t.Errorf("%+v: the row %v is beyond its bound", c, x)
			}
		}
		got := apart(v, w)
		if c.far && math.Abs(got/(2*math.Pow(c.bound, 4))-1) > 1e-12 {
			t.Errorf("%+v: rows %v and %v are %v apart, want sqrt(2) Bound^2", c, v, w, math.Sqrt(got))
		}
		rng, pair := random.New(1, 0, "rows"), [2][]float64{make([]float64, c.dim), make([]float64, c.dim)}
		for range 20_000 {
			for _, x := range pair {
				random.Sphere(rng, x)
				shrink := rng.Float64()
				if rng.IntN(2) == 0 {
					shrink = 1
				}
				// the context to its bound, what is left to the last entry
				if long := norm(x[:c.dim-1]); c.context > 0 && long*c.bound > c.context {
					for i := range x[:c.dim-1] {
						x[i] *= c.context / (long * c.bound)
					}
					x[c.dim-1] = math.Copysign(math.Sqrt(1-math.Pow(c.context/c.bound, 2)), x[c.dim-1])
				}
				for i := range x {
					x[i] *= c.bound * shrink
				}
			}
			if d := apart(pair[0], pair[1]); d > got*1.02 {
				t.Fatalf("%+v: rows %v are %v apart, those found %v only", c, pair, math.Sqrt(d), math.Sqrt(got))
			}
		}
	}
}

func TestLearnerWorkers(t *testing.T) {
	a := audit.Learner{Name: "private", Of: linUCB(privacy.Budget{Epsilon: 1, Delta: 0.01}), Problem: problem, Worlds: streams(8), Runs: 301}
	var want audit.Finding
	for _, workers := range []int{1, 2, 5} {
		f, err := a.Run(ctx, audit.Options{Seed: 2, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			want = f
		} else if !reflect.DeepEqual(f, want) {
			t.Errorf("%d workers found\n%vone found\n%v", workers, f, want)
		}
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := a.Run(stopped, audit.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

// The search finds streams on which an unprotected learner is caught, though most proposals are of
// no use.
func TestSearch(t *testing.T) {
	a := audit.Learner{Name: "exact sums", Claim: privacy.Budget{Epsilon: 3}, Of: learner.New(linear.UCB{}, continual.Exact{}), Problem: problem, Runs: 400}
	found, err := audit.Search(ctx, a, audit.RandomStreams(problem, 6), 12, audit.Options{Seed: 1, Runs: 40})
	if err != nil {
		t.Fatal(err)
	}
	if found.Name != a.Name || found.Runs != a.Runs {
		t.Errorf("the search changed the item: %q, %d runs", found.Name, found.Runs)
	}
	f, err := found.Run(ctx, audit.Options{Seed: 1})
	if err != nil || !f.Excluded() {
		t.Errorf("err %v, want excluded\n%v", err, f)
	}
	for _, tries := range []int{0, -1} {
		if _, err := audit.Search(ctx, a, audit.RandomStreams(problem, 6), tries, audit.Options{}); err == nil || !strings.Contains(err.Error(), "want >= 1") {
			t.Errorf("tries = %d: err = %v", tries, err)
		}
	}
	if _, err := audit.Search(ctx, a, nil, 1, audit.Options{}); err == nil {
		t.Error("propose = nil: no error")
	}
	// Proposals are neighbouring.
	for seed := range 200 {
		p, q := audit.RandomStreams(problem, 5)(random.New(1, seed, "test"))
		differ := 0
		for i := range p {
			if !reflect.DeepEqual(p[i], q[i]) {
				differ++
			}
		}
		if len(p) != 5 || len(q) != 5 || differ != 1 {
			t.Fatalf("seed %d: %d and %d rounds, %d differ, want 5, 5, 1", seed, len(p), len(q), differ)
		}
	}
}

// One run over a long horizon. A tree shows a row's increment under the noise of several nodes at
// once, which is why an attack on increments excludes much less than the exact epsilon; the same
// attack catches an accumulator with a tenth of the noise.
func TestStreamCanaries(t *testing.T) {
	a := audit.Accumulator{
		Name:  "tree in one run",
		Of:    continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-5}}},
		Setup: privacy.Setup{Dim: 3, Horizon: 20000, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
	}
	c, err := a.Canaries()
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Run(ctx, audit.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", f)
	if f.Excluded() || f.Runs != 19999 {
		t.Errorf("want 19999 canaries and a claim that stands\n%v", f)
	}
	weak := a
	weak.Claim = privacy.Budget{Epsilon: 2, Delta: 1e-5}
	weak.Of = continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 60, Delta: 1e-5}}}
	if c, err = weak.Canaries(); err != nil {
		t.Fatal(err)
	}
	if f, err = c.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() {
		t.Errorf("err %v, want the weak claim excluded\n%v", err, f)
	}

	// The same of a learner, whose contexts are public and whose rewards are canaries.
	const rounds = 4000
	l := audit.Learner{Name: "LinUCB in one run", Claim: privacy.Budget{Epsilon: 2, Delta: 1e-5}, Of: linUCB(privacy.Budget{Epsilon: 60, Delta: 1e-5}), Problem: problem, Transcript: sums}
	x := [][]float64{{1, 0}, {0, 1}}
	for range rounds {
		l.Worlds[0] = append(l.Worlds[0], audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{-1, -1}})
		l.Worlds[1] = append(l.Worlds[1], audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{1, 1}})
	}
	// never released, and no canary
	last := audit.Round{X: []float64{1, 0, 0, 1}, Rewards: []float64{0, 0}}
	l.Worlds[0], l.Worlds[1] = append(l.Worlds[0], last), append(l.Worlds[1], last)
	c, err = l.Canaries(func(_ int, arms []int, before, after []float64) float64 {
		row := x[arms[0]]
		return audit.Increment(before, after, []float64{row[0], row[1], -1}, []float64{row[0], row[1], 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = c.Run(ctx, audit.Options{Seed: 1}); err != nil || !f.Excluded() || f.Runs != rounds {
		t.Errorf("err %v, want the claim excluded by %d canaries\n%v", err, rounds, f)
	}
}

func TestLearnerErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*audit.Learner)
		want   string
	}{
		{func(a *audit.Learner) { a.Of = nil }, "Of is nil"},
		{func(a *audit.Learner) { a.Of = hollow{} }, "Open returned nil"},
		{func(a *audit.Learner) { a.Of = linUCB(privacy.Budget{Epsilon: -1, Delta: 0.1}) }, "epsilon = -1"},
		{func(a *audit.Learner) { a.Problem.Arms = 0 }, "Arms = 0"},
		{func(a *audit.Learner) { a.Worlds[0] = nil }, "Worlds[0] has no rounds"},
		{func(a *audit.Learner) { a.Worlds[1] = a.Worlds[1][:3] }, "4 and 3 rounds"},
		{func(a *audit.Learner) { a.Worlds[1] = a.Worlds[0] }, "streams are equal"},
		{func(a *audit.Learner) { a.Horizon = 3 }, "Horizon = 3, want >= the streams' 4"},
		{func(a *audit.Learner) { a.NoActions = true }, "nothing is left"},
		{func(a *audit.Learner) { a.Worlds[1][2].Rewards = []float64{1, 1} }, "differ in 2 rounds, want at most Contributions = 1"},
		{func(a *audit.Learner) { a.Worlds[0][2].X = nil }, "X has 0 numbers, want Arms x Dim = 4"},
		{func(a *audit.Learner) { a.Worlds[0][2].Rewards = []float64{1} }, "Rewards has 1 numbers, want Arms = 2"},
		{func(a *audit.Learner) { a.Worlds[0][2].Rewards = []float64{1, math.NaN()} }, "holds NaN"},
		{func(a *audit.Learner) { a.Runs = 7 }, "Runs = 7, want >= 40"},
		// no claim anywhere
		{func(a *audit.Learner) { a.Of = teller{} }, "epsilon = 0, want > 0"},
		{func(a *audit.Learner) {
			n := 0
			a.Transcript = func(_ bandit.Run, _ int, dst []float64) []float64 {
				if n++; n > 4 {
					return append(dst, 1)
				}
				return dst
			}
		}, "as in the first run"},
		{func(a *audit.Learner) { a.Transcript = func(bandit.Run, int, []float64) []float64 { panic("oh") } }, "panic: oh"},
	} {
		a := audit.Learner{Name: "l", Of: linUCB(privacy.Budget{Epsilon: 1, Delta: 0.01}), Problem: problem, Worlds: streams(4), Runs: 40}
		c.change(&a)
		if _, err := a.Run(ctx, audit.Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("err = %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		change func(*audit.Accumulator)
		want   string
	}{
		{func(a *audit.Accumulator) { a.Of = nil }, "Of is nil"},
		{func(a *audit.Accumulator) { a.Setup.Dim = 1 }, "Setup.Dim = 1"},
		{func(a *audit.Accumulator) { a.Setup.Horizon = 1 }, "Horizon = 1, want >= 2"},
		{func(a *audit.Accumulator) { a.Rows[0] = [][]float64{{1, 0, 0}} }, "1 and 0 rows"},
		{func(a *audit.Accumulator) { a.Rows = [2][][]float64{{{1, 0}}, {{1, 0, 0}}} }, "length 2, want Dim = 3"},
		{func(a *audit.Accumulator) { a.Reads = []int{2, 2} }, "ascending"},
		{func(a *audit.Accumulator) { a.Reads = []int{} }, "Reads is empty"},
		{func(a *audit.Accumulator) { a.Of = continual.Exact{} }, "epsilon = +Inf, want finite"},
	} {
		a := audit.Accumulator{Name: "a", Setup: privacy.Setup{Dim: 3, Horizon: 8, Bound: 1, Alpha: 0.1}, Runs: 40,
			Of: continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}}}}
		c.change(&a)
		if _, err := a.Run(ctx, audit.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("err = %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		change func(*audit.Canaries)
		want   string
	}{
		{func(c *audit.Canaries) { c.Release = nil }, "Release is nil"},
		{func(c *audit.Canaries) { c.Count = 0 }, "Count = 0, want >= 1"},
		{func(c *audit.Canaries) { c.Guesses = []int{5, 11} }, "holds 11, want in [1, Count = 10]"},
		{func(c *audit.Canaries) { c.Guesses = []int{} }, "Guesses is empty"},
		{func(c *audit.Canaries) { c.Claim.Delta = -1 }, "delta = -1"},
		{func(c *audit.Canaries) { c.Release = func([]int, rand.Source, []float64) error { return nil } }, "scores[0] = NaN"},
		{func(c *audit.Canaries) { c.Release = func([]int, rand.Source, []float64) error { panic("oh") } }, "panic: oh"},
	} {
		a := audit.Canaries{Name: "c", Claim: privacy.Budget{Epsilon: 1}, Count: 10, Release: func(_ []int, _ rand.Source, s []float64) error { clear(s); return nil }}
		c.change(&a)
		if _, err := a.Run(ctx, audit.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("err = %v, want %q", err, c.want)
		}
	}
}
