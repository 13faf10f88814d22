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
	Learner(t, func() bandit.Learner { return new(toyLearner) }, env, LearnerOptions{Equivariant: true})
}

// recorder is a testing.TB that keeps failures to itself.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
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
	toyLearner
	initialise func(l *brokenLearner, p bandit.Problem, horizon int) error
	reset      func(l *brokenLearner, own *rand.Rand, noise rand.Source)
	choose     func(l *brokenLearner, v *bandit.View, dst []int) []int
	update     func(l *brokenLearner, v *bandit.View, arms []int, y []float64)
	err        func(l *brokenLearner) error
	n          int
	kept       []float64
	keptArms   []int
}

func (l *brokenLearner) Init(p bandit.Problem, horizon int) error {
	if l.initialise != nil {
		return l.initialise(l, p, horizon)
	}
	return l.toyLearner.Init(p, horizon)
}

func (l *brokenLearner) Reset(own *rand.Rand, noise rand.Source) {
	if l.reset != nil {
		l.reset(l, own, noise)
		return
	}
	l.n, l.kept, l.keptArms = 0, nil, nil
	l.toyLearner.Reset(own, noise)
}

func (l *brokenLearner) Select(v *bandit.View, dst []int) []int {
	if l.choose != nil {
		return l.choose(l, v, dst)
	}
	return l.toyLearner.Select(v, dst)
}

func (l *brokenLearner) Update(v *bandit.View, arms []int, y []float64) {
	if l.update != nil {
		l.update(l, v, arms, y)
		return
	}
	l.toyLearner.Update(v, arms, y)
}

func (l *brokenLearner) Err() error {
	if l.err != nil {
		return l.err(l)
	}
	return l.toyLearner.Err()
}

var global int // that broken learners share

