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
type toyLearner struct{}

// toyRun is a run of a toyLearner.
type toyRun struct {
	problem bandit.Problem
	own     *rand.Rand
	noise   *rand.Rand
	theta   []float64
	score   []float64
	rounds  int
}

func (toyLearner) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := toyOpens(p, horizon); err != nil {
		return nil, err
	}
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		l := new(toyRun)
		l.start(p, own, noise)
		return l
	}), nil
}

func toyOpens(p bandit.Problem, horizon int) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if p.Dim == 0 {
		return errors.New("toy: Problem.Dim = 0, want > 0")
	}
	return bandit.CheckHorizon(horizon)
}

func (l *toyRun) start(p bandit.Problem, own *rand.Rand, noise rand.Source) {
	*l = toyRun{problem: p, own: own, noise: rand.New(noise), theta: make([]float64, p.Dim), score: make([]float64, p.Arms)}
	for i := range l.theta {
		l.theta[i] = l.noise.NormFloat64()
	}
}

func (l *toyRun) Select(v *bandit.View, dst []int) ([]int, error) {
	if v.Dim != l.problem.Dim || len(v.X) != v.Arms*v.Dim {
		return dst, fmt.Errorf("toy: view of dimension %d with %d numbers", v.Dim, len(v.X))
	}
	if slices.ContainsFunc(v.X, math.IsNaN) {
		return dst, errors.New("toy: NaN context")
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
	return dst, nil
}

func (l *toyRun) Update(v *bandit.View, arms []int, y []float64) error {
	if len(y) != len(arms) {
		return fmt.Errorf("toy: %d rewards for %d arms", len(y), len(arms))
	}
	if slices.ContainsFunc(y, math.IsNaN) {
		return errors.New("toy: NaN reward")
	}
	l.learn(v, arms, y)
	return nil
}

func (l *toyRun) learn(v *bandit.View, arms []int, y []float64) {
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

func (l *toyRun) Warnings() []bandit.Warning {
	return []bandit.Warning{{What: "rounds", Count: l.rounds}}
}
