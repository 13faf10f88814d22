package offpolicy_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// logged is a log of two arms in which arm 0 is right for x > 0 and arm 1 otherwise, with reward 1
// with probability 0.8 if right, else 0.3. propensity is that of arm 0.
func logged(seed uint64, rounds int, propensity func(x float64) float64) *offpolicy.Log {
	r := random.New(seed, 0, "log")
	l := &offpolicy.Log{Arms: 2, Dim: 1, RewardMin: 0, RewardMax: 1}
	for range rounds {
		x, a, p, y := 2*r.Float64()-1, 0, 0.0, 0.0
		if p = propensity(x); r.Float64() >= p {
			a, p = 1, 1-p
		}
		if chance := [2]float64{0.3, 0.8}; r.Float64() < chance[right(x, a)] {
			y = 1
		}
		l.Contexts, l.Chosen = append(l.Contexts, x), append(l.Chosen, a)
		l.Rewards, l.Propensities = append(l.Rewards, y), append(l.Propensities, p)
	}
	return l
}

func right(x float64, arm int) int {
	if x > 0 == (arm == 0) {
		return 1
	}
	return 0
}

func half(float64) float64 { return 0.5 }

// threshold plays arm 0 if the first feature is more than at, and notes what it sees.
type threshold struct {
	at   float64
	seen []float64
	arms []int
}

// Open accepts any problem. The one run is l.
func (l *threshold) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return l }), nil
}
func (l *threshold) Select(v *bandit.View, dst []int) ([]int, error) {
	if v.X[0] > l.at {
		return append(dst, 0), nil
	}
	return append(dst, 1), nil
}
func (l *threshold) Update(v *bandit.View, arms []int, y []float64) error {
	l.seen, l.arms = append(l.seen, v.X[0]), append(l.arms, arms[0])
	return nil
}

// A replay of a fixed rule has the rule's mean reward, whether the log is uniform or not: 0.8 less
// 0.5/8 for the eighth of contexts on which a threshold of 1/4 errs. Within 5 standard errors
// (6e-7; the seeds are fixed). If unequal propensities were forgotten, the shares of x would be
// wrong: the count of x > 1/4 is to be 3/8 of all, to 5 standard deviations.
func TestReplay(t *testing.T) {
	for i, propensity := range []func(float64) float64{half, func(x float64) float64 { return 0.5 + 0.3*x }} {
		l := &threshold{at: 0.25}
		e, err := (&offpolicy.Replay{Log: logged(uint64(i), 20000, propensity), Horizon: 20000, Norm: 1, Seed: 1}).Run(l)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(e)
		if want := 0.8 - 0.5/8; math.Abs(e.Value-want) > 5*e.SE || e.SE > 0.01 || e.Rounds != len(l.seen) {
			t.Errorf("log %d: %v, want %v", i, e, want)
		}
		above := 0.0
		for _, x := range l.seen {
			if x > 0.25 {
				above++
			}
		}
		if n := float64(e.Rounds); math.Abs(above/n-3.0/8) > 5*math.Sqrt(15.0/64/n) {
			t.Errorf("log %d: %v of %v rounds above the threshold, want 3/8", i, above, n)
		}
	}
}

// The learner learns of the rounds that agree and of no other, and stops at its horizon.
func TestReplayRounds(t *testing.T) {
	data := logged(1, 500, half)
	var want []float64
	for i, x := range data.Contexts {
		if (x > 0) == (data.Chosen[i] == 0) && len(want) < 100 {
			want = append(want, x)
		}
	}
	l := &threshold{}
	e, err := (&offpolicy.Replay{Log: data, Horizon: 100, Norm: 1}).Run(l)
	if err != nil || e.Rounds != 100 || e.Users != 100 || !slices.Equal(l.seen, want) {
		t.Errorf("%v, %v: saw %v, want %v", e, err, l.seen, want)
	}
	data.Users = make([]int, 500)
	for i := range data.Users {
		data.Users[i] = i / 50
	}
	e, err = (&offpolicy.Replay{Log: data, Horizon: 1000, Norm: 1}).Run(&threshold{})
	if err != nil || e.Users != 10 || len(e.Doubts()) != 1 {
		t.Errorf("with ten users: %v, %v", e, err)
	}
}

// Learners bear rejected rounds: a linear one, a private one, and a private one without contexts
// play what they play when nobody asks them about the rejected rounds.
func TestReplayLearners(t *testing.T) {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-6}
	contextual := logged(1, 2000, half)
	plain := logged(1, 2000, half)
	plain.Dim, plain.Contexts = 0, nil
	for name, c := range map[string]struct {
		log      *offpolicy.Log
		constant float64
		learner  bandit.Learner
	}{
		"LinUCB":         {contextual, 1, learner.New(linear.UCB{}, nil)},
		"private LinUCB": {contextual, 1, learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}})},
		"UCB1":           {plain, 0, learner.New(arms.UCB1{}, nil)},
	} {
		first, second := &recorder{Learner: c.learner}, &recorder{Learner: c.learner}
		e, err := (&offpolicy.Replay{Log: c.log, Horizon: 2000, Norm: 1, Constant: c.constant, Seed: 3}).Run(first)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e.Rounds < 800 {
			t.Errorf("%s: %d rounds counted of 2000", name, e.Rounds)
		}
		kept := *c.log
		kept.Contexts, kept.Chosen, kept.Rewards, kept.Propensities = nil, nil, nil, nil
		for _, i := range first.counted {
			kept.Chosen, kept.Rewards = append(kept.Chosen, c.log.Chosen[i]), append(kept.Rewards, c.log.Rewards[i])
			kept.Propensities = append(kept.Propensities, 0.5)
			kept.Contexts = append(kept.Contexts, c.log.Contexts[i*c.log.Dim:(i+1)*c.log.Dim]...)
		}
		again, err := (&offpolicy.Replay{Log: &kept, Horizon: 2000, Norm: 1, Constant: c.constant, Seed: 3}).Run(second)
		if err != nil || again != e {
			t.Errorf("%s: %v, %v, and without the rejected rounds %v", name, e, err, again)
		}
	}
}

