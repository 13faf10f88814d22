package arms

import (
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// glr is the stopping rule of AdaP-TT, a generalised likelihood-ratio test. The best mean m_i has
// to be far enough above each other mean m_j of K arms:
//
//	(m_i - m_j)^2/(2 w) >= c + (z_i + z_j)^2 l^2/w,   w = 1/n_i + 1/n_j,
//	c = 2 x + 2 ln x + 2 ln(4 + ln n_i) + 2 ln(4 + ln n_j),   x = ln((K-1) pi^2/6 k^2/Delta)/2,
//	l = ln(2 K pi^2/6 k^2/Delta),   k = 2 + log2 max(n_i, n_j).
//
// Of the two arms, k is the larger number of batches. The program compares the leader's mean, which
// need not be the best. If two arms are the best, it may never stop. Logarithms are natural.
//
// The threshold is proved, for these batches and Laplace noise. To stop at an arm i worse than the
// best arm j, noise and sample must have moved m_i - m_j by D, D^2 = 2 w c + 2 (z_i + z_j)^2 l^2.
// The noise in an arm's b-th batch is over l z with probability Delta/(2 K pi^2/6 b^2) at most, as
// k >= b, which makes Delta/2 for all arms and batches. Otherwise the sample has moved m_i - m_j by
// u >= sqrt(w c), as (u + v)^2 <= 2 u^2 + 2 v^2. The lengths of batches are fixed, so that
// Hoeffding's inequality bounds that by exp(-2 c), and the sum over all i and all pairs of batches
// is far below Delta/2: c is meant for rewards of variance 1, and theirs is at most 1/4.
type glr struct {
	delta float64 // probability of a wrong arm
	asRun bool    // l = ln(1/Delta) and c = l + ln(1 + ln n_i) + ln(1 + ln n_j): not proved
}

// sure reports whether the mean of the best arm is far enough above all others.
func (t glr) sure(of []privacy.Estimate, best int) bool {
	for a := range of {
		if a != best && !(of[best].Mean-of[a].Mean >= t.distance(of, best, a)) {
			return false
		}
	}
	return true
}

// lead returns the difference of two means that is the least above its distance, or the farthest
// below it, and this distance: 0 and +Inf until all arms have a mean.
func (t glr) lead(of []privacy.Estimate, best int) (lead, distance float64) {
	for a := range of {
		if of[a].Count == 0 {
			return 0, math.Inf(1)
		}
		if a == best {
			continue
		}
		by, want := of[best].Mean-of[a].Mean, t.distance(of, best, a)
		if distance == 0 || by-want < lead-distance {
			lead, distance = by, want
		}
	}
	return lead, distance
}

// distance returns the difference of two means at which it stops.
func (t glr) distance(of []privacy.Estimate, i, j int) float64 {
	n, m := float64(of[i].Count), float64(of[j].Count)
	log, c := -portable.Log(t.delta), portable.Log(1+portable.Log(n))+portable.Log(1+portable.Log(m))
	if c += log; !t.asRun {
		arms, k := float64(len(of)), float64(1+bits.Len(uint(max(n, m))))
		log += portable.Log(math.Pi * math.Pi / 6 * k * k)
		x := float64((log + portable.Log(arms-1)) / 2)
		c = 2 * (x + portable.Log(x) + portable.Log(4+portable.Log(n)) + portable.Log(4+portable.Log(m)))
		log += portable.Log(2 * arms)
	}
	noise := of[i].Tail.Linear + of[j].Tail.Linear
	return math.Sqrt2 * portable.Hypot(math.Sqrt(variance(&of[i], &of[j])*c), noise*log)
}

// variance returns w, that of the difference of two means of rewards of variance 1.
func variance(x, y *privacy.Estimate) float64 { return 1/float64(x.Count) + 1/float64(y.Count) }
