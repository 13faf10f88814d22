package checks

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Contexts reports a problem without contexts, with several arms a round, or with bounds whose
// products overflow.
func Contexts(who string, p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	switch {
	case p.Dim < 1:
		return fmt.Errorf("learner: %s needs contexts: Problem.Dim = %d, want >= 1", who, p.Dim)
	case !(p.ContextNorm >= size.LeastBound && p.ContextNorm <= size.MostBound):
		return fmt.Errorf("learner: %s: Problem.ContextNorm = %v, want in [%v, %v]", who, p.ContextNorm, size.LeastBound, size.MostBound)
	case !(p.RewardBound() <= size.MostBound):
		return fmt.Errorf("learner: %s: Problem.RewardMin = %v, RewardMax = %v, want within %v", who, p.RewardMin, p.RewardMax, size.MostBound)
	case p.Slots != 1:
		return fmt.Errorf("learner: %s plays one arm a round: Problem.Slots = %d, want 1", who, p.Slots)
	}
	return nil
}

// Record reports a round with one arm that does not fit the problem, or whose reward is not
// finite.
func Record(p bandit.Problem, v *bandit.View, arms []int, y []float64) error {
	err := p.CheckView(v)
	if err == nil {
		err = p.CheckArms(v, arms, y)
	}
	if err == nil && y[0]-y[0] != 0 {
		err = fmt.Errorf("reward = %v, want finite", y[0])
	}
	return err
}

// InRound names the round of an error, if there is one.
func InRound(round int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("learner: round %d: %w", round, err)
}

// Unguided appends the insights of arms that are played at random or in turn, as long as nothing is
// known of any.
func Unguided(arms int, dst []bandit.Insight) []bandit.Insight {
	for range arms {
		dst = append(dst, Guess(math.NaN()))
	}
	return dst
}

// Unseen is the insight of an arm that is played first, as nothing is known of it.
func Unseen() bandit.Insight {
	return bandit.Insight{Index: math.Inf(1), Estimate: math.NaN(), Width: math.NaN()}
}

// Guess is the insight of an arm that is chosen by an estimate alone.
func Guess(mean float64) bandit.Insight {
	return bandit.Insight{Index: mean, Estimate: mean, Width: math.NaN()}
}

// Explain appends the insights of a rule or a device, if it is a learner.Explainer.
func Explain(of any, broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	e, ok := of.(interface {
		Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error)
	})
	if !ok {
		return dst, fmt.Errorf("a %T does not show what it chooses by: %w", of, errors.ErrUnsupported)
	}
	return e.Explain(broadcast, v, dst)
}

// Opened refuses a device or a server that opens as nil. An error calls it name.
func Opened(name string, of, ready any) error {
	return field.Check(fmt.Sprintf("learner: what a %T opens as, for %s,", of, name), ready)
}
