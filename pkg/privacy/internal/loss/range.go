package loss

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// BoundedRange returns the pair that dominates every mechanism whose privacy loss has a range
// of at most epsilon, such as a pick by the exponential mechanism or by the noisy maximum with
// Gumbel noise (Durfee and Rogers 2019).
//
// For two neighbours the loss of such a mechanism lies in [t - epsilon, t] for some t in [0,
// epsilon]. Of all pairs with such losses, the response of two outputs with losses t and t -
// epsilon has the highest curve (Dong, Durfee and Rogers, "Optimal differential privacy composition
// for exponential mechanisms", 2020). With a = e^(epsilon/2) it is
//
//	H_t(x) = (e^-t - a^-2) (e^t - x)/(1 - a^-2) for e^(t-epsilon) <= x <= e^t.
//
// Over t it is largest at e^t = a sqrt x, where it is H(x) = (a - sqrt x)^2/(a^2 - 1), for a^-2 <=
// x <= a^2. Below that range the maximum is 1 - x, above it 0. H is convex and falls, and joins
// both lines with their slopes. So it is the curve of a pair: that whose loss l has the density x^2
// H"(x) = (a/2) e^(l/2)/(a^2 - 1), at x = e^l, on [-epsilon, epsilon] under P.
//
// A pair that dominates each step, whatever came before, dominates adaptive composition too (Zhu,
// Dong, Wang 2022, Thm. 10). The pair is exact for a single mechanism whose t an adversary chooses.
// For a composition it is an upper bound, since H belongs to no single t.
func BoundedRange(epsilon float64) (Pair, error) {
	if err := finiteEpsilon(epsilon); err != nil {
		return Pair{}, err
	}
	if epsilon > mostLoss {
		return Pair{}, fmt.Errorf("privacy: epsilon = %v of a bounded range, want at most %v", epsilon, mostLoss)
	}
	all := -portable.Expm1(-epsilon) // 1 - a^-2
	part := func(a, b float64) (p, share, rel, off float64) {
		from, to := math.Max(a, -epsilon), math.Min(b, epsilon)
		if from >= to {
			return 0, 0, 0, 0
		}
		half := float64((to - from) / 2)
		rel = 4e-16 * (4 + epsilon + (math.Abs(from)+math.Abs(to))/(to-from))
		p = portable.Exp((from-epsilon)/2) * portable.Expm1(half) / all
		return p, portable.Exp(a - from - half), rel, 4e-16 * (1 + math.Abs(a) + math.Abs(from))
	}
	return Pair{part: func() lossPart { return part }, from: -epsilon, to: epsilon, sup: epsilon,
		group: func(k int) (Pair, error) { return BoundedRange(float64(k) * epsilon) }}, nil
}
