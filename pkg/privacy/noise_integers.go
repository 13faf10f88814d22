package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// DiscreteGaussian fills dst with independent draws of g, P(z) ~ exp(-z^2/(2 sigma^2)) on the
// integers. They are as good as the source: with random.System they are fit to protect people.
func (n *Noise) DiscreteGaussian(dst []int64, g *random.DiscreteGaussian) {
	n.integers(DiscreteGaussianLaw(len(dst), g), dst, g)
}

// DiscreteGaussianLaw returns the law of DiscreteGaussian. Its Scale is sigma.
func DiscreteGaussianLaw(dim int, g *random.DiscreteGaussian) Law {
	return Law{Kind: kindDiscreteGaussian, Dim: dim, Scale: g.Sigma()}
}

// DiscreteLaplace fills dst with independent draws of l, P(z) ~ exp(-|z|/scale) on the integers.
// They are as good as the source: with random.System they are fit to protect people.
func (n *Noise) DiscreteLaplace(dst []int64, l *random.DiscreteLaplace) {
	n.integers(DiscreteLaplaceLaw(len(dst), l), dst, l)
}

// DiscreteLaplaceLaw returns the law of DiscreteLaplace.
func DiscreteLaplaceLaw(dim int, l *random.DiscreteLaplace) Law {
	return Law{Kind: kindDiscreteLaplace, Dim: dim, Scale: l.Scale()}
}

// Binomial fills dst with independent draws of b, which are numbers of successes.
func (n *Noise) Binomial(dst []int64, b *random.Binomial) {
	n.integers(BinomialLaw(len(dst), b), dst, b)
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

// integers notes a draw of integers, and makes it, or a script does.
func (n *Noise) integers(law Law, dst []int64, sampler interface{ Fill(rand.Source, []int64) }) {
	n.note(law)
	if n.script == nil {
		sampler.Fill(n.rng, dst)
		return
	}
	numbers := make([]float64, len(dst))
	n.script(law, numbers)
	for i, v := range numbers {
		dst[i] = int64(math.RoundToEven(v))
	}
}
