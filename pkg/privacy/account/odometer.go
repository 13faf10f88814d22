package account

import (
	"errors"
	"fmt"
	"math"
)

// ErrSpent marks the error for an event that would exceed the budget.
var ErrSpent = errors.New("the privacy budget is spent")

// Odometer adds up adaptively chosen releases about the same records, and refuses any event that
// would exceed its budget. Each event may depend on what the ones before it released, and on their
// cost. Whenever a run stops, all that was let pass is within the budget: the odometer is a privacy
// filter (Rogers, Roth, Ullman, Vadhan 2016).
//
// Not every accountant allows such full adaptivity. It holds for pure events (delta = 0), for
// zero-concentrated ones (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers, Wu 2023) and,
// exactly, for Gaussian ones (Koskela, Tobaben, Honkela 2023; Smith and Thakurta 2022).
//
// The accountant is fixed by the first event, which nothing released has influenced. It may not
// change later: whoever could pass from exact Gaussian accounting to zCDP, when what was released
// makes that the better bargain, would get more than the budget. If delta > 0 and the first event
// is Gaussian, the exact accountant is used, which refuses all events that are not Gaussian, unless
// Mixed is set. After any other first event zCDP is used.
type Odometer struct {
	Epsilon, Delta float64 // the budget; no default
	Mixed          bool    // use zCDP from the start, so that other events may follow Gaussian ones

	by    *filter // nil before the first event
	cost  float64
	spent float64
}

// filter is an accountant that holds under full adaptivity. It converts a cost that adds up.
type filter struct {
	additive
	epsilon func(cost, delta float64) float64
}

var (
	pureFilter         = filter{pureCost, func(epsilon, _ float64) float64 { return epsilon }}
	concentratedFilter = filter{rhoCost, ConcentratedEpsilon}
	gaussianFilter     = filter{muSquareCost, func(square, delta float64) float64 { return GaussianEpsilon(delta, math.Sqrt(square)) }}
)

// filter returns the accountant for a run that begins with an event.
func (o *Odometer) filter(first Event) *filter {
	if o.Delta == 0 {
		return &pureFilter
	}
	if _, err := muSquareCost.of(first); err == nil && !o.Mixed {
		return &gaussianFilter
	}
	return &concentratedFilter
}

// Spend adds an event to the run. It returns an error that wraps ErrSpent if the budget does not
// suffice, and one that wraps errors.ErrUnsupported if the event cannot be accounted adaptively.
// After an error the odometer is as it was before.
func (o *Odometer) Spend(e Event) error {
	if o == nil {
		return errors.New("privacy: the odometer is nil")
	}
	if err := checkGuarantee(o.Epsilon, o.Delta); err != nil {
		return err
	}
	if err := checkArguments(e, 0, o.Delta); err != nil {
		return err
	}
	by := o.by
	if by == nil {
		by = o.filter(e)
	}
	cost, err := by.of(e)
	switch {
	case err != nil && by == &gaussianFilter:
		return fmt.Errorf("%w, after Gaussian events alone: Odometer.Mixed lets others follow", err)
	case err != nil:
		return err
	}
	cost += o.cost
	epsilon := by.epsilon(cost, o.Delta)
	if !(epsilon <= o.Epsilon) {
		return fmt.Errorf("privacy: %w: %v would bring epsilon from %.4g to %.4g of %s", ErrSpent, e, o.spent, epsilon, pair(o.Epsilon, o.Delta))
	}
	o.by, o.cost, o.spent = by, cost, epsilon
	return nil
}

// Spent returns the epsilon of the events so far, at the budget's delta, as if they had been fixed
// in advance. The guarantee of a run that chooses its events, or when to stop, by what it has seen
// is the whole budget.
func (o *Odometer) Spent() float64 { return o.spent }
