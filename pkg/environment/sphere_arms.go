package environment

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SphereArms is a linear bandit with a finite set of arms that stays the same: the game of
// elimination over core sets (Hanna, Girgis, Fragouli, Diggavi 2022).
//
// In each trial the arms are uniform on the unit sphere and theta is uniform of length Length. A
// reward is 1/2 with probability 1/2 + <a, theta>, and -1/2 otherwise: it has mean <a, theta> and a
// range of 1.
type SphereArms struct {
	Arms   int     // K >= 1; 0 means 50
	Dim    int     // d >= 1
	Length float64 // |theta| in (0, 1/2]; 0 means 1/2
}

// sphereArms is a trial of SphereArms.
type sphereArms struct {
	arms  int
	dim   int
	theta []float64
	x     []float64
	mean  []float64
	best  float64
	round int
}

// Open returns an error if a field is out of its range.
func (e SphereArms) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), e.start), nil
}

func (e SphereArms) check() error {
	switch {
	case e.Arms < 0:
		return fmt.Errorf("environment: SphereArms.Arms = %d, want >= 1, or 0 for 50", e.Arms)
	case e.Dim < 1:
		return fmt.Errorf("environment: SphereArms.Dim = %d, want >= 1", e.Dim)
	case !(e.Length >= 0 && e.Length <= 0.5):
		return fmt.Errorf("environment: SphereArms.Length = %v, want in (0, 0.5], or 0 for 0.5", e.Length)
	}
	return checkSize("SphereArms", float64(e.Problem().Arms), e.Dim)
}

// Problem describes the environment to a learner.
func (e SphereArms) Problem() bandit.Problem {
	p := bandit.Problem{Arms: e.Arms, Dim: e.Dim, Slots: 1, ContextNorm: 1, RewardMin: -0.5, RewardMax: 0.5}
	if p.Arms == 0 {
		p.Arms = 50
	}
	return p
}

// start draws theta and the arms.
func (e SphereArms) start(contexts *rand.Rand) bandit.Instance {
	arms := e.Problem().Arms
	s := &sphereArms{arms: arms, dim: e.Dim, theta: make([]float64, e.Dim), x: make([]float64, arms*e.Dim), mean: make([]float64, arms)}
	length := e.Length
	if length == 0 {
		length = 0.5
	}
	random.Sphere(contexts, s.theta)
	for i := range s.theta {
		s.theta[i] *= length
	}
	for a := range arms {
		x := s.x[a*e.Dim : (a+1)*e.Dim]
		random.Sphere(contexts, x)
		s.mean[a] = min(max(packed.Dot(s.theta, x), -0.5), 0.5)
		if a == 0 || s.mean[a] > s.best {
			s.best = s.mean[a]
		}
	}
	return s
}

// Next shows the arms.
func (e *sphereArms) Next(v *bandit.View) {
	e.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.arms, e.dim, e.x, e.round > 1
}

func (e *sphereArms) parameter() []float64 { return slices.Clone(e.theta) }

// Pull draws the reward of each arm played.
func (e *sphereArms) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = random.Rademacher(rewards, 2*e.mean[a]) / 2
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (e *sphereArms) Regret(arms []int) float64 { return shortfall(e.best, e.mean, arms) }
