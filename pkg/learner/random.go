package learner

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
)

// Random plays an arm drawn uniformly in each round, whatever it has seen. It is the yardstick of
// every comparison: a learner whose regret is near that of Random has learned nothing.
//
// It looks at no context and no reward, so it reveals nothing of them. It holds no plan, and so no
// claim. A learner that does not look at its data is not what a claim is for.
type Random struct{}

var _ bandit.Learner = Random{}

// Open validates.
func (Random) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("learner: Random: %w", err)
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, fmt.Errorf("learner: Random: %w", err)
	}
	if p.Slots != 1 {
		return nil, fmt.Errorf("learner: Random: Problem.Slots = %d, want 1", p.Slots)
	}
	return bandit.Starts(func(own *rand.Rand, _ rand.Source) bandit.Run { return &randomRun{p, own} }), nil
}

// randomRun is a run of Random.
type randomRun struct {
	problem bandit.Problem
	own     *rand.Rand
}

// Select appends an arm.
func (l *randomRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if !v.Fits(&l.problem) {
		return dst, checks.InRound(v.Round, l.problem.CheckView(v))
	}
	return append(dst, l.own.IntN(v.Arms)), nil
}

// Update reports what is not in order, and forgets the rest.
func (l *randomRun) Update(v *bandit.View, arms []int, y []float64) error {
	return checks.InRound(v.Round, checks.Record(l.problem, v, arms, y))
}
