package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// Noise is the only maker of private noise. It draws from a stream of its own, which nothing else reads.
// This one is seeded, so that research runs can be repeated: a deployment needs the
// system's randomness and samplers without floating-point leaks (Mironov 2012).
type Noise struct{ normals *random.Normals }

// NewNoise seeds the noise from a stream.
func NewNoise(source rand.Source) *Noise { return &Noise{random.NewNormals(source)} }

// SymmetricGaussian writes Z = (Z' + Z'^T)/sqrt(2) into dst, Z' having independent N(0, sd^2) entries: a symmetric dim x dim
// matrix with standard deviation sd off the diagonal and sqrt(2) sd on it, packed by rows of its
// lower triangle. For a symmetric change D of the sum it is Gaussian noise with mu = |D|_F/(sqrt(2) sd).
func (n *Noise) SymmetricGaussian(dst []float64, dim int, sd float64) {
	n.normals.Fill(dst)
	for i, p := 0, 0; i < dim; i++ {
		for end := p + i; p < end; p++ {
			dst[p] *= sd
		}
		dst[p] *= math.Sqrt2 * sd
		p++
	}
}

// Wishart writes a draw of w into dst, packed by rows of its lower triangle.
func (n *Noise) Wishart(dst []float64, w *random.Wishart) { w.Rand(n.normals, dst) }
