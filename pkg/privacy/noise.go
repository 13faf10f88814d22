package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Noise is the only maker of private noise. It draws from a stream of its own, which nothing else reads, and writes each draw into the
// stream's Ledger, if that has one.
// This one is seeded, so that research runs can be repeated: a deployment needs the
// system's randomness and samplers without floating-point leaks (Mironov 2012).
type Noise struct {
	normals *random.Normals
	rng     *rand.Rand
	ledger  *Ledger // may be nil
}

// NewNoise seeds the noise from a stream.
func NewNoise(source rand.Source) *Noise {
	ledger, ok := source.(*Ledger)
	if ok {
		source = ledger.source
	}
	return &Noise{random.NewNormals(source), rand.New(source), ledger}
}

func (n *Noise) note(law Law) {
	if n.ledger != nil {
		n.ledger.note(law)
	}
}

// Gaussian writes independent N(0, sd^2) numbers into dst.
func (n *Noise) Gaussian(dst []float64, sd float64) {
	n.note(GaussianLaw(len(dst), sd))
	n.normals.Fill(dst)
	for i := range dst {
		dst[i] *= sd
	}
}

// GaussianLaw is the law of Gaussian.
func GaussianLaw(dim int, sd float64) Law { return Law{Kind: "Gaussian", Dim: dim, Scale: sd} }

// SymmetricGaussian writes Z = (Z' + Z'^T)/sqrt(2) into dst, Z' having independent N(0, sd^2) entries: a symmetric dim x dim
// matrix with standard deviation sd off the diagonal and sqrt(2) sd on it, packed by rows of its
// lower triangle. For a symmetric change D of the sum it is Gaussian noise with mu = |D|_F/(sqrt(2) sd).
func (n *Noise) SymmetricGaussian(dst []float64, dim int, sd float64) {
	n.note(SymmetricGaussianLaw(dim, sd))
	n.normals.Fill(dst)
	for i, p := 0, 0; i < dim; i++ {
		for end := p + i; p < end; p++ {
			dst[p] *= sd
		}
		dst[p] *= math.Sqrt2 * sd
		p++
	}
}

// SymmetricGaussianLaw is the law of SymmetricGaussian.
func SymmetricGaussianLaw(dim int, sd float64) Law {
	return Law{Kind: "symmetric Gaussian", Dim: dim, Scale: sd}
}

// Wishart writes a draw of w into dst, packed by rows of its lower triangle.
func (n *Noise) Wishart(dst []float64, w *random.Wishart) {
	n.note(WishartLaw(w))
	w.Rand(n.normals, dst)
}

// WishartLaw is the law of Wishart.
func WishartLaw(w *random.Wishart) Law {
	return Law{Kind: "Wishart", Dim: w.Dim(), Scale: w.Scale(), Shape: float64(w.Freedom())}
}

// Laplace writes independent Laplace numbers of density exp(-|z|/scale)/(2 scale) into dst.
func (n *Noise) Laplace(dst []float64, scale float64) {
	n.note(LaplaceLaw(len(dst), scale))
	for i := range dst {
		z := random.Exponential(n.rng) * scale
		if n.rng.Uint64()&1 == 0 {
			z = -z
		}
		dst[i] = z
	}
}

// LaplaceLaw is the law of Laplace.
func LaplaceLaw(dim int, scale float64) Law { return Law{Kind: "Laplace", Dim: dim, Scale: scale} }

// Gumbel writes independent Gumbel numbers, -scale ln(E) for a standard exponential E, into dst.
func (n *Noise) Gumbel(dst []float64, scale float64) {
	n.note(GumbelLaw(len(dst), scale))
	for i := range dst {
		e := random.Exponential(n.rng)
		for e == 0 { // once in 2^32
			e = random.Exponential(n.rng)
		}
		dst[i] = -scale * portable.Log(e)
	}
}

// GumbelLaw is the law of Gumbel.
func GumbelLaw(dim int, scale float64) Law { return Law{Kind: "Gumbel", Dim: dim, Scale: scale} }

// Response answers truth in [0, choices) with probability e^eps/(e^eps + choices - 1) and each other choice with probability
// 1/(e^eps + choices - 1): randomised response (Warner 1965).
func (n *Noise) Response(truth, choices int, epsilon float64) int {
	n.note(ResponseLaw(choices, epsilon))
	lie := float64(float64(choices-1) * portable.Exp(-epsilon))
	lie /= 1 + lie
	// Of 2^53 equal steps those below lie, at least one: a lie is never less likely than it has to be.
	if u := 1 - float64(n.rng.Float64()) - 0x1p-53; !(u < lie) || choices == 1 {
		return truth
	}
	other := n.rng.IntN(choices - 1) // among the choices that are not the truth
	if other >= truth {
		other++
	}
	return other
}

// ResponseLaw is the law of Response.
func ResponseLaw(choices int, epsilon float64) Law {
	return Law{Kind: "randomised response", Dim: 1, Scale: epsilon, Shape: float64(choices)}
}

// Shuffle permutes order, every permutation being equally likely, whatever order it comes in.
func (n *Noise) Shuffle(order []int) {
	n.note(ShuffleLaw(len(order)))
	for i := len(order) - 1; i > 0; i-- {
		j := n.rng.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
}

// ShuffleLaw is the law of Shuffle.
func ShuffleLaw(dim int) Law { return Law{Kind: "shuffle", Dim: dim} }
