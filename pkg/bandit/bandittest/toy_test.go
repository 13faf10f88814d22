package bandittest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

const (
	toyArms  = 5
	toyDim   = 3
	toySlots = 2
)

// toyEnv pays each arm played 1 with probability (1 + <x, theta>)/2, else 0.
type toyEnv struct{}

var toyProblem = bandit.Problem{Arms: toyArms, Dim: toyDim, Slots: toySlots, ContextNorm: 1, RewardMin: 0, RewardMax: 1}

func (toyEnv) Open() (bandit.World, error) {
	return bandit.NewWorld(toyProblem, func(contexts *rand.Rand) bandit.Instance {
		e := new(toy)
		e.start(contexts)
		return e
	}), nil
}

// toy is a trial of toyEnv.
type toy struct {
	contexts *rand.Rand
	theta    [toyDim]float64
	x        [toyArms * toyDim]float64
	round    int
}

func (e *toy) start(contexts *rand.Rand) {
	e.contexts = contexts
	e.ball(e.theta[:])
}

// ball draws a point of the unit cube, scaled into the unit ball.
func (e *toy) ball(dst []float64) {
	for i := range dst {
		dst[i] = (2*e.contexts.Float64() - 1) / math.Sqrt(toyDim)
	}
}

func (e *toy) Next(v *bandit.View) {
	e.round++
	e.ball(e.x[:])
	*v = bandit.View{Round: e.round, Arms: toyArms, Dim: toyDim, X: e.x[:]}
}

func (e *toy) mean(arm int) float64 {
	m := 1.0
	for i, t := range e.theta {
		m += t * e.x[arm*toyDim+i]
	}
	return m / 2
}

func (e *toy) Pull(rewards *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = 0
		if rewards.Float64() < e.mean(a) {
			y[i] = 1
		}
	}
}

func (e *toy) Regret(arms []int) float64 {
	var means [toyArms]float64
	for a := range means {
		means[a] = e.mean(a)
	}
	regret := 0.0
	for _, a := range arms {
		regret -= means[a]
	}
	slices.Sort(means[:])
	for _, m := range means[toyArms-toySlots:] {
		regret += m
	}
	return regret
}

// toyLearner follows the gradient of the squared error, with private-looking noise, and plays the
// arms that it takes for the best.
type toyLearner struct {
	bandit.Base
	problem bandit.Problem
	own     *rand.Rand
	noise   *rand.Rand
	theta   []float64
	score   []float64
	rounds  int
}

func (l *toyLearner) Init(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if p.Dim == 0 {
		return errors.New("toy: Problem.Dim = 0, want > 0")
	}
	l.problem, l.theta, l.score = p, make([]float64, p.Dim), make([]float64, p.Arms)
	return bandit.CheckHorizon(horizon)
}

func (l *toyLearner) Reset(own *rand.Rand, noise rand.Source) {
	l.Clear()
	l.own, l.noise, l.rounds = own, rand.New(noise), 0
	for i := range l.theta {
		l.theta[i] = l.noise.NormFloat64()
	}
}

func (l *toyLearner) Select(v *bandit.View, dst []int) []int {
	if v.Dim != l.problem.Dim || len(v.X) != v.Arms*v.Dim {
		l.Fail(fmt.Errorf("toy: view of dimension %d with %d numbers", v.Dim, len(v.X)))
		return dst
	}
	for _, x := range v.X {
		if math.IsNaN(x) {
			l.Fail(errors.New("toy: NaN context"))
			return dst
		}
	}
	for a := range v.Arms {
		l.score[a] = 0
		for i, x := range v.Row(a) {
			l.score[a] += x * l.theta[i]
		}
	}
	for range l.problem.Slots {
		best := 0
		for a, s := range l.score {
			if s > l.score[best] {
				best = a
			}
		}
		l.score[best] = math.Inf(-1)
		dst = append(dst, best)
	}
	return dst
}

func (l *toyLearner) Update(v *bandit.View, arms []int, y []float64) {
	if len(y) != len(arms) {
		l.Fail(fmt.Errorf("toy: %d rewards for %d arms", len(y), len(arms)))
		return
	}
	for _, y := range y {
		if math.IsNaN(y) {
			l.Fail(errors.New("toy: NaN reward"))
			return
		}
	}
	l.learn(v, arms, y)
}

func (l *toyLearner) learn(v *bandit.View, arms []int, y []float64) {
	l.rounds++
	for k, a := range arms {
		row := v.Row(a)
		miss := 2*y[k] - 1
		for i, x := range row {
			miss -= x * l.theta[i]
		}
		for i, x := range row {
			l.theta[i] += 0.3 * (miss*x + 0.1*l.noise.NormFloat64())
		}
	}
}

func (l *toyLearner) Warnings() []bandit.Warning {
	return []bandit.Warning{{What: "rounds", Count: l.rounds}}
}
