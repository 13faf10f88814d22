package environment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Logistic is a bandit with rewards of a logistic model: a reward is 1 with probability mu(<x,
// theta>), mu(z) = 1/(1 + exp(-z)), and 0 otherwise. It is the game of the experiments of
// Sarmasarkar (2026, arXiv:2602.00417) on generalised linear bandits.
//
// In each trial theta is uniform of length Norm. In each round the contexts are new, uniform in the
// unit ball. The published script keeps one theta and one sequence of contexts; as no direction is
// special, that theta's direction changes no law.
type Logistic struct {
	Arms int     // K >= 1; 0 means 20, as in the script
	Dim  int     // d >= 1; 0 means 3, as in the script
	Norm float64 // |theta|, in (0, 100]; 0 means 2.5, the first of the script's
}

// logistic is a trial of Logistic.
type logistic struct {
	of      Logistic
	rng     *rand.Rand
	normals *random.Normals
	theta   []float64
	x       []float64
	mean    []float64 // mean reward by arm
	best    float64
	round   int
}

// Open returns an error if a field is out of its range.
func (e Logistic) Open() (bandit.World, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return bandit.NewWorld(e.Problem(), e.start), nil
}

func (e Logistic) check() error {
	switch {
	case e.Arms < 0:
		return fmt.Errorf("environment: Logistic.Arms = %d, want >= 1, or 0 for 20", e.Arms)
	case e.Dim < 0:
		return fmt.Errorf("environment: Logistic.Dim = %d, want >= 1, or 0 for 3", e.Dim)
	case !(e.Norm >= 0 && e.Norm <= 100):
		return fmt.Errorf("environment: Logistic.Norm = %v, want in (0, 100], or 0 for 2.5", e.Norm)
	}
	e = e.filled()
	return checkSize("Logistic", float64(e.Arms), e.Dim)
}

// filled returns the environment with its defaults in the place of zeros.
func (e Logistic) filled() Logistic {
	if e.Arms == 0 {
		e.Arms = 20
	}
	if e.Dim == 0 {
		e.Dim = 3
	}
	if e.Norm == 0 {
		e.Norm = 2.5
	}
	return e
}

// Problem describes the environment to a learner.
func (e Logistic) Problem() bandit.Problem {
	e = e.filled()
	return bandit.Problem{Arms: e.Arms, Dim: e.Dim, Slots: 1, ContextNorm: 1, RewardMin: 0, RewardMax: 1}
}

// start draws theta.
func (e Logistic) start(contexts *rand.Rand) bandit.Instance {
	e = e.filled()
	l := &logistic{
		of: e, rng: contexts, normals: random.NewNormals(contexts),
		theta: make([]float64, e.Dim), x: make([]float64, e.Arms*e.Dim), mean: make([]float64, e.Arms),
	}
	random.Sphere(contexts, l.theta)
	for i := range l.theta {
		l.theta[i] *= e.Norm
	}
	return l
}

// Next draws the contexts. A vector of normals has a uniform direction, and U^(1/d) is the law of
// the length of a uniform point.
func (e *logistic) Next(v *bandit.View) {
	e.round++
	e.normals.Fill(e.x)
	e.best = 0
	d := e.of.Dim
	for a := range e.of.Arms {
		x := e.x[a*d : (a+1)*d]
		var along, square float64
		for {
			along, square = 0, 0
			for i, w := range x {
				along += float64(w * e.theta[i])
				square += float64(w * w)
			}
			if square >= 1e-200 { // else a few normals so small: as good as never
				break
			}
			e.normals.Fill(x)
		}
		scale := portable.Exp(portable.Log(1-float64(e.rng.Float64()))/float64(d)) / math.Sqrt(square)
		for i := range x {
			x[i] *= scale
		}
		e.mean[a] = sigmoid(float64(along * scale))
		e.best = max(e.best, e.mean[a])
	}
	v.Round, v.Arms, v.Dim, v.X, v.Same = e.round, e.of.Arms, d, e.x, false
}

// sigmoid returns 1/(1 + exp(-z)).
func sigmoid(z float64) float64 {
	e := portable.Exp(-math.Abs(z))
	if z < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

func (e *logistic) parameter() []float64 { return slices.Clone(e.theta) }

// Pull draws the reward of each arm played: 1 with probability the arm's mean, else 0.
func (e *logistic) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		won := 0
		if rewards.Float64() < e.mean[a] {
			won = 1
		}
		y[i] = float64(won)
	}
}

// Regret returns the sum, over the arms played, of the greatest mean reward minus the arm's.
func (e *logistic) Regret(arms []int) float64 { return shortfall(e.best, e.mean, arms) }
