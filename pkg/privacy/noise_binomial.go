package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// Binomial fills dst with independent draws of b, which are numbers of successes.
func (n *Noise) Binomial(dst []int64, b *random.Binomial) {
	law := BinomialLaw(len(dst), b)
	n.note(law)
	if n.script != nil {
		n.integers(law, dst)
		return
	}
	b.Fill(n.rng, dst)
}

// BinomialLaw returns the law of Binomial. Its Scale is the probability of a success, its Shape the
// number of trials.
func BinomialLaw(dim int, b *random.Binomial) Law {
	return Law{Kind: kindBinomial, Dim: dim, Scale: b.P(), Shape: float64(b.Trials())}
}

// Round writes v into dst, each entry rounded at random to the integer below or above such that its
// mean is kept: floor(v) + Bernoulli(v - floor(v)). Entries are independent; integers stay.
func (n *Noise) Round(dst []int64, v []float64) {
	n.note(RoundLaw(len(v)))
	if n.script != nil {
		for i, x := range v {
			dst[i] = int64(math.Floor(x))
		}
		return
	}
	for i, x := range v {
		below := math.Floor(x)
		whole := int64(below)
		if n.rng.Float64() < x-below {
			whole++ // as good as a coin's toss, so it had better not be a jump: here it is an addition
		}
		dst[i] = whole
	}
}

// RoundLaw returns the law of Round.
func RoundLaw(dim int) Law { return Law{Kind: kindRounding, Dim: dim} }
