package privacy

import "github.com/dpbandits/dpbandits/pkg/random"

// DiscreteGaussian writes independent draws of g, P(z) proportional to exp(-z^2/(2 sigma^2)) on the integers, into dst. They are as good as the
// source: over random.System they are noise that may protect somebody.
func (n *Noise) DiscreteGaussian(dst []int64, g *random.DiscreteGaussian) {
	n.note(DiscreteGaussianLaw(len(dst), g))
	g.Fill(n.rng, dst)
}

// DiscreteGaussianLaw is the law of DiscreteGaussian; its Scale is sigma.
func DiscreteGaussianLaw(dim int, g *random.DiscreteGaussian) Law {
	return Law{Kind: "discrete Gaussian", Dim: dim, Scale: g.Sigma()}
}

// DiscreteLaplace writes independent draws of l, P(z) proportional to exp(-|z|/scale) on the integers, into dst. They are as good as the
// source: over random.System they are noise that may protect somebody.
func (n *Noise) DiscreteLaplace(dst []int64, l *random.DiscreteLaplace) {
	n.note(DiscreteLaplaceLaw(len(dst), l))
	l.Fill(n.rng, dst)
}

// DiscreteLaplaceLaw is the law of DiscreteLaplace.
func DiscreteLaplaceLaw(dim int, l *random.DiscreteLaplace) Law {
	return Law{Kind: "discrete Laplace", Dim: dim, Scale: l.Scale()}
}
