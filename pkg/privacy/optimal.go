package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// OptimalDelta returns the least delta at which k adaptively chosen releases, of which only (eps0,
// delta0)-privacy is known, are (epsilon, delta)-private:
//
//	1 - delta = (1-delta0)^k (1 - s),
//	s = sum over l of C(k,l) p^(k-l) (1-p)^l (1 - e^(epsilon - (k-2l) eps0))+,
//
// with p = e^eps0/(1 + e^eps0) (Kairouz, Oh, Viswanath 2015, Thm. 3.3). No smaller bound holds for
// all such releases. The result is rounded up; the time is proportional to k.
//
// It is 1 unless eps0 and epsilon are at least 0, delta0 is in [0, 1), and k in [0, 2^24].
func OptimalDelta(node Budget, k int, epsilon float64) float64 {
	switch {
	case !(node.Epsilon >= 0) || !(node.Delta >= 0 && node.Delta < 1) || k < 0 || k > 1<<24 || !(epsilon >= 0):
		return 1
	case k == 0:
		return 0
	case node.None():
		return 1
	}
	log := -float64(k) * portable.Log1p(portable.Exp(-node.Epsilon)) // of C(k,l) p^(k-l) (1-p)^l
	sum := 0.0
	for l := 0; 2*l < k; l++ {
		gap := float64(float64(k-2*l)*node.Epsilon*(1+0x1p-51)) - epsilon
		if gap <= 0 {
			break
		}
		sum += math.Max(float64(portable.Exp(log)*-portable.Expm1(-gap)), math.SmallestNonzeroFloat64)
		log += portable.Log(float64(k-l)/float64(l+1)) - node.Epsilon
	}
	// log rounds up to k times. It is below 2^6 k in size, and of many releases below k where a term
	// counts.
	sum *= 1 + math.Max(float64(float64(k+8)*0x1p-46), float64(float64(k)*float64(k)*0x1p-53))
	delta := -portable.Expm1(float64(float64(k)*portable.Log1p(-node.Delta)) + portable.Log1p(-math.Min(1, sum)))
	return math.Min(1, delta*(1+0x1p-49))
}

// OptimalEpsilon returns the least epsilon >= 0 with OptimalDelta(node, k, epsilon) <= delta. It is
// +Inf if delta is less than what the deltas of the nodes compose to, and unless delta is in [0, 1)
// and the nodes are as OptimalDelta wants them.
func OptimalEpsilon(node Budget, k int, delta float64) float64 {
	switch {
	case !(delta >= 0 && delta < 1):
		return math.Inf(1)
	case OptimalDelta(node, k, math.Inf(1)) > delta:
		return math.Inf(1)
	case OptimalDelta(node, k, 0) <= delta:
		return 0
	}
	return least(func(epsilon float64) bool { return OptimalDelta(node, k, epsilon) <= delta })
}

// OptimalNodeEpsilon returns the largest eps0 for which k (eps0, delta0)-private releases are
// within a budget, and 0 if there is none: if the budget is not valid, k < 1 or delta0 not in [0,
// 1), too. It is +Inf for epsilon = +Inf.
func OptimalNodeEpsilon(b Budget, k int, delta0 float64) float64 {
	switch least := OptimalDelta(Budget{Delta: delta0}, k, b.Epsilon); {
	case b.Validate() != nil || k < 1 || least > b.Delta:
		return 0
	case b.None():
		return math.Inf(1)
	}
	over := least(func(eps0 float64) bool { return OptimalDelta(Budget{eps0, delta0}, k, b.Epsilon) > b.Delta })
	return math.Nextafter(over, 0)
}
