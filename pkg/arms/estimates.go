package arms

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// estimates is what the policies share: the problem, and the arms' estimates of rewards that were
// moved into [0, 1].
type estimates struct {
	problem bandit.Problem
	scale   float64 // 1 over the length of the range of rewards
	of      []privacy.Estimate
	unseen  int // the first arm without an estimate; the number of arms if all have one
	round   int // the next one, after the records of the release
}

// init validates and allocates.
func (e *estimates) init(who string, p bandit.Problem, horizon int) error {
	*e = estimates{}
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
	}
	if err := size.Check(fmt.Sprintf("arms: Problem.Arms = %d", p.Arms), 16*float64(p.Arms)); err != nil {
		return err
	}
	e.problem, e.scale = p, 1/(p.RewardMax-p.RewardMin)
	e.of = make([]privacy.Estimate, p.Arms)
	return nil
}

// Reset forgets everything.
func (e *estimates) Reset(*rand.Rand) {
	clear(e.of)
	e.unseen, e.round = 0, 1
}

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

// clipped returns a number in [0, 1] next to x.
func clipped(x float64) float64 { return min(max(x, 0), 1) }

// logarithm returns ln t of a round t, and ln 2 of the first.
func logarithm(t int) float64 { return portable.Log(float64(max(t, 2))) }

// positive returns an error unless a field is positive and finite, or 0 for a default.
func positive(who, field string, value, zero float64) error {
	if !(value >= 0 && value <= mostTuning) {
		return fmt.Errorf("arms: %s.%s = %v, want finite and > 0, %v at most, or 0 for %v", who, field, value, mostTuning, zero)
	}
	return nil
}

// mostTuning bounds a factor that tunes a learner: the products of a few such factors do not
// overflow.
const mostTuning = 1e60

// or returns a field, or what its zero means.
func or(field, zero float64) float64 {
	if field == 0 {
		return zero
	}
	return field
}
