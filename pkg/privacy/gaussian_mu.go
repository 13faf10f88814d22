package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// GaussianMu returns the largest mu whose Gaussian mechanism is within a budget, never above the
// truth. A release of L2 sensitivity D then needs the standard deviation D/mu. It is +Inf for
// epsilon = +Inf.
func GaussianMu(b Budget) (float64, error) {
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
