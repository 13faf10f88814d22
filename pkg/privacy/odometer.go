package privacy

import (
	"errors"
	"fmt"
)

// ErrSpent is wrapped by the error for an event that a budget does not pay for.
var ErrSpent = errors.New("the privacy budget is spent")

// Odometer adds up what is released about the same records, where the next event may be chosen by what the ones before it released, its
// cost included, and refuses what a budget does not pay for. Such full adaptivity is not for every accountant: it holds for pure events (delta = 0), for
// zero-concentrated ones (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers, Wu 2023) and, exactly, for Gaussian ones (Koskela, Tobaben, Honkela 2023;
// Smith and Thakurta 2022). It uses the exact accountant while all events are Gaussian, and zCDP's from the first other one on.
type Odometer struct {
	Budget Budget // no default
	events Sequence
	spent  float64
}

// accountants returns those that may be used, the sharpest first.
func (o *Odometer) accountants() []Accountant {
	if o.Budget.Delta == 0 {
		return []Accountant{Pure{}}
	}
	return []Accountant{GDP{}, Concentrated{}}
}

// Spend adds an event. An event that the budget does not pay for is refused with an error that wraps ErrSpent, one that cannot be
// accounted adaptively with one that wraps ErrUnsupported; both leave the odometer as it was.
func (o *Odometer) Spend(e Event) error {
	if err := o.Budget.Validate(); err != nil {
		return err
	}
	if e == nil {
		return errors.New("privacy: the event is nil")
	}
	with := append(o.events[:len(o.events):len(o.events)], e)
	var refusals []error
	for _, a := range o.accountants() {
		epsilon, err := a.Epsilon(with, o.Budget.Delta)
		switch {
		case err != nil:
			refusals = append(refusals, err)
			continue
		case epsilon > o.Budget.Epsilon:
			return fmt.Errorf("privacy: %w: %v would bring epsilon from %.4g to %.4g of %v", ErrSpent, e, o.spent, epsilon, o.Budget)
		}
		o.events, o.spent = with, epsilon
		return nil
	}
	return errors.Join(refusals...)
}

// Spent returns the epsilon spent so far at the budget's delta.
func (o *Odometer) Spent() float64 { return o.spent }
