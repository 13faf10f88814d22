package environment

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TwoContexts is the environment of JDP, Claim 13: two arms, theta and -theta, which a coin swaps
// every round.
//
// The reward is +1 for theta and -1 for -theta, without noise, so the wrong arm costs a regret of
// 2. A learner does well exactly when its action follows the coin.
type TwoContexts struct {
	Dim int // d >= 1
}

// twoContexts is a trial of TwoContexts.
type twoContexts struct {
	dim   int
	theta []float64
	x     []float64
	best  int
	round int
	rng   *rand.Rand
}

// Problem describes the environment to a learner.
func (e TwoContexts) Problem() bandit.Problem {
	return bandit.Problem{Arms: 2, Dim: e.Dim, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
}

// Open returns an error if a field is out of its range.
func (e TwoContexts) Open() (bandit.World, error) {
	if e.Dim < 1 {
		return nil, fmt.Errorf("environment: TwoContexts.Dim = %d, want >= 1", e.Dim)
	}
	if err := checkSize("TwoContexts", 2, e.Dim); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), func(contexts *rand.Rand) bandit.Instance {
		t := &twoContexts{dim: e.Dim, theta: make([]float64, e.Dim), x: make([]float64, 2*e.Dim), rng: contexts}
		random.Sphere(contexts, t.theta)
		return t
	}), nil
}

// Next tosses the coin and shows the two arms in its order.
func (e *twoContexts) Next(v *bandit.View) {
	e.round++
	e.best = int(e.rng.Uint64() >> 63)
	for i, t := range e.theta {
		e.x[e.best*e.dim+i] = t
		e.x[(1-e.best)*e.dim+i] = -t
	}
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, 2, e.dim, e.x, false
}

// Pull returns +1 for the arm that is theta and -1 for the other.
func (e *twoContexts) Pull(_ *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = -1
		if a == e.best {
			y[i] = 1
		}
	}
}

// Regret returns 2 for each wrong arm played.
func (e *twoContexts) Regret(arms []int) float64 {
	var regret float64
	for _, a := range arms {
		if a != e.best {
			regret += 2
		}
	}
	return regret
}