func TestBrokenLearnersAreCaught(t *testing.T) {
	for _, c := range []struct {
		what, check string
		learner     brokenLearner
	}{
		{"any horizon", "Init", brokenLearner{initialise: func(l *brokenLearner, p bandit.Problem, h int) error { return l.toyLearner.Init(p, 1) }}},
		{"any problem", "Init", brokenLearner{initialise: func(l *brokenLearner, p bandit.Problem, h int) error {
			l.toyLearner.Init(p, 1)
			return bandit.CheckHorizon(h)
		}}},
		{"no contexts", "Init", brokenLearner{initialise: func(l *brokenLearner, p bandit.Problem, h int) error {
			if p.Dim == 0 {
				return nil
			}
			return l.toyLearner.Init(p, h)
		}}},
		{"fails on good data", "Select", brokenLearner{err: func(l *brokenLearner) error { return fmt.Errorf("no") }}},
		{"an arm too few", "Select", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int { return append(dst, 1) }}},
		{"arm out of range", "Select", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int { return append(dst, 1, toyArms) }}},
		{"an arm twice", "Select", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int { return append(dst, 1, 1) }}},
		{"overwrites dst", "Select", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int { return l.toyLearner.Select(v, dst[:0]) }}},
		{"global randomness", "Deterministic", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			a := rand.IntN(toyArms - 1)
			return append(dst, a, a+1)
		}}},
		{"shared state", "Deterministic", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			if v.Round == 1 {
				global = 0
			}
			global++
			return append(dst, global%2, 2)
		}}},
		{"Reset forgets half", "Reset", brokenLearner{reset: func(l *brokenLearner, own *rand.Rand, noise rand.Source) {
			theta := l.theta[2]
			l.toyLearner.Reset(own, noise)
			if l.n++; l.n > 1 {
				l.theta[2] = theta
			}
		}}},
		{"Reset keeps the error", "Reset", brokenLearner{reset: func(l *brokenLearner, own *rand.Rand, noise rand.Source) {
			err := l.Err()
			l.toyLearner.Reset(own, noise)
			l.Fail(err)
		}}},
		{"Reset keeps the warnings", "Reset", brokenLearner{reset: func(l *brokenLearner, own *rand.Rand, noise rand.Source) {
			n := l.rounds
			l.toyLearner.Reset(own, noise)
			l.rounds = n
		}}},
		{"keeps rewards", "KeepsNothing", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			if len(y) == len(arms) && l.kept != nil {
				l.toyLearner.Update(v, arms, l.kept)
			} else {
				l.toyLearner.Update(v, arms, y)
			}
			l.kept = y
		}}},
		{"keeps a context", "KeepsNothing", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			if l.kept == nil {
				l.kept = v.Row(1)
			}
			l.theta[0] += l.kept[0]
			return l.toyLearner.Select(v, dst)
		}}},
		{"writes to the contexts", "KeepsNothing", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			v.X[0] = 0
			return l.toyLearner.Select(v, dst)
		}}},
		{"writes to the rewards", "KeepsNothing", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			l.toyLearner.Update(v, arms, y)
			y[0] -= 0.5
		}}},
		{"sorts the arms", "KeepsNothing", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			l.toyLearner.Update(v, arms, y)
			slices.Sort(arms)
		}}},
		{"swallows NaN rewards", "BadRewards", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			if len(arms) != len(y) {
				l.toyLearner.Update(v, arms, y)
			} else {
				l.learn(v, arms, y)
			}
		}}},
		{"learns from bad rewards", "BadRewards", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			l.toyLearner.Update(v, arms, y)
			if l.Err() != nil {
				l.learn(v, arms[:1], []float64{1})
			}
		}}},
		{"draws noise for bad rewards", "BadRewards", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			for i := range l.theta {
				l.theta[i] += 0.2 * l.noise.NormFloat64()
			}
			l.toyLearner.Update(v, arms, y)
		}}},
		{"panics on a wrong length", "BadRewards", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			if len(y) != len(arms) {
				panic("length")
			}
			l.toyLearner.Update(v, arms, y)
		}}},
		{"forgets the error", "BadRewards", brokenLearner{err: func(l *brokenLearner) error {
			err := l.toyLearner.Err()
			if l.n++; l.n%2 == 0 {
				l.Clear()
			}
			return err
		}}},
		{"swallows NaN contexts", "BadContexts", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			if i := slices.IndexFunc(v.X, math.IsNaN); i >= 0 {
				v.X[i] = 0
			}
			return l.toyLearner.Select(v, dst)
		}}},
		{"moves on bad contexts", "BadContexts", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			for i := range l.theta {
				l.theta[i] += 0.2 * l.own.NormFloat64()
			}
			return l.toyLearner.Select(v, dst)
		}}},
		{"prefers the first arm", "Equivariant", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			dst = l.toyLearner.Select(v, dst)
			if len(dst) == toySlots && !slices.Contains(dst, 0) {
				dst[0] = 0
			}
			return dst
		}}},
		{"plays by Same", "Same", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			if v.Same {
				return append(dst, 0, 1)
			}
			return l.toyLearner.Select(v, dst)
		}}},
		{"takes the last contexts it saw for those of the last round", "Same", brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
			if !v.Same || l.kept == nil {
				l.kept = slices.Clone(v.X)
			}
			seen := *v
			seen.X = l.kept
			return l.toyLearner.Select(&seen, dst)
		}}},
		{"takes contexts from before Reset for those of the last round", "Same", brokenLearner{
			reset: func(l *brokenLearner, own *rand.Rand, noise rand.Source) { l.toyLearner.Reset(own, noise) },
			choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
				if !v.Same || v.Round != l.n+1 {
					l.kept = slices.Clone(v.X)
				}
				l.n = v.Round
				seen := *v
				seen.X = l.kept
				return l.toyLearner.Select(&seen, dst)
			},
		}},
		{"allocates", "Allocations", brokenLearner{update: func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {
			if v.Round%50 == 0 {
				l.keptArms = slices.Clone(arms)
			}
			l.toyLearner.Update(v, arms, y)
		}}},
	} {
		r := &recorder{TB: t}
		Learner(r, func() bandit.Learner { l := c.learner; return &l }, toyEnv{}, LearnerOptions{Equivariant: true})
		r.caught(t, c.what, c.check)
	}
}

// What is not broken is not reported, so that the tests above mean something.
func TestUnbrokenAreNotCaught(t *testing.T) {
	r := &recorder{TB: t}
	var env brokenEnv
	Environment(r, env)
	Learner(r, func() bandit.Learner { return new(brokenLearner) }, env, LearnerOptions{Equivariant: true})
	for _, f := range r.failures {
		t.Error(f)
	}
}

// The suite itself keeps the promise of View.Same, on which a learner may rely. It numbers the
// rounds of each trial from 1, and sits out at most one in a row.
func TestSameIsKept(t *testing.T) {
	told := 0
	Learner(t, func() bandit.Learner {
		return &brokenLearner{choose: func(l *brokenLearner, v *bandit.View, dst []int) []int {
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
			return l.toyLearner.Select(v, dst)
		}}
	}, toyEnv{}, LearnerOptions{})
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
	Learner(t, func() bandit.Learner {
		return &brokenLearner{
			initialise: func(l *brokenLearner, p bandit.Problem, h int) error { return p.Validate() },
			reset:      func(l *brokenLearner, own *rand.Rand, noise rand.Source) {},
			choose:     func(l *brokenLearner, v *bandit.View, dst []int) []int { return append(dst, 2, 4) },
			update:     func(l *brokenLearner, v *bandit.View, arms []int, y []float64) {},
		}
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
