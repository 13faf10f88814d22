package privacy

import (
	"fmt"
	"math"
)

// Exact accounting of Gaussian noise. A release with L2 sensitivity D and standard deviation sigma is mu-GDP
// with mu = D/sigma, an adaptive sequence of them with mu = sqrt(sum mu_i^2), and both are tight
// (Dong, Roth, Su, "Gaussian differential privacy", 2022, Cor. 3.3; Balle and Wang, "Improving the
// Gaussian mechanism", 2018, Thm. 8).

// GaussianDelta returns the least delta at which a mu-GDP mechanism with the privacy curve of a
// Gaussian is (epsilon, delta)-private: Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
// mu >= 0; epsilon may be any number.
func GaussianDelta(epsilon, mu float64) float64 {
	if mu == 0 {
		return math.Max(0, -math.Expm1(epsilon))
	}
	a, b := epsilon/mu-mu/2, epsilon/mu+mu/2 // b >= a
	if a > 0 {
		// Both terms are small: factor the density out, phi(a) = e^eps phi(b), so that
		// delta = phi(a) (M(a) - M(b)) with Mills' ratio M(z) = (1-Phi(z))/phi(z), which falls in z.
		return math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) * (mills(a) - mills(b))
	}
	return 0.5*math.Erfc(a/math.Sqrt2) - math.Exp(epsilon+logSurvival(b))
}

// mills returns Mills' ratio (1-Phi(z))/phi(z), for any z that does not overflow it (z > -35).
func mills(z float64) float64 {
	if z < 5 {
		return 0.5 * math.Erfc(z/math.Sqrt2) * math.Exp(z*z/2) * math.Sqrt(2*math.Pi)
	}
	// Laplace's continued fraction, exact to rounding here with 60 terms; the product above loses z^2 units in
	// the last place, which the difference of two ratios would magnify.
	f := z
	for k := 60.0; k >= 1; k-- {
		f = z + k/f
	}
	return 1 / f
}

// logSurvival returns ln(1 - Phi(z)) without underflow.
func logSurvival(z float64) float64 {
	if z < 30 {
		return math.Log(0.5 * math.Erfc(z/math.Sqrt2))
	}
	return math.Log(mills(z)/math.Sqrt(2*math.Pi)) - z*z/2
}

// GaussianEpsilon returns the least epsilon >= 0 at which a mu-GDP mechanism is (epsilon, delta)-private. It is 0 where
// the total variation distance 2 Phi(mu/2) - 1 is at most delta, +Inf for mu > 0 at delta = 0, and NaN if an argument is.
func GaussianEpsilon(delta, mu float64) float64 {
	if math.IsNaN(delta) || math.IsNaN(mu) {
		return math.NaN()
	}
	if mu == 0 || GaussianDelta(0, mu) <= delta {
		return 0
	}
	if delta <= 0 || math.IsInf(mu, 1) {
		return math.Inf(1)
	}
	hi := 1.0
	for GaussianDelta(hi, mu) > delta {
		hi *= 2
	}
	return bisect(0, hi, func(epsilon float64) bool { return GaussianDelta(epsilon, mu) <= delta })
}

// GaussianMu returns mu*(epsilon, delta), the largest mu whose Gaussian is (epsilon, delta)-private; a release
// of L2 sensitivity D then needs the standard deviation D/mu*. It is +Inf for epsilon = +Inf.
func GaussianMu(b Budget) (float64, error) {
	if err := b.Approximate(); err != nil {
		return 0, err
	}
	if b.None() {
		return math.Inf(1), nil
	}
	hi := 1.0
	for GaussianDelta(b.Epsilon, hi) <= b.Delta {
		if hi *= 2; hi > 1e9 {
			return 0, fmt.Errorf("privacy: no Gaussian for epsilon = %v, delta = %v", b.Epsilon, b.Delta)
		}
	}
	// bisect returns the upper end of its bracket, here a mu just too large: the lower one is wanted.
	lo, width := 0.0, hi
	for range 200 {
		width /= 2
		if mid := lo + width; GaussianDelta(b.Epsilon, mid) <= b.Delta {
			lo = mid
		}
	}
	return lo, nil
}

// bisect returns, to rounding, the least x in (lo, hi] with ok(x), for an ok that once true stays true.
func bisect(lo, hi float64, ok func(float64) bool) float64 {
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
