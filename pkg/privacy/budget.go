// Package privacy holds what a privacy guarantee is made of: budgets, the events that spend them, the
// accountants that say what events cost, the claims that mechanisms make, and the interfaces through
// which a private learner sees its data. Logarithms are natural.
package privacy

import (
	"fmt"
	"math"
)

// Budget is an (epsilon, delta) pair. Epsilon = +Inf means no privacy at all.
type Budget struct {
	Epsilon float64 // > 0
	Delta   float64 // in [0, 1)
}

// Validate reports a field that is out of its range.
func (b Budget) Validate() error {
	if !(b.Epsilon > 0) {
		return fmt.Errorf("privacy: epsilon = %v, want > 0", b.Epsilon)
	}
	if !(b.Delta >= 0 && b.Delta < 1) {
		return fmt.Errorf("privacy: delta = %v, want in [0, 1)", b.Delta)
	}
	return nil
}

// Approximate is Validate for mechanisms that no delta of zero can pay for.
func (b Budget) Approximate() error {
	if err := b.Validate(); err != nil {
		return err
	}
	if b.Delta == 0 && !b.None() {
		return fmt.Errorf("privacy: delta = 0, want in (0, 1): Gaussian and Wishart noise have no pure guarantee")
	}
	return nil
}

// None reports that the budget asks for no privacy.
func (b Budget) None() bool { return math.IsInf(b.Epsilon, 1) }

func (b Budget) String() string { return fmt.Sprintf("(%.4g, %.4g)", b.Epsilon, b.Delta) }
