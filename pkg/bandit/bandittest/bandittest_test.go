package bandittest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

func TestToys(t *testing.T) {
	var env toyEnv
	Environment(t, env)
	Learner(t, toyLearner{}, env, LearnerOptions{Equivariant: true})
}

// caught checks that the suite reported a failure of the check of that name.
func (r *recorder) caught(t *testing.T, what, check string) {
	t.Helper()
	if !slices.ContainsFunc(r.failures, func(f string) bool { return strings.HasPrefix(f, check+": ") }) {
		t.Errorf("%s: not caught by %s; failures: %q", what, check, r.failures)
	}
}

// brokenEnv is a toyEnv with one method replaced.
type brokenEnv struct {
	open   func() (bandit.Problem, error)
	start  func(e *broken, contexts *rand.Rand)
	next   func(e *broken, v *bandit.View)
	pull   func(e *broken, rewards *rand.Rand, arms []int, y []float64)
	regret func(e *broken, arms []int) float64
}

// broken is a trial of brokenEnv.
type broken struct {
	toy
	of     *brokenEnv
	shared *shared
	n      int
	sink   []float64
}

// shared is what the trials of a brokenEnv may share.
type shared struct {
	n     int
	theta *[toyDim]float64
}

func (b brokenEnv) Open() (bandit.World, error) {
	p := toyProblem
	if b.open != nil {
		var err error
		if p, err = b.open(); err != nil {
			return nil, err
		}
	}
	all := new(shared)
	return bandit.NewWorld(p, func(contexts *rand.Rand) bandit.Instance {
		e := &broken{of: &b, shared: all}
		e.toy.start(contexts)
		if b.start != nil {
			b.start(e, contexts)
		}
		return e
	}), nil
}

func (e *broken) Next(v *bandit.View) {
	e.toy.Next(v)
	if e.of.next != nil {
		e.of.next(e, v)
	}
}

func (e *broken) Pull(rewards *rand.Rand, arms []int, y []float64) {
	e.toy.Pull(rewards, arms, y)
	if e.of.pull != nil {
		e.of.pull(e, rewards, arms, y)
	}
}

func (e *broken) Regret(arms []int) float64 {
	if e.of.regret != nil {
		return e.of.regret(e, arms)
	}
	return e.toy.Regret(arms)
}

func TestBrokenEnvironmentsAreCaught(t *testing.T) {
	opened := 0
	for _, c := range []struct {
		what, check string
		env         brokenEnv
	}{
		{"does not open", "Open", brokenEnv{open: func() (bandit.Problem, error) { return toyProblem, errors.New("no") }}},
		{"invalid problem", "Open", brokenEnv{open: func() (bandit.Problem, error) { return bandit.Problem{Arms: 1, Slots: 2}, nil }}},
		{"another problem when opened again", "Problem", brokenEnv{open: func() (bandit.Problem, error) {
			opened++
			p := toyProblem
			p.RewardMax += float64(opened)
			return p, nil
		}}},
		{"round not set", "View", brokenEnv{next: func(e *broken, v *bandit.View) { v.Round = 0 }}},
		{"too many arms", "View", brokenEnv{next: func(e *broken, v *bandit.View) { v.Arms++ }}},
		{"short contexts", "View", brokenEnv{next: func(e *broken, v *bandit.View) { v.X = v.X[:toyDim] }}},
		{"long context", "View", brokenEnv{next: func(e *broken, v *bandit.View) { v.X[4] = 1.01 }}},
		{"NaN context", "View", brokenEnv{next: func(e *broken, v *bandit.View) { v.X[4] = math.NaN() }}},
		{"Same in round 1", "View", brokenEnv{next: func(e *broken, v *bandit.View) {
			for i := range v.X {
				v.X[i] = 0.1
			}
			v.Same = true
		}}},
		{"Same with a context that moves", "View", brokenEnv{next: func(e *broken, v *bandit.View) {
			for i := range v.X {
				v.X[i] = 0.1
			}
			v.X[4], v.Same = 0.1/float64(1+v.Round/100), v.Round > 1
		}}},
		{"global randomness", "Reproducible", brokenEnv{next: func(e *broken, v *bandit.View) { v.X[0] = rand.Float64() / 9 }}},
		{"theta of another trial", "Reproducible", brokenEnv{start: func(e *broken, contexts *rand.Rand) {
			if e.shared.theta == nil {
				e.shared.theta = &e.theta
			} else if e.shared.n++; e.shared.n > 1 {
				e.theta = *e.shared.theta
				e.theta[0] /= 2
			}
		}}},
		{"rounds that trials share", "Reproducible", brokenEnv{next: func(e *broken, v *bandit.View) {
			e.shared.n++
			v.X[0] /= float64(e.shared.n)
		}}},
		{"contexts from a stream that pulls shift", "Oblivious", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { e.contexts.Uint64() }}},
		{"rewards that wear out", "Oblivious", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { e.n++; y[0] /= float64(e.n) }}},
		{"draws by arm", "Oblivious", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) {
			if arms[0] == 0 {
				r.Uint64()
			}
		}}},
		{"contexts changed by a pull", "Oblivious", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { e.x[1] /= 2 }}},
		{"regret that grows", "Oblivious", brokenEnv{regret: func(e *broken, arms []int) float64 { e.n++; return float64(e.n) }}},
		{"reward out of range", "Rewards", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { y[1] *= 1.5 }}},
		{"reward not written", "Rewards", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { y[1] = math.NaN() }}},
		{"arms sorted", "Rewards", brokenEnv{pull: func(e *broken, r *rand.Rand, arms []int, y []float64) { arms[0] = arms[1] }}},
		{"negative regret", "Regret", brokenEnv{regret: func(e *broken, arms []int) float64 { return e.toy.Regret(arms) - 0.01 }}},
		{"regret never 0", "Regret", brokenEnv{regret: func(e *broken, arms []int) float64 { return e.toy.Regret(arms) + 0.01 }}},
		{"regret of another scale", "RegretIsMean", brokenEnv{regret: func(e *broken, arms []int) float64 { return 3 * e.toy.Regret(arms) }}},
		{"allocates", "Allocations", brokenEnv{next: func(e *broken, v *bandit.View) {
			if v.Round%50 == 0 {
				e.sink = make([]float64, 8)
			}
		}}},
		{"panics", "View", brokenEnv{next: func(e *broken, v *bandit.View) { panic("no") }}},
	} {
		r := &recorder{TB: t}
		Environment(r, c.env)
		r.caught(t, c.what, c.check)
	}
}

