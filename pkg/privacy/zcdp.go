package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// ZCDP returns the largest rho for which rho-zCDP implies the budget by the standard conversion:
// rho = (sqrt(ln(1/delta) + eps) - sqrt(ln(1/delta)))^2 (Bun and Steinke 2016, Prop. 1.3). A
// Gaussian release of L2 sensitivity D then needs the standard deviation D/sqrt(2 rho). It is +Inf
// for epsilon = +Inf.
func (b Budget) ZCDP() (float64, error) {
	if err := b.Approximate(); err != nil {
		return 0, err
	}
	if b.None() {
		return math.Inf(1), nil
	}
	l := -portable.Log(b.Delta)
	// This is the difference of the roots without cancellation.
	root := b.Epsilon / (math.Sqrt(l+b.Epsilon) + math.Sqrt(l))
	return root * root, nil
}

// ConcentratedRho returns the largest rho for which rho-zCDP implies the budget, at the best Rényi
// order. It inverts ConcentratedEpsilon, to rounding and on the safe side, and is at least what
// ZCDP returns. It is +Inf for epsilon = +Inf.
func (b Budget) ConcentratedRho() (float64, error) {
	low, err := b.ZCDP() // the standard conversion is a lower bound
	if err != nil || b.None() {
		return low, err
	}
	high := max(2*low, 1e-300) // the standard conversion may underflow to 0
	for account.ConcentratedDelta(high, b.Epsilon) <= b.Delta {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := low + float64((high-low)/2); account.ConcentratedDelta(middle, b.Epsilon) <= b.Delta {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return 0, fmt.Errorf("privacy: no zCDP for epsilon = %v, delta = %v", b.Epsilon, b.Delta)
	}
	return low, nil
}
