package bernoulli

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// DEps returns the information that an observation of a Bernoulli arm of mean x gives against the
// mean y under epsilon-DP (Azize, Wu, Honda, Orabona, Ito, Basu 2025),
//
//	d_eps(x, y) = inf_z eps |z-x| + kl(z, y),
//
// for x and y in [0, 1] and eps > 0. d_inf is kl.
//
// For x < y the derivative in z of the sum, eps + ln(z/y) - ln((1-z)/(1-y)), vanishes at z* = y/(y
// + (1-y) e^eps) < y. So the infimum is at z = max(x, z*): it is kl(x, y) if x >= z*, and otherwise
// -eps x - ln(1 - y + y e^-eps). For x > y exchange 0 and 1.
func DEps(eps, x, y float64) float64 {
	if x > y {
		x, y = 1-x, 1-y
	}
	if math.IsInf(eps, 1) || x == y {
		return KL(x, y)
	}
	if y == 1 {
		return float64(eps * (1 - x)) // z* = 1
	}
	shrink := portable.Exp(-eps)
	rest := float64(y * shrink)
	if float64(x*(rest+(1-y))) >= rest { // x >= z*
		return KL(x, y)
	}
	gain := -float64(y * portable.Expm1(-eps)) // y (1 - e^-eps)
	if gain > 0.5 {
		return max(0, -float64(eps*x)-portable.Log(rest+(1-y)))
	}
	return max(0, -float64(eps*x)-portable.Log1p(-gain))
}

// UpperDEps returns max{q <= 1: d_eps(mean, q) <= level} for a mean in [0, 1] and a level >= 0. k
// computes the part where d_eps is kl.
func UpperDEps(k *Upper, eps, mean, level float64) float64 {
	if math.IsInf(eps, 1) {
		return k.At(mean, level)
	}
	shrink := portable.Exp(-eps)
	edge := mean / (mean + float64((1-mean)*shrink)) // d_eps is kl up to here
	if mean > 0 && KL(mean, edge) >= level {
		return min(k.At(mean, level), 1)
	}
	// -eps mean - ln(1 - q (1-e^-eps)) = level
	return onGrid(min(1, -portable.Expm1(-(level+float64(eps*mean)))/-portable.Expm1(-eps)))
}
