package environment

import (
	"fmt"
	"math/rand/v2"

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

	arms  int
	theta []float64
	x     []float64
	mean  []float64
	best  float64
	round int
}

var _ bandit.Environment = (*SphereArms)(nil)

// Validate returns an error if a field is out of its range.
func (e *SphereArms) Validate() error {
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
func (e *SphereArms) Problem() bandit.Problem {
	p := bandit.Problem{Arms: e.Arms, Dim: e.Dim, Slots: 1, ContextNorm: 1, RewardMin: -0.5, RewardMax: 0.5}
	if p.Arms == 0 {
		p.Arms = 50
	}
	return p
}

// Reset starts a trial: it draws theta and the arms. It panics if Validate fails.
func (e *SphereArms) Reset(contexts *rand.Rand) {
	if err := e.Validate(); err != nil {
		panic(err)
	}
	e.arms, e.round = e.Problem().Arms, 0
	e.theta, e.x, e.mean = resize(e.theta, e.Dim), resize(e.x, e.arms*e.Dim), resize(e.mean, e.arms)
	length := e.Length
	if length == 0 {
		length = 0.5
	}
	random.Sphere(contexts, e.theta)
	for i := range e.theta {
		e.theta[i] *= length
	}
	for a := range e.arms {
		x := e.x[a*e.Dim : (a+1)*e.Dim]
		random.Sphere(contexts, x)
		e.mean[a] = min(max(packed.Dot(e.theta, x), -0.5), 0.5)
		if a == 0 || e.mean[a] > e.best {
			e.best = e.mean[a]
		}
	}
}

// Next shows the arms.
func (e *SphereArms) Next(v *bandit.View) {
	e.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.arms, e.Dim, e.x, e.round > 1
}

// Theta returns a copy of the true parameter, for pictures and tests. No learner sees it.
func (e *SphereArms) Theta() []float64 { return append([]float64(nil), e.theta...) }

// Pull draws the reward of each arm played.
func (e *SphereArms) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = random.Rademacher(rewards, 2*e.mean[a]) / 2
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (e *SphereArms) Regret(arms []int) float64 {
	var regret float64
	for _, a := range arms {
		regret += e.best - e.mean[a]
	}
	return regret
}
