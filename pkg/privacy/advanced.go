package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// AdvancedEpsilon returns the epsilon of a k-fold adaptive composition of (eps0, delta0)-private
// releases, by the advanced composition theorem as the papers print it,
//
//	eps = eps0 sqrt(2 k ln(1/slack)) + k eps0 (e^eps0 - 1),   delta = k delta0 + slack
//
// (Dwork, Rothblum, Vadhan 2010, Thm. III.3). It holds for any mechanism, and is loose for Gaussian
// noise. It is +Inf unless eps0 and k are at least 0 and slack is in (0, 1).
func AdvancedEpsilon(eps0 float64, k int, slack float64) float64 {
	switch {
	case !(eps0 >= 0) || k < 0 || !(slack > 0 && slack < 1):
		return math.Inf(1)
	case eps0 == 0 || k == 0:
		return 0
	}
	return float64(eps0*math.Sqrt(2*float64(k)*portable.Log(1/slack))) + float64(float64(k)*eps0*portable.Expm1(eps0))
}

// AdvancedNode returns the budget of each of k releases by the rule of thumb in JDP, Section 4:
// eps0 = eps/sqrt(8 k ln(2/delta)), delta0 = delta/(2k). The rule gives half of delta to the nodes
// and half to the slack. The caller must check that AdvancedEpsilon(eps0, k, delta/2) <= eps, which
// fails for large eps. Without a valid budget and k >= 1 the node is Budget{}, which is not valid.
func (b Budget) AdvancedNode(k int) Budget {
	if b.Validate() != nil || k < 1 {
		return Budget{}
	}
	return Budget{b.Epsilon / math.Sqrt(8*float64(k)*portable.Log(2/b.Delta)), b.Delta / (2 * float64(k))}
}

// AdvancedNodeEpsilon returns the largest eps0 with AdvancedEpsilon(eps0, k, slack) <= epsilon, for
// a budget of epsilon and the slack. It is 0 without a valid budget and k >= 1.
func (b Budget) AdvancedNodeEpsilon(k int) float64 {
	if b.Validate() != nil || k < 1 {
		return 0
	}
	over := numeric.Bisect(0, math.Min(b.Epsilon, 700), func(eps0 float64) bool { return AdvancedEpsilon(eps0, k, b.Delta) > b.Epsilon })
	return over * (1 - 1e-12)
}
