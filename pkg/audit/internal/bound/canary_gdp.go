package bound

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Audits of a whole trade-off curve in one run. They see more of a Gaussian claim than Steinke's
// bound does, which uses one point (epsilon, delta) of it.
//
// A mechanism is mu-GDP if an event of probability x in one world has at most probability 1 - f(x)
// in the other, with f(x) = Phi(Phi^-1(1-x) - mu) (Dong, Roth, Su, "Gaussian differential privacy",
// 2022). Let an attacker guess r of m coins, and let p_i be the probability that i are right.
//
// Whatever the canaries have to do with each other (after Mahloujifar, Melis, Chaudhuri, "Auditing
// f-differential privacy in one run", 2025): turn one coin j around, and keep the release and the
// other coins. "The guess of j is right, and at least c are right" becomes "it is wrong, and at
// least c-1 are right". So the two probabilities keep to f, which is convex; averaged over both
// sides of the coin and over all j,
//
//	g_c <= 1 - f(h_{c-1}),  g_c = sum_{i>=c} p_i i/m,  h_c = sum_{i>=c} p_i (r-i)/m.
//
// Suppose v or more guesses are right with probability tau. The least mass below v that these
// inequalities then ask for comes from p_v = tau, and from making h_c as small as they allow, for c
// = v-1, ..., 0 in turn: more mass above v, or mass at a lower count than it is needed at, makes
// g larger. If the masses sum to more than 1, tau is impossible.
//
// Where canaries are released independently of each other (after Xiang, Wang, Xiao, Tian, Wang,
// "Tight privacy audit in one run", 2025): each release is a randomised function of a normal
// variable with mean 0 or mu, and no attacker does better than to see these and guess the coins of
// the largest |loss|. Given the (r+1)-th largest, the first r are independent, and each guess is
// right with the probability that |loss| above that bound has on average. So the count is a mixture
// of binomials. That is not true of all mu-GDP mechanisms: one that answers all coins with much
// less noise in a few percent of its runs may be mu-GDP for each coin, and be right about most
// coins in these runs.

// normal returns the standard normal distribution function.
func normal(x float64) float64 { return float64(portable.Erfc(-x/math.Sqrt2) / 2) }

// gaussianExcludes reports whether v right guesses of r among m canaries have probability at most
// alpha under every mechanism that is mu-GDP.
func gaussianExcludes(v, r, m int, mu, alpha float64) bool {
	if v <= 0 {
		return false
	}
	g, h := alpha*float64(v)/float64(m), alpha*float64(r-v)/float64(m)
	for i := v - 1; i >= 0; i-- {
		if need := normal(portable.NormalQuantile(g) - mu); need > h { // f(1 - g)
			g += float64(float64(i) / float64(r-i) * (need - h))
			h = need
		}
		if float64(g+h)*float64(m) > float64(r) {
			return true
		}
	}
	return false
}

// independent tells the same of canaries that are released independently.
type independent struct {
	v, r int
	from []float64 // quantiles of the share beyond the (r+1)-th largest |loss|, which is Beta(r+1, m-r)
}

func newIndependent(v, r, m int) independent {
	if r == m {
		return independent{v, r, []float64{1}}
	}
	const cells = 64
	t := independent{v, r, make([]float64, cells)}
	for i := 1; i < cells; i++ {
		if at := float64(float64(i) / cells); at <= 0.5 {
			t.from[i] = Lower(float64(r+1), float64(m), at)
		} else {
			t.from[i] = 1 - Lower(float64(m-r), float64(m), 1-at)
		}
	}
	return t
}

// excludes takes each cell's share for its least, of which the guesses are the surest.
func (t independent) excludes(mu, alpha float64) bool {
	if t.v <= 0 {
		return false
	}
	var p float64 // of v or more right guesses
	for _, u := range t.from {
		p += portable.RegIncBeta(float64(t.v), float64(t.r-t.v)+1, sure(u, mu)) / float64(len(t.from))
	}
	return p <= alpha
}

// sure returns the probability that a guess is right, given that its |loss| is among the largest
// ones, of a share u: P(x > t | |x| > t) for x normal with mean mu/2.
func sure(u, mu float64) float64 {
	half := float64(mu / 2)
	beyond := func(t float64) (right, all float64) {
		right = normal(half - t)
		return right, right + normal(-half-t)
	}
	lo, hi := 0.0, half+40
	for range 50 {
		mid := float64((lo + hi) / 2)
		if _, all := beyond(mid); all > u {
			lo = mid
		} else {
			hi = mid
		}
	}
	right, all := beyond(lo)
	if u == 0 || all == 0 {
		return 1
	}
	return right / all
}

// CanaryMu returns the largest mu that v right guesses of r among m canaries exclude with
// confidence 1 - alpha, or 0 if there is none. apart says that the canaries are released
// independently.
func CanaryMu(v, r, m int, apart bool, alpha float64) float64 {
	excludes := func(mu float64) bool { return gaussianExcludes(v, r, m, mu, alpha) }
	if apart {
		t := newIndependent(v, r, m)
		excludes = func(mu float64) bool { return t.excludes(mu, alpha) }
	}
	if !excludes(0) {
		return 0
	}
	lo, hi := 0.0, 1.0
	for excludes(hi) {
		if lo, hi = hi, 2*hi; hi > 64 {
			return lo
		}
	}
	for range 20 {
		if mid := (lo + hi) / 2; excludes(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