// brokenLearner is a toyLearner with one method replaced.
type brokenLearner struct {
	open   func(p bandit.Problem, horizon int) error
	start  func(l, last *brokenRun)
	choose func(l *brokenRun, v *bandit.View, dst []int) ([]int, error)
	update func(l *brokenRun, v *bandit.View, arms []int, y []float64) error
	show   func(l *brokenRun, v *bandit.View, dst []bandit.Insight) []bandit.Insight
}

// brokenRun is a run of a brokenLearner.
type brokenRun struct {
	toyRun
	of       *brokenLearner
	n        int
	kept     []float64
	keptArms []int
}

func (b brokenLearner) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	opens := toyOpens
	if b.open != nil {
		opens = b.open
	}
	if err := opens(p, horizon); err != nil {
		return nil, err
	}
	var last *brokenRun
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		l := &brokenRun{of: &b}
		l.toyRun.start(p, own, noise)
		if b.start != nil {
			b.start(l, last)
		}
		last = l
		return l
	}), nil
}

func (l *brokenRun) Explain(v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if l.of.show != nil {
		return l.of.show(l, v, dst), nil
	}
	return dst, fmt.Errorf("a %T has nothing to show: %w", l, errors.ErrUnsupported)
}

func (l *brokenRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if l.of.choose != nil {
		return l.of.choose(l, v, dst)
	}
	return l.toyRun.Select(v, dst)
}

func (l *brokenRun) Update(v *bandit.View, arms []int, y []float64) error {
	if l.of.update != nil {
		return l.of.update(l, v, arms, y)
	}
	return l.toyRun.Update(v, arms, y)
}

var global int // that broken learners share

