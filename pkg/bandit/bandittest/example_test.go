package bandittest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
)

// inTurn plays the arms in turn. Its runs count their rounds together.
type inTurn struct{}

// shared is all the runs of an inTurn.
type shared struct{ arms, round int }

func (inTurn) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	one := &shared{arms: p.Arms} // made here, and not in the function that starts a run
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run { return one }), bandit.CheckHorizon(horizon)
}
func (l *shared) Select(v *bandit.View, dst []int) ([]int, error) {
	return append(dst, l.round%l.arms), nil
}
func (l *shared) Update(v *bandit.View, arms []int, y []float64) error { l.round++; return nil }

// printer prints what a test would report.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// What the suite finds in a learner with a bug. In a test, t takes the printer's place.
func ExampleLearner() {
	bandittest.Learner(printer{},
		inTurn{},
		environment.Arms{Means: []float64{0.2, 0.8}},
		bandittest.LearnerOptions{IgnoresContexts: true, IgnoresRewards: true})
	// Output:
	// Deterministic: round 1: with the same streams and another run beside it, Select chose [1], alone [0]
	// Same: trial 1, round 1: Select chose [0], and [1] without View.Same
}
