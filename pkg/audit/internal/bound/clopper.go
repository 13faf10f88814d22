// Package bound turns counts and samples into bounds that hold with a stated confidence.
//
//   - [Lower], [Upper]: on the rate of an event; [Needed]: how many runs decide
//   - [Bet], [Excess]: on the mean of numbers in [0, 1], by betting against it
//   - [CanaryEpsilon], [CanaryMu]: on epsilon and mu, by guesses of one run
package bound

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Bounds on the probability of an event that was seen in k of n independent runs.
//
// They are the exact ones of Clopper and Pearson, "The use of confidence or fiducial limits
// illustrated in the case of the binomial", Biometrika 26, 1934. Each fails with probability at
// most alpha whatever the true rate. Two of them, for two rates, fail with probability at most 2
// alpha together (Bonferroni).

// Upper returns the upper Clopper-Pearson bound at level 1-alpha, the (1-alpha)-quantile of
// Beta(k+1, n-k). k may be a fraction, 0 <= k <= n.
func Upper(k, n, alpha float64) float64 { return 1 - Lower(n-k, n, alpha) }

// Lower returns the lower bound at level 1-alpha, the alpha-quantile of Beta(k, n-k+1).
func Lower(k, n, alpha float64) float64 {
	switch {
	case k <= 0:
		return 0
	case k >= n:
		return portable.Pow(alpha, 1/n)
	}
	// The quantile is found by bisection on the distribution, whose value is checked in tests. The
	// bracket is relative, so that rates of 1e-9 keep their digits. So does 1 - quantile, as upper
	// bounds are wanted for rare events.
	lo, hi := 0.0, k/n
	for range 100 {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi || hi-lo < 1e-13*hi {
			break
		}
		if portable.RegIncBeta(k, n-k+1, mid) <= alpha {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// excludes returns the largest epsilon that an event excludes with confidence 1-alpha, if it is
// seen in k of n runs in one world and in j of n in the other. It is -Inf if there is none.
func excludes(k, j, n, delta, alpha float64) float64 {
	return LogRatio(Lower(k, n, alpha/2)-delta, Upper(j, n, alpha/2))
}

// LogRatio returns ln(p/q); -Inf if p <= 0.
func LogRatio(p, q float64) float64 {
	if p <= 0 {
		return math.Inf(-1)
	}
	return portable.Log(p / q)
}

// Screen returns what excludes does, with Wilson's bounds (JASA 22, 1927) in place of the exact
// ones. They are fast and close, but good only for choosing an event. z is the normal quantile of 1
// - alpha/2. Where nothing is excluded, an event that comes closer still scores higher.
func Screen(k, j, n, delta, z float64) float64 {
	pLo, _ := Wilson(k, n, z)
	_, qHi := Wilson(j, n, z)
	if pLo <= delta {
		return pLo - delta - 1e6
	}
	return portable.Log((pLo - delta) / qHi)
}

func Wilson(k, n, z float64) (lo, hi float64) {
	square := float64(z * z)
	centre := (k + float64(square/2)) / (n + square)
	half := float64(z / (n + square) * math.Sqrt(k*(n-k)/n+float64(square/4)))
	return max(0, centre-half), min(1, centre+half)
}

// Quantile returns the normal quantile of 1-alpha.
func Quantile(alpha float64) float64 { return -portable.NormalQuantile(alpha) }

// Needed returns the least number of tested runs at which an event of rates p and q would exclude
// epsilon at delta, with confidence 1-alpha. It is +Inf if p <= e^epsilon q + delta.
func Needed(p, q float64, epsilon, delta, alpha float64) float64 {
	if p <= float64(portable.Exp(epsilon)*q)+delta {
		return math.Inf(1)
	}
	z := Quantile(alpha / 2)
	enough := func(n float64) bool {
		if n > 1e8 { // Wilson's bounds equal the exact ones here, whose series are long
			return Screen(p*n, q*n, n, delta, z) > epsilon
		}
		return excludes(p*n, q*n, n, delta, alpha) > epsilon
	}
	hi := 2.0
	for !enough(hi) {
		if hi *= 2; hi > 1e18 {
			return math.Inf(1)
		}
	}
	for lo := hi / 2; hi-lo > 1 && hi-lo > 1e-6*hi; {
		if mid := math.Ceil(lo + float64((hi-lo)/2)); enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
