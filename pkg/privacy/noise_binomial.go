package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// Binomial writes independent draws of b, numbers of successes, into dst.
func (n *Noise) Binomial(dst []int64, b *random.Binomial) {
	n.note(BinomialLaw(len(dst), b))
	b.Fill(n.rng, dst)
}

// BinomialLaw is the law of Binomial: its Scale is the probability of a success, its Shape the number of trials.
func BinomialLaw(dim int, b *random.Binomial) Law {
	return Law{Kind: "binomial", Dim: dim, Scale: b.P(), Shape: float64(b.Trials())}
}

// Round rounds v to the integer below it or above it at random, each by itself, so that its mean is v: floor(v) + Bernoulli(v - floor(v)). An integer stays.
func (n *Noise) Round(dst []int64, v []float64) {
	n.note(RoundLaw(len(v)))
	for i, x := range v {
		whole := math.Floor(x)
		dst[i] = int64(whole)
		if n.rng.Float64() < x-whole {
			dst[i]++
		}
	}
}

// RoundLaw is the law of Round.
func RoundLaw(dim int) Law { return Law{Kind: "randomised rounding", Dim: dim} }
