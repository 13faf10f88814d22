package environment

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// UnitFeatures is the environment of the experiments on linear bandits in the local and the shuffle
// model (LDP, Section 5; Chowdhury and Zhou 2022).
//
// Contexts are (u, 1) Norm/sqrt(2), whose last coordinate is a public constant, and theta = (v,
// 1)/(sqrt(2) Norm). u and v are uniform on the unit sphere of dimension Dim-1. The mean reward
// <theta, x> = (1 + <u, v>)/2 therefore lies in [0, 1]; rewards are Bernoulli.
//
// The LDP paper has |x| = 1 and |theta| = 1, which is Norm = 1. The script from which it takes its
// experiment has x = (u, 1) and theta = (v/2, 1/2), which is Norm = sqrt(2), and Basis. Both keep
// the arms of a trial fixed.
type UnitFeatures struct {
	Arms  int     // K >= 1; 0 means 100, as in the paper
	Dim   int     // d >= 2; 0 means 5, as in the paper
	Norm  float64 // |x| > 0; 0 means 1
	Fixed bool    // keep the same arms in all rounds of a trial; false draws fresh ones each round
	// Basis makes the first Dim arms (e_i, 1), i < Dim, and (0, 1), at the same scale as the others;
	// the last of them is shorter.
	Basis bool
}

// unitFeatures is a trial of UnitFeatures.
type unitFeatures struct {
	of        UnitFeatures
	arms, dim int
	scale     float64 // of a context: Norm/sqrt(2)
	normals   *random.Normals
	v         []float64 // direction of theta
	u         []float64 // of the contexts, arm by arm
	x         []float64
	mean      []float64 // mean reward by arm
	best      float64
	round     int
}

// Open returns an error if a field is out of its range.
func (e UnitFeatures) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), e.start), nil
}

func (e UnitFeatures) check() error {
	p := e.Problem()
	switch {
	case e.Arms < 0:
		return fmt.Errorf("environment: UnitFeatures.Arms = %d, want >= 1, or 0 for 100", e.Arms)
	case p.Dim < 2:
		return fmt.Errorf("environment: UnitFeatures.Dim = %d, want >= 2, or 0 for 5", e.Dim)
	case !(p.ContextNorm >= 1e-100 && p.ContextNorm <= 1e100):
		return fmt.Errorf("environment: UnitFeatures.Norm = %v, want in [1e-100, 1e100], or 0 for 1", e.Norm)
	case e.Basis && p.Arms < p.Dim:
		return fmt.Errorf("environment: UnitFeatures.Arms = %d with Basis, want >= Dim = %d", p.Arms, p.Dim)
	}
	return checkSize("UnitFeatures", 2*float64(p.Arms), p.Dim)
}

// Problem describes the environment to a learner.
func (e UnitFeatures) Problem() bandit.Problem {
	p := bandit.Problem{Arms: e.Arms, Dim: e.Dim, Slots: 1, ContextNorm: e.Norm, RewardMin: 0, RewardMax: 1}
	if p.Arms == 0 {
		p.Arms = 100
	}
	if p.Dim == 0 {
		p.Dim = 5
	}
	if p.ContextNorm == 0 {
		p.ContextNorm = 1
	}
	return p
}

// Constant returns Norm/sqrt(2), the last coordinate of every context, which is public.
func (e UnitFeatures) Constant() float64 { return e.Problem().ContextNorm / math.Sqrt2 }

// start draws theta, and the arms if they are fixed.
func (e UnitFeatures) start(contexts *rand.Rand) bandit.Instance {
	p := e.Problem()
	f := &unitFeatures{
		of: e, arms: p.Arms, dim: p.Dim, scale: e.Constant(), normals: random.NewNormals(contexts),
		v: make([]float64, p.Dim-1), u: make([]float64, p.Arms*(p.Dim-1)),
		x: make([]float64, p.Arms*p.Dim), mean: make([]float64, p.Arms),
	}
	random.Sphere(contexts, f.v)
	if e.Fixed {
		f.draw()
	}
	return f
}

// Next shows the round's arms.
func (e *unitFeatures) Next(v *bandit.View) {
	if e.round++; !e.of.Fixed {
		e.draw()
	}
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.arms, e.dim, e.x, e.of.Fixed && e.round > 1
}

// draw draws the arms. A vector of normals divided by its length is uniform on the sphere.
func (e *unitFeatures) draw() {
	e.normals.Fill(e.u)
	n := e.dim - 1
	e.best = 0
	for a := range e.arms {
		u, x := e.u[a*n:(a+1)*n], e.x[a*e.dim:(a+1)*e.dim]
		along, square := e.heights(u)
		if e.of.Basis && a < e.dim {
			clear(u)
			along, square = 0, 1
			if a < n {
				u[a], along = 1, e.v[a]
			}
		}
		for square < 1e-200 { // one or a few normals so small: as good as never
			e.normals.Fill(u)
			along, square = e.heights(u)
		}
		inverse := 1 / math.Sqrt(square)
		for i, w := range u {
			x[i] = w * inverse * e.scale
		}
		x[n] = e.scale
		e.mean[a] = min(max((1+float64(along*inverse))/2, 0), 1)
		e.best = max(e.best, e.mean[a])
	}
}

// heights returns <u, v> and |u|^2.
func (e *unitFeatures) heights(u []float64) (along, square float64) {
	v := e.v[:len(u)]
	for i, w := range u {
		along += float64(w * v[i])
		square += float64(w * w)
	}
	return along, square
}

func (e *unitFeatures) parameter() []float64 {
	theta := make([]float64, e.dim)
	for i, w := range e.v {
		theta[i] = w / (2 * e.scale)
	}
	theta[e.dim-1] = 1 / (2 * e.scale)
	return theta
}

// Pull draws the reward of each arm played: 1 with probability the arm's mean, else 0.
func (e *unitFeatures) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		won := 0 // a whole number is set without a jump, which a coin would mislead
		if rewards.Float64() < e.mean[a] {
			won = 1
		}
		y[i] = float64(won)
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (e *unitFeatures) Regret(arms []int) float64 { return shortfall(e.best, e.mean, arms) }
