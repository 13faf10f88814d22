package suite

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// choice is a release of one of a few candidates, that of the largest score under Gumbel or Laplace
// noise, and of values that belong to it and are linear in other noise.
//
// What its attack by likelihood has to know, it learns from the mechanism under noise that is
// prescribed: scores, values, and the laws that are drawn.
type choice struct {
	candidates int
	values     int
	// release runs a world, writes the candidate and the values to out, and draws the noise of the
	// scores first, all at once.
	release func(world int, noise *privacy.Noise, out []float64) error
}

// decisive is a noise that no score withstands.
const decisive = 1e9

// forced makes a run in which scores have the noise push, and values that of inner, or none.
func (c choice) forced(world int, push []float64, inner *privacy.Noise, out []float64) (law privacy.Law, err error) {
	drawn := 0
	err = c.release(world, privacy.ScriptedNoise(func(of privacy.Law, dst []float64) {
		if drawn++; drawn == 1 {
			law = of
			copy(dst, push)
			return
		}
		switch clear(dst); {
		case inner == nil:
		case of.Kind == "Gaussian":
			inner.Gaussian(dst, of.Scale)
		case of.Kind == "symmetric Gaussian":
			inner.SymmetricGaussian(dst, of.Dim, of.Scale)
		case of.Kind == "Laplace":
			inner.Laplace(dst, of.Scale)
		default:
			panic(fmt.Sprintf("suite: values under noise that is %v", of))
		}
	}), out)
	return law, err
}

// pushed returns noise that leaves the candidates i and j, of which i gets so much.
func (c choice) pushed(i, j int, by float64) []float64 {
	push := make([]float64, c.candidates)
	for k := range push {
		if k != i && k != j {
			push[k] = -decisive
		}
	}
	push[i] += by
	return push
}

// scores returns a world's scores, less that of the first candidate, and the law of their noise.
func (c choice) scores(world int) (scores []float64, law privacy.Law) {
	scores, out := make([]float64, c.candidates), make([]float64, 1+c.values)
	for i := range scores {
		if i > 0 {
			scores[i] = -turn(func(push float64) bool {
				law = opened(c.forced(world, c.pushed(i, 0, push), nil, out))
				return out[0] == float64(i)
			})
		}
	}
	return scores, law
}

// turn returns where a condition on a number below a million in size, which holds from some number
// on, begins to hold.
func turn(holds func(x float64) bool) float64 {
	lo, hi := -1e6, 1e6
	for range 100 {
		if mid := float64((lo + hi) / 2); holds(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// logs returns the logarithms of the probabilities of the candidates.
func logs(scores []float64, law privacy.Law) []float64 {
	p, sum := make([]float64, len(scores)), 0.0
	for i := range p {
		switch law.Kind {
		case "Gumbel":
			p[i] = portable.Exp((scores[i] - scores[0]) / law.Scale)
		case "Laplace":
			const steps, end = 4000, 40.0 // z is in units of the noise
			for k := range 2*steps + 1 {
				z := float64(end * (float64(k)/steps - 1))
				density := portable.Exp(-math.Abs(z))
				for j := range scores {
					if j != i {
						density *= laplaceBelow(z + (scores[i]-scores[j])/law.Scale)
					}
				}
				p[i] += density
			}
		default:
			panic(fmt.Sprintf("suite: a choice under noise that is %v", law))
		}
		sum += p[i]
	}
	for i := range p {
		p[i] = portable.Log(p[i] / sum)
	}
	return p
}

// laplaceBelow is the distribution function of Laplace noise of scale 1.
func laplaceBelow(z float64) float64 {
	if z < 0 {
		return portable.Exp(z) / 2
	}
	return 1 - float64(portable.Exp(-z)/2)
}

// item returns the attack by likelihood.
func (c choice) item(name string, claim privacy.Claim, runs int) audit.Likelihood {
	var chances [2][]float64
	for w := range chances {
		chances[w] = logs(c.scores(w))
	}
	densities := make([]audit.Density, c.candidates)
	for i := range densities {
		if densities[i] = func(int, []float64) float64 { return 0 }; c.values == 0 {
			continue
		}
		out := make([]float64, 1+c.values)
		shown, _, err := audit.LinearOf(c.values, func(world int, noise *privacy.Noise, values []float64) error {
			_, err := c.forced(world, c.pushed(i, i, 0), noise, out)
			copy(values, out[1:])
			return err
		})
		must(err)
		densities[i] = shown.Density
	}
	point, curve := audit.Claimed(claim)
	return audit.Likelihood{
		Name: name, Claim: point, Curve: curve, Runs: runs, Outputs: 1 + c.values,
		Density: func(world int, out []float64) float64 {
			i := int(out[0])
			return chances[world][i] + densities[i](world, out[1:])
		},
		Release: func(world int, source rand.Source, out []float64) error {
			return c.release(world, privacy.NewNoise(source), out)
		},
	}
}
