package account

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
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
func OptimalDelta(eps0, delta0 float64, k int, epsilon float64) float64 {
	switch {
	case !(eps0 >= 0) || !(delta0 >= 0 && delta0 < 1) || k < 0 || k > 1<<24 || !(epsilon >= 0):
		return 1
	case k == 0:
		return 0
	case math.IsInf(eps0, 1):
		return 1
	}
	log := -float64(k) * portable.Log1p(portable.Exp(-eps0)) // of C(k,l) p^(k-l) (1-p)^l
	sum := 0.0
	for l := 0; 2*l < k; l++ {
		gap := float64(float64(k-2*l)*eps0*(1+0x1p-51)) - epsilon
		if !(gap > 0) { // also where both are beyond all numbers
			break
		}
		sum += math.Max(float64(portable.Exp(log)*-portable.Expm1(-gap)), math.SmallestNonzeroFloat64)
		log += portable.Log(float64(k-l)/float64(l+1)) - eps0
	}
	// log rounds up to k times. It is below 2^6 k in size, and of many releases below k where a term
	// counts.
	sum *= 1 + math.Max(float64(float64(k+8)*0x1p-46), float64(float64(k)*float64(k)*0x1p-53))
	delta := -portable.Expm1(float64(float64(k)*portable.Log1p(-delta0)) + portable.Log1p(-math.Min(1, sum)))
	return math.Min(1, delta*(1+0x1p-49))
}

// OptimalEpsilon returns the least epsilon >= 0 with OptimalDelta(eps0, delta0, k, epsilon) <=
// delta. It is +Inf if delta is less than what the deltas of the nodes compose to, and unless delta
// is in [0, 1) and the nodes are as OptimalDelta wants them.
func OptimalEpsilon(eps0, delta0 float64, k int, delta float64) float64 {
	switch {
	case !(delta >= 0 && delta < 1):
		return math.Inf(1)
	case OptimalDelta(eps0, delta0, k, math.Inf(1)) > delta:
		return math.Inf(1)
	case OptimalDelta(eps0, delta0, k, 0) <= delta:
		return 0
	}
	return numeric.Least(func(epsilon float64) bool { return OptimalDelta(eps0, delta0, k, epsilon) <= delta })
}
