package account

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// Exact accounting of Gaussian noise. A release with L2 sensitivity D and standard deviation sigma
// is mu-GDP with mu = D/sigma. An adaptive sequence of releases is mu-GDP with mu = sqrt(sum
// mu_i^2). Both are tight (Dong, Roth, Su, "Gaussian differential privacy", 2022, Cor. 3.3; Balle
// and Wang, "Improving the Gaussian mechanism", 2018, Thm. 8).

// GaussianDelta returns the least delta at which a Gaussian mechanism of parameter mu is (epsilon,
// delta)-private: Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
//
// It is never below the truth, and above it by at most a relative 1e-12. Where the truth is too
// small for a float64 it is the least positive one. epsilon may be any number. Without one, or
// unless mu >= 0, delta is 1.
func GaussianDelta(epsilon, mu float64) float64 {
	switch {
	case math.IsNaN(epsilon) || !(mu >= 0):
		return 1
	case epsilon < 0: // H_e of (P, Q) by that of (Q, P), whose curve is the same
		delta := -portable.Expm1(epsilon)
		if mu > 0 {
			delta += float64(portable.Exp(epsilon) * GaussianDelta(-epsilon, mu))
		}
		return math.Min(1, delta*(1+0x1p-50))
	case mu == 0:
		return 0
	case math.IsInf(mu, 1):
		return 1
	case math.IsInf(epsilon, 1):
		return 0
	}
	a := math.FMA(-mu/2, mu, epsilon) / mu // eps/mu - mu/2 without cancellation
	b := epsilon/mu + float64(mu/2)
	var delta float64
	switch {
	case a > 40:
		return math.SmallestNonzeroFloat64
	case mu <= 1:
		delta = density(a) * millsFall(epsilon/mu, mu)
	case a > 0:
		delta = density(a) * (mills(a) - mills(b))
	default:
		return math.Min(1, (float64(0.5*portable.Erfc(a/math.Sqrt2))-float64(density(a)/densityScale*mills(b)))*(1+0x1p-48))
	}
	// The exponent of the density is off by some a^2 units in the last place, the rest by a few.
	delta *= 1 + float64((32+float64(4*a*a))*0x1p-52)
	return math.Nextafter(math.Min(1, delta/densityScale), 2)
}

// densityScale keeps density from losing digits to underflow before it is multiplied.
const densityScale = 0x1p400

// density returns the standard normal density, times densityScale.
func density(a float64) float64 {
	root := portable.Exp(-a * a / 4)
	return root * densityScale * root / math.Sqrt(2*math.Pi)
}

// The derivatives of Mills' ratio M(z) = (1-Phi(z))/phi(z) are +-I_k(z), where I_k(z) is the
// integral of v^k e^{-zv-v^2/2} over v > 0: I_0 = M, I_1 = 1 - z I_0, I_{k+1} = k I_{k-1} - z I_k.

// fraction fills r with r[k] = I_k(z)/I_{k-1}(z) for k >= 1, and returns r_1. It uses Laplace's
// continued fraction r_k = k/(z + r_{k+1}), for z >= 1, in which no terms cancel.
func fraction(z float64, r []float64) float64 {
	k := 40 + math.Ceil(400/(z*z))
	f := k / (z + math.Sqrt(k))
	for k--; k >= 1; k-- {
		f = k / (z + f)
		if int(k) < len(r) {
			r[int(k)] = f
		}
	}
	return f
}

// mills returns Mills' ratio at z >= 0.
func mills(z float64) float64 {
	if z < 1 {
		return math.Sqrt(math.Pi/2) * portable.Erfc(z/math.Sqrt2) * portable.Exp(z*z/2)
	}
	return 1 / (z + fraction(z, nil))
}

// millsFall returns M(z - h/2) - M(z + h/2) for z >= 0 and h <= 1. It sums Taylor's series about z,
// 2 I_k(z) (h/2)^k/k! over odd k: the even terms cancel, and all others are positive.
func millsFall(z, h float64) float64 {
	const terms = 20
	var i [terms + 1]float64
	if z < 1 {
		i[0] = mills(z)
		i[1] = 1 - float64(z*i[0])
		for k := 1; k < terms; k++ {
			i[k+1] = float64(float64(k)*i[k-1]) - float64(z*i[k])
		}
	} else {
		i[0] = 1 / (z + fraction(z, i[:]))
		for k := 1; k <= terms; k++ { // r holds ratios until here
			i[k] *= i[k-1]
		}
	}
	sum, weight := 0.0, 1.0
	for k := 1; k < terms; k += 2 {
		sum += float64(i[k] * weight)
		weight *= h * h / 4 / float64((k+1)*(k+2))
	}
	return h * sum
}

// GaussianEpsilon returns the least epsilon >= 0 at which a Gaussian mechanism of parameter mu is
// (epsilon, delta)-private, never below the truth. It is 0 where the total variation distance 2
// Phi(mu/2) - 1 is at most delta. It is +Inf for mu > 0 at delta = 0, and unless mu >= 0 and delta
// is in [0, 1).
//
// GDP{}.Epsilon(GaussianEvent{mu}, delta) is the same number, and its arguments cannot be swapped.
func GaussianEpsilon(delta, mu float64) float64 {
	if !(mu >= 0) || !(delta >= 0 && delta < 1) {
		return math.Inf(1)
	}
	if mu == 0 || GaussianDelta(0, mu) <= delta {
		return 0
	}
	if delta <= 0 || math.IsInf(mu, 1) {
		return math.Inf(1)
	}
	return numeric.Least(func(epsilon float64) bool { return GaussianDelta(epsilon, mu) <= delta })
}
