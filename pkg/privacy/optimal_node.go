package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// OptimalNodeEpsilon returns the largest eps0 for which k (eps0, delta0)-private releases are
// within a budget, and 0 if there is none: if the budget is not valid, k < 1 or delta0 not in [0,
// 1), too. It is +Inf for epsilon = +Inf.
func (b Budget) OptimalNodeEpsilon(k int, delta0 float64) float64 {
	switch least := account.OptimalDelta(0, delta0, k, b.Epsilon); {
	case b.Validate() != nil || k < 1 || least > b.Delta:
		return 0
	case b.None():
		return math.Inf(1)
	}
	over := numeric.Least(func(eps0 float64) bool { return account.OptimalDelta(eps0, delta0, k, b.Epsilon) > b.Delta })
	return math.Nextafter(over, 0)
}
