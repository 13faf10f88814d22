package arms

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// estimates is what the policies share: the problem, and the arms' estimates of rewards that were
// moved into [0, 1].
type estimates struct {
	problem bandit.Problem
	scale   float64 // 1 over the length of the range of rewards; see check
	of      []privacy.Estimate
	unseen  int // the first arm without an estimate; the number of arms if all have one
	round   int // the next one, after the records of the release
}

// newEstimates allocates, for a problem that has passed check.
func newEstimates(p bandit.Problem) estimates {
	return estimates{problem: p, scale: 1 / (p.RewardMax - p.RewardMin), of: make([]privacy.Estimate, p.Arms)}
}

// prepare returns a policy that makes its rules by a function, or an error about the problem.
func prepare(who string, p bandit.Problem, horizon int, begin learner.Begins[privacy.Means]) (learner.Prepared[privacy.Means], error) {
	if err := check(who, p, horizon); err != nil {
		return nil, err
	}
	return begin, nil
}

// check returns an error unless a problem is one of this package.
func check(who string, p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	switch {
	case p.Dim != 0:
		return fmt.Errorf("arms: %s has no use for contexts: Problem.Dim = %d, want 0", who, p.Dim)
	case p.Slots != 1:
		return fmt.Errorf("arms: %s plays one arm a round: Problem.Slots = %d, want 1", who, p.Slots)
	case !(p.RewardMax-p.RewardMin > leastRange):
		return fmt.Errorf("arms: %s divides by the range of rewards: Problem.RewardMax - RewardMin = %v, want > %v", who, p.RewardMax-p.RewardMin, leastRange)
	}
	return size.Check(fmt.Sprintf("arms: Problem.Arms = %d", p.Arms), 16*float64(p.Arms))
}

// leastRange is what the range of rewards has to be longer than: 1 over it overflows.
const leastRange = 0x1p-1024

// take reads the estimates that have changed.
func (e *estimates) take(r *privacy.Means) {
	lo, scale := e.problem.RewardMin, e.scale
	for _, a := range r.Changed {
		of, to := &r.Of[a], &e.of[a]
		to.Mean, to.Count = (of.Mean-lo)*scale, of.Count
		to.Tail.Root, to.Tail.Linear = of.Tail.Root*scale, of.Tail.Linear*scale
	}
	for e.unseen < len(e.of) && e.of[e.unseen].Count > 0 {
		e.unseen++
	}
	e.round = r.Records + 1
}

// insights appends the means, and the indices that a function returns, of arms that were seen. Both
// are in [0, 1] as rewards are here, and moved to the problem's. The width is the difference, or 0
// where the mean is above.
func (e *estimates) insights(dst []bandit.Insight, index func(arm int) float64) []bandit.Insight {
	lo, span := e.problem.RewardMin, e.problem.RewardMax-e.problem.RewardMin
	for a := range e.of {
		x := checks.Unseen()
		if e.of[a].Count > 0 {
			m, i := e.of[a].Mean, index(a)
			x = bandit.Insight{Index: lo + float64(i*span), Estimate: lo + float64(m*span), Width: max(0, float64((i-m)*span))}
		}
		dst = append(dst, x)
	}
	return dst
}

// means appends the means, and an index on a scale of its own, of arms that were seen.
func (e *estimates) means(dst []bandit.Insight, index func(arm int) float64) []bandit.Insight {
	for a := range e.of {
		x := checks.Unseen()
		if e.of[a].Count > 0 {
			x.Index, x.Estimate = index(a), e.problem.RewardMin+float64(e.of[a].Mean/e.scale)
		}
		dst = append(dst, x)
	}
	return dst
}

// clipped returns a number in [0, 1] next to x.
func clipped(x float64) float64 { return min(max(x, 0), 1) }

// logarithm returns ln t of a round t, and ln 2 of the first.
func logarithm(t int) float64 { return portable.Log(float64(max(t, 2))) }

// positive returns an error unless a field is positive and finite, or 0 for a default.
func positive(who, field string, value, zero float64) error {
	if !(value >= 0 && value <= checks.MostTuning) {
		return fmt.Errorf("arms: %s.%s = %v, want finite and > 0, %v at most, or 0 for %v", who, field, value, checks.MostTuning, zero)
	}
	return nil
}
