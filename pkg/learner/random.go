package learner

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Random plays an arm drawn uniformly in each round, whatever it has seen. It is the yardstick of
// every comparison: a learner whose regret is near that of Random has learned nothing.
//
// It looks at no context and no reward, so it reveals nothing of them. It holds no plan, and so no
// claim. A learner that does not look at its data is not what a claim is for.
type Random struct {
	bandit.Base
	problem bandit.Problem
	own     *rand.Rand
}

var _ bandit.Learner = (*Random)(nil)

// Init validates.
func (l *Random) Init(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("learner: Random: %w", err)
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return fmt.Errorf("learner: Random: %w", err)
	}
	if p.Slots != 1 {
		return fmt.Errorf("learner: Random: Problem.Slots = %d, want 1", p.Slots)
	}
	l.problem = p
	return nil
}

// Reset starts a trial.
func (l *Random) Reset(own *rand.Rand, _ rand.Source) {
	l.Clear()
	l.own = own
}

// Select appends an arm.
func (l *Random) Select(v *bandit.View, dst []int) []int {
	if err := bandit.CheckView(l.problem, v); err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
		return append(dst, 0)
	}
	return append(dst, l.own.IntN(v.Arms))
}

// Update reports what is not in order, and forgets the rest.
func (l *Random) Update(v *bandit.View, arms []int, y []float64) {
	err := bandit.CheckView(l.problem, v)
	if err == nil {
		err = bandit.CheckArms(l.problem, v, arms, y)
	}
	if err == nil && y[0]-y[0] != 0 {
		err = fmt.Errorf("reward = %v, want finite", y[0])
	}
	if err != nil {
		l.Fail(fmt.Errorf("learner: round %d: %w", v.Round, err))
	}
}
