package judged

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// gaussians returns a release of numbers that have a mean in each world, under independent Gaussian
// noise of standard deviations sd.
func gaussians(means [2][]float64, sd []float64) func(world int, source rand.Source, out []float64) error {
	return func(world int, source rand.Source, out []float64) error {
		noise := privacy.NewNoise(source)
		noise.Gaussian(out, 1)
		for i := range out {
			out[i] = means[world][i] + float64(sd[i]*out[i])
		}
		return nil
	}
}

// density returns the density of such a release.
func density(means [2][]float64, sd []float64) func() (audit.Density, error) {
	return func() (audit.Density, error) {
		v := mat.NewSymDense(len(sd), nil)
		for i, s := range sd {
			v.SetSym(i, i, s*s)
		}
		return audit.GaussianDensity(v, means)
	}
}

// ldp2020 is a message of the LDP program of 2020: the upper triangle of x x^T and the vector y x,
// for y = 1 and contexts 120 degrees apart. All entries have the standard deviation
// 4 sqrt(ln(1.25/delta))/epsilon.
func ldp2020(b privacy.Budget) (means [2][]float64, sd []float64) {
	for world, degrees := range [2]float64{-15, 105} {
		s, c := math.Sincos(degrees * math.Pi / 180)
		means[world] = []float64{c * c, c * s, s * s, c, s}
	}
	for range means[0] {
		sd = append(sd, 4*math.Sqrt(math.Log(1.25/b.Delta))/b.Epsilon)
	}
	return means, sd
}

// shariff is the first node of the tree of the JDP authors' program, at the horizon of their second
// experiment. In the two worlds it holds the rows sqrt(2) e1 and sqrt(2) e2: two different numbers,
// both of the diagonal. A row is in up to m nodes, each with noise of its own; m copies of a node
// lose what their mean does, with noise smaller by sqrt(m).
func shariff(b privacy.Budget) (means [2][]float64, sd []float64) {
	const bound, horizon = 2., 50_000_000 // L~^2
	m := 1 + math.Ceil(math.Log2(horizon))
	sigma := math.Sqrt(16*m) * bound * math.Log(4/b.Delta) / b.Epsilon
	s := math.Sqrt2 * sigma / math.Sqrt(m)
	return [2][]float64{{bound, 0}, {0, bound}}, []float64{s, s}
}

// sufficient is a batch of the sufficient statistics of private-contextual-bandits, for y = 1 and
// the contexts e1 and e2: two numbers on the diagonal of the Gram matrix and two of the vector.
// Each of the two statistics has half of rho, for a sensitivity of sqrt(2).
func sufficient(b privacy.Budget) (means [2][]float64, sd []float64) {
	ln := math.Log(1 / b.Delta)
	root := math.Sqrt(ln+b.Epsilon) - math.Sqrt(ln) // of rho
	s := math.Sqrt2 / root
	return [2][]float64{{1, 0, 1, 0}, {0, 1, 0, 1}}, []float64{s, s, s, s}
}