func TestBrokenLearnersAreCaught(t *testing.T) {
	for _, c := range []struct {
		what, check string
		learner     brokenLearner
	}{
		{"any horizon", "Open", brokenLearner{open: func(p bandit.Problem, h int) error { return toyOpens(p, 1) }}},
		{"any problem", "Open", brokenLearner{open: func(p bandit.Problem, h int) error { return bandit.CheckHorizon(h) }}},
		{"no contexts", "Open", brokenLearner{open: func(p bandit.Problem, h int) error {
			if p.Dim == 0 {
				return nil
			}
			return toyOpens(p, h)
		}}},
		{"fails on good data", "Select", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			return dst, errors.New("no")
		}}},
		{"fails after good data", "Select", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			return errors.Join(l.toyRun.Update(v, arms, y), errors.New("no"))
		}}},
		{"an arm too few", "Select", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) { return append(dst, 1), nil }}},
		{"arm out of range", "Select", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) { return append(dst, 1, toyArms), nil }}},
		{"an arm twice", "Select", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) { return append(dst, 1, 1), nil }}},
		{"overwrites dst", "Select", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) { return l.toyRun.Select(v, dst[:0]) }}},
		{"global randomness", "Deterministic", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			a := rand.IntN(toyArms - 1)
			return append(dst, a, a+1), nil
		}}},
		{"shared state", "Deterministic", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if v.Round == 1 {
				global = 0
			}
			global++
			return append(dst, global%2, 2), nil
		}}},
		{"starts otherwise than the run before", "Deterministic", brokenLearner{start: func(l, last *brokenRun) {
			if last != nil {
				l.n = last.n + 1
				l.theta[2] += float64(l.n)
			}
		}}},
		{"keeps rewards", "KeepsNothing", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			now := y
			if len(y) == len(arms) && l.kept != nil {
				now = l.kept
			}
			l.kept = y
			return l.toyRun.Update(v, arms, now)
		}}},
		{"keeps a context", "KeepsNothing", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if l.kept == nil {
				l.kept = v.Row(1)
			}
			l.theta[0] += l.kept[0]
			return l.toyRun.Select(v, dst)
		}}},
		{"writes to the contexts", "KeepsNothing", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			v.X[0] = 0
			return l.toyRun.Select(v, dst)
		}}},
		{"writes to the rewards", "KeepsNothing", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			err := l.toyRun.Update(v, arms, y)
			y[0] -= 0.5
			return err
		}}},
		{"sorts the arms", "KeepsNothing", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			err := l.toyRun.Update(v, arms, y)
			slices.Sort(arms)
			return err
		}}},
		{"swallows NaN rewards", "BadRewards", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			if len(arms) != len(y) {
				return l.toyRun.Update(v, arms, y)
			}
			l.learn(v, arms, y)
			return nil
		}}},
		{"learns from bad rewards", "BadRewards", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			err := l.toyRun.Update(v, arms, y)
			if err != nil {
				l.learn(v, arms[:1], []float64{1})
			}
			return err
		}}},
		{"draws noise for bad rewards", "BadRewards", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			for i := range l.theta {
				l.theta[i] += 0.2 * l.noise.NormFloat64()
			}
			return l.toyRun.Update(v, arms, y)
		}}},
		{"panics on a wrong length", "BadRewards", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			if len(y) != len(arms) {
				panic("length")
			}
			return l.toyRun.Update(v, arms, y)
		}}},
		{"swallows NaN contexts", "BadContexts", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if i := slices.IndexFunc(v.X, math.IsNaN); i >= 0 {
				v.X[i] = 0
			}
			return l.toyRun.Select(v, dst)
		}}},
		{"moves on bad contexts", "BadContexts", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			for i := range l.theta {
				l.theta[i] += 0.2 * l.own.NormFloat64()
			}
			return l.toyRun.Select(v, dst)
		}}},
		{"prefers the first arm", "Equivariant", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			dst, err := l.toyRun.Select(v, dst)
			if len(dst) == toySlots && !slices.Contains(dst, 0) {
				dst[0] = 0
			}
			return dst, err
		}}},
		{"plays by Same", "Same", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if v.Same {
				return append(dst, 0, 1), nil
			}
			return l.toyRun.Select(v, dst)
		}}},
		{"takes the last contexts it saw for those of the last round", "Same", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if !v.Same || l.kept == nil {
				l.kept = slices.Clone(v.X)
			}
			seen := *v
			seen.X = l.kept
			return l.toyRun.Select(&seen, dst)
		}}},
		{"takes contexts that it has not seen for those of the last round", "Same", brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
			if l.n == 0 && v.Same {
				l.kept = make([]float64, len(v.X))
			} else if !v.Same || v.Round != l.n+1 {
				l.kept = slices.Clone(v.X)
			}
			l.n = v.Round
			seen := *v
			seen.X = l.kept
			return l.toyRun.Select(&seen, dst)
		}}},
		{"draws to explain", "Explain", brokenLearner{show: func(l *brokenRun, v *bandit.View, dst []bandit.Insight) []bandit.Insight {
			for i := range l.theta {
				l.theta[i] += 0.2 * l.own.NormFloat64()
			}
			return append(dst, make([]bandit.Insight, v.Arms)...)
		}}},
		{"explains the first arms alone", "Explain", brokenLearner{show: func(l *brokenRun, v *bandit.View, dst []bandit.Insight) []bandit.Insight {
			return append(dst, make([]bandit.Insight, v.Arms-1)...)
		}}},
		{"plays arms that are out", "Explain", brokenLearner{show: func(l *brokenRun, v *bandit.View, dst []bandit.Insight) []bandit.Insight {
			for range v.Arms {
				dst = append(dst, bandit.Insight{Index: math.Inf(-1)})
			}
			return dst
		}}},
		{"has a width below 0", "Explain", brokenLearner{show: func(l *brokenRun, v *bandit.View, dst []bandit.Insight) []bandit.Insight {
			for range v.Arms {
				dst = append(dst, bandit.Insight{Width: -1})
			}
			return dst
		}}},
		{"allocates", "Allocations", brokenLearner{update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error {
			if v.Round%50 == 0 {
				l.keptArms = slices.Clone(arms)
			}
			return l.toyRun.Update(v, arms, y)
		}}},
	} {
		r := &recorder{TB: t}
		Learner(r, c.learner, toyEnv{}, LearnerOptions{Equivariant: true})
		r.caught(t, c.what, c.check)
	}
}

