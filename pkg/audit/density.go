package audit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Density returns the logarithm of the density of a release in world 0 or 1, up to a constant that
// both worlds share. It is -Inf where a world cannot have the release.
type Density func(world int, out []float64) float64

// AdditiveDensity returns the density of values released under independent additive noise.
//
// out holds the releases one after the other; release i is values[world][i] plus a draw of laws[i].
// Laws may be Gaussian, symmetric Gaussian, Laplace, Gumbel and Wishart. Matrices are packed by the
// rows of their lower triangle. draws lists what a run draws, for Likelihood.Draws.
func AdditiveDensity(laws []privacy.Law, values [2][][]float64) (d Density, draws []privacy.Draws, err error) {
	var densities []func(z []float64) float64
	width := 0
	for i, law := range laws {
		numbers, density, err := lawDensity(law)
		if err != nil {
			return nil, nil, err
		}
		for w := range values {
			if len(values[w]) != len(laws) {
				return nil, nil, fmt.Errorf("audit: values[%d] has %d releases, want one for each of %d laws", w, len(values[w]), len(laws))
			}
			if len(values[w][i]) != numbers {
				return nil, nil, fmt.Errorf("audit: values[%d][%d] has %d numbers, want %d for %v", w, i, len(values[w][i]), numbers, law)
			}
		}
		densities = append(densities, density)
		width += numbers
		draws = addDraw(draws, law)
	}
	if len(laws) == 0 {
		return nil, nil, fmt.Errorf("audit: no laws, want one for each release")
	}
	return func(world int, out []float64) (sum float64) {
		if len(out) != width {
			panic(fmt.Sprintf("audit: a release of %d numbers, want %d", len(out), width))
		}
		z := make([]float64, 0, 16)
		for i, value := range values[world] {
			z = z[:0]
			for j, v := range value {
				z = append(z, out[j]-v)
			}
			sum += densities[i](z)
			out = out[len(value):]
		}
		return sum
	}, draws, nil
}

func addDraw(draws []privacy.Draws, law privacy.Law) []privacy.Draws {
	for i := range draws {
		if draws[i].Law == law {
			draws[i].Count++
			return draws
		}
	}
	return append(draws, privacy.Draws{Law: law, Count: 1})
}

// lawDensity returns the count of numbers in a draw of a law, and the logarithm of its density up
// to a constant.
func lawDensity(law privacy.Law) (numbers int, density func(z []float64) float64, err error) {
	if law.Dim < 1 || !(law.Scale > 0) || math.IsInf(law.Scale, 1) {
		return 0, nil, fmt.Errorf("audit: the law %v has Dim = %d and Scale = %v, want >= 1, and finite and > 0", law, law.Dim, law.Scale)
	}
	each := func(f func(z float64) float64) func(z []float64) float64 {
		return func(z []float64) (sum float64) {
			for _, v := range z {
				sum += f(v / law.Scale)
			}
			return sum
		}
	}
	switch law.Kind {
	case "Gaussian":
		return law.Dim, each(func(z float64) float64 { return -z * z / 2 }), nil
	case "Laplace":
		return law.Dim, each(func(z float64) float64 { return -math.Abs(z) }), nil
	case "Gumbel":
		return law.Dim, each(func(z float64) float64 { return -z - portable.Exp(-z) }), nil
	case "symmetric Gaussian": // standard deviation Scale off the diagonal, and sqrt(2) Scale on it
		return law.Dim * (law.Dim + 1) / 2, func(z []float64) (sum float64) {
			for i, p := 0, 0; i < law.Dim; i++ {
				for end := p + i; p < end; p++ {
					sum -= z[p] * z[p] / (2 * law.Scale * law.Scale)
				}
				sum -= z[p] * z[p] / (4 * law.Scale * law.Scale)
				p++
			}
			return sum
		}, nil
	case "Wishart":
		return law.Dim * (law.Dim + 1) / 2, wishartDensity(law), nil
	}
	return 0, nil, fmt.Errorf("audit: the law %v has no density here, want Gaussian, symmetric Gaussian, Laplace, Gumbel or Wishart noise", law)
}

// wishartDensity returns the log-density (k-p-1)/2 ln det W - tr W/(2 scale), where W is positive
// definite.
func wishartDensity(law privacy.Law) func(z []float64) float64 {
	power := (law.Shape - float64(law.Dim) - 1) / 2
	return func(z []float64) float64 {
		w := mat.NewSymDense(law.Dim, nil)
		trace := 0.0
		for i, p := 0, 0; i < law.Dim; i++ {
			for j := 0; j <= i; j, p = j+1, p+1 {
				w.SetSym(i, j, z[p])
			}
			trace += w.At(i, i)
		}
		var factor mat.Cholesky
		if !factor.Factorize(w) {
			return math.Inf(-1)
		}
		return float64(power*factor.LogDet()) - trace/(2*law.Scale)
	}
}

// GaussianDensity returns the density of a Gaussian release with a mean for each world and one
// covariance. Every release that is linear in Gaussian noise is of this kind: B z with independent
// z of standard deviation sd has the covariance sd^2 B B^T.
func GaussianDensity(covariance mat.Symmetric, means [2][]float64) (Density, error) {
	n := covariance.SymmetricDim()
	for w, mean := range means {
		if len(mean) != n {
			return nil, fmt.Errorf("audit: means[%d] has %d numbers, want %d as the covariance", w, len(mean), n)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		return nil, fmt.Errorf("audit: the covariance is not positive definite: some of the release has no noise of its own")
	}
	// Both densities share the quadratic term of out, which is left out: linear terms are faster.
	var slopes [2]mat.VecDense
	var offsets [2]float64
	for w, mean := range means {
		m := mat.NewVecDense(n, mean)
		if err := factor.SolveVecTo(&slopes[w], m); err != nil {
			return nil, fmt.Errorf("audit: the covariance: %w", err)
		}
		offsets[w] = mat.Dot(&slopes[w], m) / 2
	}
	return func(world int, out []float64) float64 {
		return mat.Dot(&slopes[world], mat.NewVecDense(n, out)) - offsets[world]
	}, nil
}
