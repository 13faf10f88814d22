package environment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Kernel is an environment whose mean reward is a smooth function of the context, and not linear.
//
// The function is f(x) = sum_j c_j k(x, z_j), with the Gaussian kernel k(x, z) = exp(-|x -
// z|^2/(2 Lengthscale^2)). In each trial the centres z_j are uniform in the unit ball, as contexts
// are, and the c_j normal, then scaled: the norm of f in the kernel's space, the root of sum_ij c_i
// c_j k(z_i, z_j), is Norm. Means are in [-Norm, Norm], as f(x) = <f, k(x, .)> and k(x, x) = 1. A
// reward is 1 with probability (1 + f(x))/2, and -1 otherwise.
type Kernel struct {
	Arms        int     // K >= 1; 0 means 20
	Dim         int     // of a context, >= 1; 0 means 1
	Centres     int     // >= 1; 0 means 6
	Lengthscale float64 // > 0; 0 means 0.25
	Norm        float64 // of f, in (0, 1]; 0 means 1
	Fixed       bool    // keep the same arms in all rounds of a trial; false draws fresh ones each round
}

// Open returns an error if a field is out of its range.
func (e Kernel) Open() (bandit.World, error) {
	f := e.filled()
	switch {
	case f.Arms < 1:
		return nil, fmt.Errorf("environment: Kernel.Arms = %d, want >= 1, or 0 for 20", e.Arms)
	case f.Dim < 1:
		return nil, fmt.Errorf("environment: Kernel.Dim = %d, want >= 1, or 0 for 1", e.Dim)
	case f.Centres < 1 || f.Centres > 1000:
		return nil, fmt.Errorf("environment: Kernel.Centres = %d, want in [1, 1000], or 0 for 6", e.Centres)
	case !(f.Lengthscale >= 1e-9 && f.Lengthscale <= 1e9):
		return nil, fmt.Errorf("environment: Kernel.Lengthscale = %v, want in [1e-9, 1e9], or 0 for 0.25", e.Lengthscale)
	case !(f.Norm > 0 && f.Norm <= 1):
		return nil, fmt.Errorf("environment: Kernel.Norm = %v, want in (0, 1], or 0 for 1", e.Norm)
	}
	if err := checkSize("Kernel", float64(f.Arms)+float64(f.Centres), f.Dim); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), f.start), nil
}

// filled returns the environment with its defaults.
func (e Kernel) filled() Kernel {
	e.Arms, e.Dim, e.Centres = cmp.Or(e.Arms, 20), cmp.Or(e.Dim, 1), cmp.Or(e.Centres, 6)
	e.Lengthscale, e.Norm = cmp.Or(e.Lengthscale, 0.25), cmp.Or(e.Norm, 1)
	return e
}

// Problem describes the environment to a learner.
func (e Kernel) Problem() bandit.Problem {
	f := e.filled()
	return bandit.Problem{Arms: f.Arms, Dim: f.Dim, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
}

// kernel is a trial of Kernel.
type kernel struct {
	of      Kernel
	rng     *rand.Rand
	centres []float64
	c       []float64
	x       []float64
	mean    []float64
	best    float64
	round   int
}

// start draws f, and the arms if they are fixed.
func (e Kernel) start(contexts *rand.Rand) bandit.Instance {
	k := &kernel{
		of: e, rng: contexts, centres: make([]float64, e.Centres*e.Dim), c: make([]float64, e.Centres),
		x: make([]float64, e.Arms*e.Dim), mean: make([]float64, e.Arms),
	}
	k.ball(k.centres)
	random.NewNormals(contexts).Fill(k.c)
	var square, sum float64
	for j, c := range k.c {
		square += float64(c * k.at(k.centres[j*e.Dim:(j+1)*e.Dim]))
		sum += float64(c * c)
	}
	square = max(square, 1e-9*sum) // centres that are all but one, whose c_j cancel
	for j := range k.c {
		k.c[j] *= e.Norm / math.Sqrt(square)
	}
	if e.Fixed {
		k.draw()
	}
	return k
}

// ball sets rows to points that are uniform in the unit ball.
func (k *kernel) ball(rows []float64) {
	for d := k.of.Dim; len(rows) > 0; rows = rows[d:] {
		random.Sphere(k.rng, rows[:d])
		radius := portable.Pow(k.rng.Float64(), 1/float64(d))
		for i := range rows[:d] {
			rows[i] *= radius
		}
	}
}

// at returns f(x).
func (k *kernel) at(x []float64) (f float64) {
	d, l := k.of.Dim, k.of.Lengthscale
	for j, c := range k.c {
		var square float64
		for i, z := range k.centres[j*d : (j+1)*d] {
			off := (x[i] - z) / l
			square += float64(off * off)
		}
		f += float64(c * portable.Exp(-square/2))
	}
	return f
}

// draw draws the arms.
func (k *kernel) draw() {
	k.ball(k.x)
	k.best = -1
	for a := range k.mean {
		k.mean[a] = min(max(k.at(k.x[a*k.of.Dim:(a+1)*k.of.Dim]), -1), 1)
		k.best = max(k.best, k.mean[a])
	}
}

// Next shows the round's arms.
func (k *kernel) Next(v *bandit.View) {
	if k.round++; !k.of.Fixed {
		k.draw()
	}
	v.Round, v.Arms, v.Dim, v.X, v.Same = k.round, k.of.Arms, k.of.Dim, k.x, k.of.Fixed && k.round > 1
}

// Pull draws the reward of each arm played.
func (k *kernel) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = random.Rademacher(rewards, k.mean[a])
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (k *kernel) Regret(arms []int) float64 { return shortfall(k.best, k.mean, arms) }