// TestFailures: complaints are kept in their order, up to one that ends the checks, or a panic.
func TestFailures(t *testing.T) {
	for want, last := range map[string]func(t testing.TB){
		"fatal 2":      func(t testing.TB) { t.Fatalf("fatal %d", 2) },
		"panic: nil 2": func(testing.TB) { panic("nil 2") },
	} {
		got := Failures(func(t testing.TB) {
			t.Helper()
			t.Logf("said, and no complaint")
			t.Errorf("first %d", 1)
			last(t)
			t.Errorf("not reached")
		})
		if !slices.Equal(got, []string{"first 1", want}) {
			t.Errorf("got %q, want first 1 and %s", got, want)
		}
	}
	if got := Failures(func(testing.TB) {}); got != nil {
		t.Errorf("got %q of no checks", got)
	}
}

// What is not broken is not reported, so that the tests above mean something.
func TestUnbrokenAreNotCaught(t *testing.T) {
	r := &recorder{TB: t}
	var env brokenEnv
	Environment(r, env)
	Learner(r, brokenLearner{}, env, LearnerOptions{Equivariant: true})
	for _, f := range r.failures {
		t.Error(f)
	}
}

// The suite itself keeps the promise of View.Same, on which a learner may rely. It numbers the
// rounds of each trial from 1, and sits out at most one in a row.
func TestSameIsKept(t *testing.T) {
	told := 0
	Learner(t, brokenLearner{choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) {
		if v.Same {
			told++
		}
		if v.Same && (v.Round == 1 || v.Round == l.n+1 && !sameBits(v.X, l.kept)) {
			t.Errorf("round %d: View.Same, and the contexts are not those of the round before", v.Round)
		}
		if v.Round <= l.n || v.Round > l.n+2 {
			t.Errorf("round %d after round %d", v.Round, l.n)
		}
		l.n, l.kept = v.Round, append(l.kept[:0], v.X...)
		return l.toyRun.Select(v, dst)
	}}, toyEnv{}, LearnerOptions{})
	if told < 100 {
		t.Errorf("View.Same in %d rounds, want 100 or more", told)
	}
}

// Exemptions exempt.
func TestOptions(t *testing.T) {
	Environment(t, brokenEnv{
		pull:   func(e *broken, r *rand.Rand, arms []int, y []float64) { y[0] += 2 },
		regret: func(e *broken, arms []int) float64 { return 3 * e.toy.Regret(arms) },
	}, EnvironmentOptions{UnboundedRewards: true, RegretIsNotMean: true, Seed: 4, Rounds: 60})
	Environment(t, toyEnv{}, EnvironmentOptions{
		Sets: func(r *rand.Rand, v *bandit.View, dst []int) []int { return append(dst, r.IntN(2), 2+r.IntN(3)) },
	})
	Learner(t, brokenLearner{
		open:   func(p bandit.Problem, h int) error { return p.Validate() },
		choose: func(l *brokenRun, v *bandit.View, dst []int) ([]int, error) { return append(dst, 2, 4), nil },
		update: func(l *brokenRun, v *bandit.View, arms []int, y []float64) error { return nil },
	}, toyEnv{}, LearnerOptions{Anytime: true, IgnoresContexts: true, IgnoresRewards: true, Seed: 9, Rounds: 50})
	r := &recorder{TB: t}
	Learner(r, nil, nil, LearnerOptions{Rounds: 100, Horizon: 499})
	Environment(r, nil)
	Learner(r, nil, nil, LearnerOptions{})
	if len(r.failures) != 3 || !strings.HasPrefix(r.failures[1], "Open: ") || r.failures[2] != r.failures[1] ||
		!strings.Contains(r.failures[0], "Horizon = 499, want >= 5 Rounds = 500") {
		t.Errorf("a short horizon, and no environment twice: %q", r.failures)
	}
}

func TestSets(t *testing.T) {
	for _, c := range []struct{ n, k, want int }{{5, 2, 10}, {5, 5, 1}, {25, 1, 25}, {6, 3, 20}, {60, 30, maxSets + 1}} {
		if got := sets(c.n, c.k); got != c.want {
			t.Errorf("sets(%d, %d) = %d, want %d", c.n, c.k, got, c.want)
		}
	}
	arms, count := []int{0, 1, 2}, 1
	for nextSet(arms, 6) {
		count++
	}
	if count != 20 || !slices.Equal(arms, []int{3, 4, 5}) {
		t.Errorf("%d sets of 3 out of 6, the last %v, want 20 and [3 4 5]", count, arms)
	}
}
