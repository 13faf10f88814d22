package audit

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Calibration is a family of audits whose claim is true exactly: any claim that they exclude is a
// false alarm.
type Calibration struct {
	Name  string
	audit Mechanism
}

// Calibrations lists four families: Laplace noise, Gaussian noise, randomised response, and a
// vector of which only a learned likelihood ratio tells all: what its second half tells depends on
// the first.
func Calibrations() []Calibration {
	const epsilon, delta = 1.0, 0.05
	mu, err := privacy.Budget{Epsilon: epsilon, Delta: delta}.GaussianMu()
	if err != nil {
		panic(err)
	}
	pure := privacy.Budget{Epsilon: epsilon}
	half := 1 / (1 + portable.Exp(epsilon/2))
	return []Calibration{
		{"Laplace", Mechanism{Claim: pure, Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, 1/epsilon)
			out[0] += float64(world)
			return nil
		}}},
		{"Gaussian", Mechanism{Claim: privacy.Budget{Epsilon: epsilon, Delta: delta}, Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Gaussian(out, 1/mu)
			out[0] += float64(world)
			return nil
		}}},
		{"randomised response", Mechanism{Claim: pure, Release: func(world int, source rand.Source, out []float64) error {
			out[0] = float64(privacy.NewNoise(source).Response(world, 3, epsilon))
			return nil
		}}},
		{"learned likelihood ratio", Mechanism{Claim: pure, Outputs: 5, Release: func(world int, source rand.Source, out []float64) error {
			// The world's bit by randomised response of epsilon/2, and again, turned around as a fair
			// coin says; three outputs are noise.
			rng, n := rand.New(source), privacy.NewNoise(source)
			n.Laplace(out, 1)
			coin := rng.IntN(2)
			first, second := world, world
			if rng.Float64() < half {
				first = 1 - world
			}
			if rng.Float64() < half {
				second = 1 - world
			}
			out[0], out[1] = float64(2*coin+first), float64(second^coin)+out[1]/1000
			return nil
		}}},
	}
}

// Count makes audits with seeds of their own, and returns how many exclude the claim. o.Runs is the
// number of runs of each; 0 means 1000.
func (c Calibration) Count(ctx context.Context, audits int, o Options) (wrong int, err error) {
	if o.Runs == 0 {
		o.Runs = 1000
	}
	for i := range audits {
		m := c.audit
		m.Name = fmt.Sprintf("%s, calibration %d", c.Name, i)
		f, err := m.Run(ctx, o)
		if err != nil {
			return wrong, err
		}
		if f.Excluded() {
			wrong++
		}
	}
	return wrong, nil
}
