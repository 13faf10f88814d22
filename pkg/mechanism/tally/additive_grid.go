package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/trust"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// gridNoise is the discrete noise of answers on a grid. One of its laws is nil.
type gridNoise struct {
	laplace  *random.DiscreteLaplace
	gaussian *random.DiscreteGaussian
}

// onGrid returns the release of an answer that is rounded to the grid, and its noise.
//
// Rounding moves a number by at most half a step, and each number of two answers by a step further
// apart: D1/g + d steps in L1, for d numbers and the grid g, and D2/g + sqrt(d) in L2.
func (a *additive) onGrid(b privacy.Budget, norms privacy.Norms) (r privacy.Release, noise gridNoise, err error) {
	const up = 1 + 1e-12 // more than the rounding errors of these lines
	d, reach := float64(a.dim), int64(0)
	if a.gaussian {
		var rho float64
		if rho, err = b.ConcentratedRho(); err != nil {
			return r, noise, err
		}
		steps := float64(norms.L2/a.grid*up) + math.Sqrt(d)
		num, den := lattice.Fraction(steps * steps / (2 * rho) * up)
		if noise.gaussian, err = random.NewDiscreteGaussian(num, den); err == nil {
			r, reach = privacy.Release{Law: privacy.DiscreteGaussianLaw(a.dim, noise.gaussian), Sensitivity: privacy.Norms{L2: steps}}, noise.gaussian.Max()
		}
	} else {
		steps := math.Floor(float64(norms.L1/a.grid*up) + d)
		num, den := lattice.Fraction(steps / b.Epsilon * up)
		if noise.laplace, err = random.NewDiscreteLaplace(num, den); err == nil {
			r, reach = privacy.Release{Law: privacy.DiscreteLaplaceLaw(a.dim, noise.laplace), Sensitivity: privacy.Norms{L1: steps}}, noise.laplace.Max()
		}
	}
	switch room := lattice.Largest - reach; {
	case err != nil:
		return r, noise, fmt.Errorf("mechanism: Additive.Grid = %v: %w: use a coarser grid", a.grid, err)
	case room < lattice.Largest/2:
		return r, noise, fmt.Errorf("mechanism: Additive.Grid = %v with noise of up to %d steps, want <= 2^52: use a coarser grid", a.grid, reach)
	default:
		a.room = min(a.room, room)
	}
	return r, noise, nil
}

// checkGrid returns an error unless answers can be on a grid.
func checkGrid(b privacy.Budget, grid float64) error {
	switch {
	case !lattice.PowerOfTwo(grid):
		return fmt.Errorf("mechanism: Additive.Grid = %v, want a power of two, or 0 for noise in floating point", grid)
	case b.None():
		return fmt.Errorf("mechanism: Additive.Grid = %v with epsilon = +Inf: noise of zero protects nobody, want a finite epsilon", grid)
	}
	return nil
}

// secured returns the plan as one of noise that is fit for deployment, if it is discrete.
func (a *additive) secured(p privacy.Plan) privacy.Plan {
	if a.grid == 0 {
		return p
	}
	p.Conditions = append(p.Conditions, fmt.Sprintf("answers rounded to the grid %v inside the mechanism", a.grid))
	if p.Source = "Ghosh, Roughgarden, Sundararajan 2012; Canonne, Kamath, Steinke 2020, Algorithm 2"; a.gaussian {
		p.Source = "Canonne, Kamath, Steinke 2020, Theorem 4 and Algorithm 3; zCDP (Bun and Steinke 2016)"
	}
	return p.Secured(trust.Discrete)
}

// releaseOnGrid writes the answer in value, rounded to the grid and under noise, into the release.
func (r *additiveRun) releaseOnGrid(noise gridNoise) {
	if r.gaussian {
		r.noise.DiscreteGaussian(r.steps, noise.gaussian)
	} else {
		r.noise.DiscreteLaplace(r.steps, noise.laplace)
	}
	for i, v := range r.value {
		r.answer.Of[i] = float64(int64(math.RoundToEven(v/r.grid))+r.steps[i]) * r.grid
	}
	clear(r.steps)
}

// Check compares noise drawn from the operating system with the noise that the claim requires. It
// does nothing without a Grid.
func (r *additiveRun) Check() error {
	if r.ledger == nil {
		return nil
	}
	return r.ledger.CheckPlan((*gridded)(r), r.count)
}

// gridded is a run whose plan lists the draws from the system.
type gridded additiveRun

// Plan returns the mechanism's plan with the draws of the run.
func (g *gridded) Plan(records int) privacy.Plan { return g.plan(records, g.draws).HeldBy(g) }
