// Package amplified says what shuffling makes of Gaussian messages.
package amplified

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// MixedDelta returns a delta at which n shuffled messages, each mu-GDP locally, are (epsilon,
// delta)-private under the replacement of one user's data. The order is uniformly random.
//
// All messages of a batch must be made by one randomiser, public before the first of them. It is 1
// unless mu and epsilon are at least 0 and n at least 1.
//
// It is amplification by shuffling (Feldman, McMillan, Talwar, "Hiding among the clones", 2021).
// For every e0 the messages are (e0, d0)-private with d0 = account.GaussianDelta(e0, mu); the best
// e0 is searched for. Shuffling also keeps the local guarantee, so that the result is never above
// account.GaussianDelta(epsilon, mu).
//
// The theorem is for pure messages, d0 = 0. The extension to d0 > 0 is this. Let R0 and R1 be the
// laws of the two messages of the one user, and R the law of another user's message. First, except
// with probability d0, R0 and R1 are randomised responses (e0) between two laws Q0 and Q1 (Kairouz,
// Oh, Viswanath 2015, Thm. 3.3); d0 is charged in full. Second, R(S) >= e^-e0 R0(S) - e^-e0 d0 for
// all S, and the same for R1. So R is within e^-e0 d0, in total variation, of a law that is at
// least e^-e0 (R0 + R1)/2 >= (1-d0) e^-e0 (Q0 + Q1)/2. With these laws each of the n - 1 others is
// a clone with probability (1-d0) e^-e0 = e^-e1, and the theorem holds with e1. The exchange of the
// laws costs (1 + e^epsilon) (n-1) e^-e0 d0.
func MixedDelta(epsilon, mu float64, n int) float64 {
	if n < 1 || !(epsilon >= 0) {
		return 1
	}
	n = min(n, loss.MostShuffled)
	least := account.GaussianDelta(epsilon, mu)
	if n < 2 || !(mu > 0) || math.IsInf(mu, 1) {
		return least
	}
	// e0 <= epsilon gains nothing. From e0 = ln n on there is less than one clone.
	at := func(e0 float64) float64 {
		d0 := account.GaussianDelta(e0, mu)
		if d0 >= 1 {
			return 1
		}
		others := float64(portable.Exp(portable.Log1p(portable.Exp(epsilon))-e0) * float64(n-1) * d0)
		if d0+others >= least {
			return d0 + others
		}
		delta := d0 + others + clonesDelta(epsilon, e0-portable.Log1p(-d0), n)
		least = math.Min(least, delta)
		return delta
	}
	low, high := epsilon+1e-3, math.Max(epsilon+1e-3, portable.Log(float64(n)))
	const points = 24
	best, where := math.Inf(1), 0
	for i := range points + 1 {
		if d := at(low + float64((high-low)*float64(i)/points)); d < best {
			best, where = d, i
		}
	}
	numeric.Golden(low+float64((high-low)*float64(max(where-1, 0))/points), low+float64((high-low)*float64(min(where+1, points))/points), 12, at)
	return least
}

// MixedEpsilon returns an epsilon at which MixedDelta is at most delta: the least that a
// scan finds. It is at most account.GaussianEpsilon(delta, mu).
func MixedEpsilon(delta, mu float64, n int) float64 {
	if n < 1 {
		return math.Inf(1)
	}
	local := account.GaussianEpsilon(delta, mu)
	if !(local > 0) || math.IsInf(local, 1) || n < 2 {
		return local
	}
	epsilon, _ := amplifications.Recall(amplification{delta, mu, n}, func() (float64, error) {
		return leastEpsilon(local, delta, mu, n), nil
	})
	return epsilon
}

// amplification is what an amplified epsilon is computed of.
type amplification struct {
	delta, mu float64
	n         int
}

var amplifications numeric.Memory[amplification, float64]

func leastEpsilon(local, delta, mu float64, n int) float64 {
	// MixedDelta need not fall in epsilon, as an exchange of laws costs 1 + e^epsilon. So the scan
	// starts from below.
	const points = 40
	lo, hi := 0.0, 0.0
	for i := range points + 1 {
		if hi = local * float64(i) / points; i == points || MixedDelta(hi, mu, n) <= delta {
			break
		}
		lo = hi
	}
	for hi-lo > 1e-9*local {
		if middle := (lo + hi) / 2; MixedDelta(middle, mu, n) <= delta {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}

// clonesDelta returns an upper bound on the delta at epsilon of the pair in Theorem 3.2 of Feldman,
// McMillan and Talwar; ShufflePair describes the pair. Given c clones, P is the law of (A+D,
// c-A+1-D), and the loss at a rises in a, so that delta is a difference of two binomial tails.
//
// Fewer clones are worse. So numbers of clones are gathered in bins and each bin counts as its
// lowest.
func clonesDelta(epsilon, e0 float64, n int) float64 {
	if epsilon >= e0 {
		return 0
	}
	others, r := float64(n-1), portable.Exp(-e0)
	spread := float64(9*math.Sqrt(others*r*(1-r))) + 40
	lo, hi := math.Max(0, math.Floor(float64(others*r)-spread)), math.Min(others, math.Ceil(float64(others*r)+spread))
	mass := loss.Binomial(others, r, lo, hi)
	const bins = 128
	width := max(1, (len(mass)+bins-1)/bins)
	truth := 1 / (1 + r) // P(D = 1)
	// This is e^e0 a + b > e^epsilon (a + e^e0 b) with a + b = c+1, as a share of c+1.
	from := (1 - portable.Exp(-epsilon-e0)) / ((1 - r) * (1 + portable.Exp(-epsilon)))
	up, down := truth-float64(portable.Exp(epsilon)*(1-truth)), (1-truth)-float64(portable.Exp(epsilon)*truth)
	delta := 1e-16 // the truncated tails, below it by Bernstein's inequality
	for i := 0; i < len(mass); i += width {
		weight := 0.0
		for _, m := range mass[i:min(i+width, len(mass))] {
			weight += m
		}
		c := lo + float64(i)
		k := math.Floor(from*(c+1)) + 1 // a >= k
		tail := halfTail(c, k)
		delta += float64(weight * math.Max(0, float64(up*(tail+halfMass(c, k-1)))+float64(down*tail)))
	}
	return delta * (1 + 1e-9)
}

// halfTail returns P(Bin(c, 1/2) >= k).
func halfTail(c, k float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > c:
		return 0
	}
	return portable.RegIncBeta(k, c-k+1, 0.5)
}

// halfMass returns P(Bin(c, 1/2) = k), and 0 for k outside of [0, c].
func halfMass(c, k float64) float64 {
	if k < 0 || k > c {
		return 0
	}
	return portable.Exp(portable.Lgamma(c+1) - portable.Lgamma(k+1) - portable.Lgamma(c-k+1) - float64(c*math.Ln2))
}
