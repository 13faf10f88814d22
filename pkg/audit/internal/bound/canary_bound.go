package bound

import (
	"sort"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Auditing in one run: Steinke, Nasr, Jagielski, "Privacy auditing with one (1) training run",
// NeurIPS 2023.
//
// Each of m records, the canaries, is one of two neighbouring versions, by a fair coin of its own.
// From the release of one run the attacker guesses r of the m coins, those of which it is surest.
//
// If the mechanism is (epsilon, 0)-private, then given the release and the other coins a coin is on
// its likelier side with probability at most e^epsilon/(1+e^epsilon), by Bayes' rule. Going through
// the canaries one by one, the number of right guesses is stochastically dominated by W ~
// Binomial(r, e^epsilon/(1+e^epsilon)).
//
// With delta > 0 a canary's release is that of an (epsilon, 0)-private mechanism except with
// probability 2 delta (delta for each version); then its guess may be right for sure. So W + F
// dominates, where F is a count of at most m with expectation at most 2 m delta, and nothing else
// is known about F. Under that constraint P(W + F >= v) is largest if all mass of F is on 0 and one
// other value i:
//
//	P(right >= v) <= P(W >= v) + 2 m delta max_i P(v-i <= W < v)/i    (their Theorem 5.2).

// The mean of the i masses below v grows with i as long as the next mass exceeds it. It does so up
// to the mode; from some i on, beyond the mode, it never grows again.

// CanaryP returns that bound: the p-value, against (epsilon, delta), of v right guesses of r among
// m canaries.
func CanaryP(v, r, m int, epsilon, delta float64) float64 {
	right, wrong := 1/(1+portable.Exp(-epsilon)), 1/(1+portable.Exp(epsilon))
	if v <= 0 || wrong == 0 {
		return 1
	}
	tail := func(k int) float64 { // P(W >= k)
		if k <= 0 {
			return 1
		}
		return portable.RegIncBeta(float64(k), float64(r-k)+1, right)
	}
	p := tail(v)
	if delta == 0 {
		return p
	}
	mass := func(k int) float64 {
		return portable.Exp(logChoose(r, k) + float64(float64(k)*portable.Log(right)) + float64(float64(r-k)*portable.Log(wrong)))
	}
	mean := func(i int) float64 { return (tail(v-i) - p) / float64(i) }
	mode := int(float64(r+1) * right)
	// This is the first i at which the next mass is not above the mean.
	i := 1 + sort.Search(v-1, func(j int) bool {
		k := v - 2 - j // i = j+1
		return k < mode && !(mass(k) > mean(j+1))
	})
	return min(1, p+float64(2*float64(m)*delta*mean(i)))
}

func logChoose(n, k int) float64 {
	return portable.Lgamma(float64(n+1)) - portable.Lgamma(float64(k+1)) - portable.Lgamma(float64(n-k+1))
}

// CanaryEpsilon returns the largest epsilon that v right guesses of r exclude with confidence
// 1-alpha, or 0 if there is none. Where the bound is not monotone, it is the largest up to the
// search's grid.
func CanaryEpsilon(v, r, m int, delta, alpha float64) float64 {
	if CanaryP(v, r, m, 0, delta) > alpha {
		return 0
	}
	lo, hi := 0.0, 1.0
	for CanaryP(v, r, m, hi, delta) <= alpha {
		if lo, hi = hi, 2*hi; hi > 1000 {
			return lo
		}
	}
	for range 60 {
		if mid := lo + float64((hi-lo)/2); CanaryP(v, r, m, mid, delta) <= alpha {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
