package privacy

import "github.com/dpbandits/dpbandits/pkg/random"

// DiscreteGaussian fills dst with independent draws of g, P(z) ~ exp(-z^2/(2 sigma^2)) on the
// integers. They are as good as the source: with random.System they are fit to protect people.
func (n *Noise) DiscreteGaussian(dst []int64, g *random.DiscreteGaussian) {
	law := DiscreteGaussianLaw(len(dst), g)
	n.note(law)
	if n.script != nil {
		n.integers(law, dst)
		return
	}
	g.Fill(n.rng, dst)
}

// DiscreteGaussianLaw returns the law of DiscreteGaussian. Its Scale is sigma.
func DiscreteGaussianLaw(dim int, g *random.DiscreteGaussian) Law {
	return Law{Kind: kindDiscreteGaussian, Dim: dim, Scale: g.Sigma()}
}

// DiscreteLaplace fills dst with independent draws of l, P(z) ~ exp(-|z|/scale) on the integers.
// They are as good as the source: with random.System they are fit to protect people.
func (n *Noise) DiscreteLaplace(dst []int64, l *random.DiscreteLaplace) {
	law := DiscreteLaplaceLaw(len(dst), l)
	n.note(law)
	if n.script != nil {
		n.integers(law, dst)
		return
	}
	l.Fill(n.rng, dst)
}

// DiscreteLaplaceLaw returns the law of DiscreteLaplace.
func DiscreteLaplaceLaw(dim int, l *random.DiscreteLaplace) Law {
	return Law{Kind: kindDiscreteLaplace, Dim: dim, Scale: l.Scale()}
}
