package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// Budget is a privacy budget (epsilon, delta). Epsilon = +Inf means no privacy at all.
type Budget struct {
	Epsilon float64 // > 0
	Delta   float64 // in [0, 1)
}

// Validate returns an error if a field is out of its range.
func (b Budget) Validate() error {
	if !(b.Epsilon > 0) {
		return fmt.Errorf("privacy: epsilon = %v, want > 0", b.Epsilon)
	}
	if !(b.Delta >= 0 && b.Delta < 1) {
		return fmt.Errorf("privacy: delta = %v, want in [0, 1)", b.Delta)
	}
	return nil
}

// Approximate validates the budget for noise that has no pure guarantee: it also refuses delta = 0,
// unless epsilon = +Inf.
func (b Budget) Approximate() error {
	if err := b.Validate(); err != nil {
		return err
	}
	if b.Delta == 0 && !b.None() {
		return fmt.Errorf("privacy: delta = 0, want in (0, 1): Gaussian and Wishart noise have no pure guarantee")
	}
	return nil
}

// None reports whether the budget asks for no privacy: epsilon = +Inf.
func (b Budget) None() bool { return math.IsInf(b.Epsilon, 1) }

func (b Budget) String() string { return fmt.Sprintf("(%.4g, %.4g)", b.Epsilon, b.Delta) }

// GaussianMu returns the largest mu whose Gaussian mechanism is within a budget, never above the
// truth. A release of L2 sensitivity D then needs the standard deviation D/mu. It is +Inf for
// epsilon = +Inf.
func (b Budget) GaussianMu() (float64, error) {
	if err := b.Approximate(); err != nil {
		return 0, err
	}
	if b.None() {
		return math.Inf(1), nil
	}
	over := numeric.Least(func(mu float64) bool { return account.GaussianDelta(b.Epsilon, mu) > b.Delta })
	mu := math.Nextafter(over, 0)
	if mu == 0 || math.IsInf(over, 1) {
		return 0, fmt.Errorf("privacy: no Gaussian for epsilon = %v, delta = %v", b.Epsilon, b.Delta)
	}
	return mu, nil
}