// recorder notes which rounds of a log were counted.
type recorder struct {
	bandit.Learner
	run     bandit.Run
	asked   int
	counted []int
}

// Open opens the learner. The one run is r.
func (r *recorder) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := r.Learner.Open(p, horizon)
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		r.run = ready.Start(own, noise)
		return r
	}), err
}

func (r *recorder) Select(v *bandit.View, dst []int) ([]int, error) {
	r.asked++
	return r.run.Select(v, dst)
}

func (r *recorder) Update(v *bandit.View, arms []int, y []float64) error {
	r.counted = append(r.counted, r.asked-1)
	return r.run.Update(v, arms, y)
}

func TestReplayRefuses(t *testing.T) {
	for want, change := range map[string]func(*offpolicy.Replay){
		"Log is nil":  func(r *offpolicy.Replay) { r.Log = nil },
		"no rounds":   func(r *offpolicy.Replay) { r.Log = &offpolicy.Log{} },
		"Horizon = 0": func(r *offpolicy.Replay) { r.Horizon = 0 },
		"Norm = 0":    func(r *offpolicy.Replay) { r.Norm = 0 },
		"no round of 100 counted: the learner does not play the log's arms, or the least propensity, 0.5,": func(r *offpolicy.Replay) {
			r.Log.Chosen = make([]int, 100)
		},
		"no round of 100 counted: the learner does not play the log's arms, or the least propensity, 1e-09,": func(r *offpolicy.Replay) {
			r.Log.Chosen[0], r.Log.Propensities[0] = 0, 1e-9
		},
	} {
		r := &offpolicy.Replay{Log: logged(1, 100, half), Horizon: 100, Norm: 1}
		change(r)
		if _, err := r.Run(&threshold{at: 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// faulty is a learner that does what a replay must not go on after.
type faulty struct {
	open, choose, learn error
	plays               []int
	warm                bool
}

func (l *faulty) Open(bandit.Problem, int) (bandit.Calibrated, error) { return l, l.open }
func (l *faulty) Start(*rand.Rand, rand.Source) bandit.Run            { return l }
func (l *faulty) WantsWarmUp() bool                                   { return l.warm }
func (l *faulty) WarmUp([]float64) error                              { return nil }
func (l *faulty) Select(_ *bandit.View, dst []int) ([]int, error) {
	return append(dst, l.plays...), l.choose
}
func (l *faulty) Update(*bandit.View, []int, []float64) error { return l.learn }

func TestReplayStops(t *testing.T) {
	broken := errors.New("broken")
	for want, l := range map[string]*faulty{
		"Open: broken": {open: broken},
		"round 1 of the log: the learner plays [], want one": {},
		"the learner plays [0 1], want one arm in [0, 2)":    {plays: []int{0, 1}},
		"the learner plays [2], want one":                    {plays: []int{2}},
		"the learner plays [-1], want one":                   {plays: []int{-1}},
		"wants a warm-up":                                    {plays: []int{0}, warm: true},
		"round 1 of the log: broken":                         {plays: []int{0}, choose: broken},
		"round 3 of the log: broken":                         {plays: []int{0}, learn: broken},
	} {
		data := logged(1, 10, half)
		copy(data.Chosen, []int{1, 1, 0})
		_, err := (&offpolicy.Replay{Log: data, Horizon: 10, Norm: 1}).Run(l)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "offpolicy: Replay: ") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// A log of a coin's choices says what LinUCB would have earned, without a new experiment.
func ExampleReplay() {
	replay := &offpolicy.Replay{Log: logged(1, 10_000, half), Horizon: 10_000, Norm: 1, Constant: 1, Seed: 1}
	e, err := replay.Run(learner.New(linear.UCB{}, nil))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rounds counted, mean reward %.2f\n", e.Rounds, e.Value)
	// Output:
	// 4992 rounds counted, mean reward 0.75
}

// A rule that was never tried is worth 0.74, within an error that the log itself tells.
func ExampleEvaluation() {
	rule := func(x, p []float64) {
		if x[0] > 0.25 {
			p[0] = 1
		} else {
			p[1] = 1
		}
	}
	e := &offpolicy.Evaluation{Log: logged(1, 10_000, half), Policy: rule}
	for _, estimate := range []func() (offpolicy.Estimate, error){e.InversePropensity, e.SelfNormalised, e.DoublyRobust} {
		value, err := estimate()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f in [%.3f, %.3f]\n", value.Value, value.Low, value.High)
	}
	// Output:
	// 0.724 in [0.705, 0.743]
	// 0.730 in [0.718, 0.742]
	// 0.731 in [0.719, 0.744]
}
