package privacy

import (
	"errors"
	"fmt"
	"math"
)

// ErrSpent is wrapped by the error for an event that a budget does not pay for.
var ErrSpent = errors.New("the privacy budget is spent")

// Odometer adds up what is released about the same records, where the next event may be chosen by what the ones before it released, its
// cost included, and refuses what a budget does not pay for: all that it lets pass is within the budget, whenever a run stops (a privacy filter; Rogers, Roth, Ullman,
// Vadhan 2016). Such full adaptivity is not for every accountant: it holds for pure events (delta = 0), for
// zero-concentrated ones (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers, Wu 2023) and, exactly, for Gaussian ones (Koskela, Tobaben, Honkela 2023;
// Smith and Thakurta 2022).
//
// Nor may the accountant change on the way: one who can pass from exact Gaussian accounting to zCDP's where what was released makes that the better bargain
// gets more than the budget. So the first event decides, which nothing released has influenced: a Gaussian one is for the exact accountant, which refuses all
// that is not Gaussian, unless Mixed is set; any other is for zCDP's.
type Odometer struct {
	Budget Budget // no default
	Mixed  bool   // account by zCDP from the start, so that other events may follow Gaussian ones

	by    *filter // nil before the first event
	cost  float64
	spent float64
}

// filter is an accountant that holds under full adaptivity, by the cost that it adds up.
type filter struct {
	additive
	epsilon func(cost, delta float64) float64
}

var (
	pureFilter         = filter{pureCost, func(epsilon, _ float64) float64 { return epsilon }}
	concentratedFilter = filter{rhoCost, ConcentratedEpsilon}
	gaussianFilter     = filter{muSquareCost, func(square, delta float64) float64 { return GaussianEpsilon(delta, math.Sqrt(square)) }}
)

// filter returns what accounts for a run that begins with an event.
func (o *Odometer) filter(first Event) *filter {
	if o.Budget.Delta == 0 {
		return &pureFilter
	}
	if _, err := muSquareCost.of(first); err == nil && !o.Mixed {
		return &gaussianFilter
	}
	return &concentratedFilter
}

// Spend adds an event. An event that the budget does not pay for is refused with an error that wraps ErrSpent, one that cannot be
// accounted adaptively with one that wraps ErrUnsupported; both leave the odometer as it was.
func (o *Odometer) Spend(e Event) error {
	if err := o.Budget.Validate(); err != nil {
		return err
	}
	if err := checkArguments(e, 0, o.Budget.Delta); err != nil {
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
	epsilon := by.epsilon(cost, o.Budget.Delta)
	if !(epsilon <= o.Budget.Epsilon) {
		return fmt.Errorf("privacy: %w: %v would bring epsilon from %.4g to %.4g of %v", ErrSpent, e, o.spent, epsilon, o.Budget)
	}
	o.by, o.cost, o.spent = by, cost, epsilon
	return nil
}

// Spent returns the epsilon at the budget's delta of the events so far, as if they had been fixed in advance. What holds of a run that chooses its events, or
// when to stop, by what it has seen is the budget.
func (o *Odometer) Spent() float64 { return o.spent }
