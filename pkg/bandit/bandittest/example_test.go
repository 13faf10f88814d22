package bandittest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
)

// forgetful plays the arms in turn, and does not start again after Reset.
type forgetful struct {
	bandit.Base
	arms, round int
}

func (l *forgetful) Init(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	l.arms = p.Arms
	return bandit.CheckHorizon(horizon)
}
func (l *forgetful) Reset(own *rand.Rand, noise rand.Source)        { l.Clear() }
func (l *forgetful) Select(v *bandit.View, dst []int) []int         { return append(dst, l.round%l.arms) }
func (l *forgetful) Update(v *bandit.View, arms []int, y []float64) { l.round++ }

// printer prints what a test would report.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// What the suite finds in a learner with a bug. In a test, t takes the printer's place.
func ExampleLearner() {
	bandittest.Learner(printer{},
		func() bandit.Learner { return new(forgetful) },
		environment.Arms{Means: []float64{0.2, 0.8}},
		bandittest.LearnerOptions{IgnoresContexts: true, IgnoresRewards: true})
	// Output:
	// Reset: round 1: after Reset it chooses another arm (1) than a new one (0)
}
