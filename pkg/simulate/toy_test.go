package simulate

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// toyArms is a Gaussian environment of two arms with means drawn for each trial, plus a context of
// noise that nobody needs, so that the contexts' stream advances.
type toyArms struct{}

func (toyArms) Problem() bandit.Problem {
	return bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: -10, RewardMax: 10}
}

func (e toyArms) Open() (bandit.World, error) {
	return bandit.NewWorld(e.Problem(), func(contexts *rand.Rand) bandit.Instance { return startToy(contexts) }), nil
}

// toyTrial is a trial of toyArms.
type toyTrial struct {
	contexts *rand.Rand
	mean     [2]float64
	x        [2]float64
	round    int
}

func startToy(contexts *rand.Rand) *toyTrial {
	return &toyTrial{contexts: contexts, mean: [2]float64{contexts.Float64(), contexts.Float64()}}
}

func (e *toyTrial) Next(v *bandit.View) {
	e.round++
	e.x = [2]float64{e.contexts.Float64(), e.contexts.Float64()}
	*v = bandit.View{Round: e.round, Arms: 2, Dim: 1, X: e.x[:]}
}

func (e *toyTrial) Pull(rewards *rand.Rand, arms []int, y []float64) {
	y[0] = e.mean[arms[0]] + rewards.NormFloat64()
}

func (e *toyTrial) Regret(arms []int) float64 {
	return max(e.mean[0], e.mean[1]) - e.mean[arms[0]]
}

// toyGreedy is a run that is epsilon-greedy with noise on its sums, drawn from the noise source.
type toyGreedy struct {
	Epsilon float64
	Noise   float64

	own, noise *rand.Rand
	sum, count [2]float64
	updates    int
	hook       func(round int) error // for failures
}

func (l *toyGreedy) start(own *rand.Rand, noise rand.Source) { l.own, l.noise = own, rand.New(noise) }

// starter is a run that has to be given its streams.
type starter interface {
	bandit.Run
	start(own *rand.Rand, noise rand.Source)
}

// makes is a learner whose runs a function makes, for tests that look at them.
type makes func() starter

func (m makes) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	begin := bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		run := m()
		run.start(own, noise)
		return run
	})
	switch run := m().(type) {
	case privacy.Planner:
		return &planned{begin, run}, nil
	case interface{ WantsWarmUp() bool }:
		return warmed{begin, run.WantsWarmUp()}, nil
	}
	return begin, nil
}

// planned is ready, and claims what a run does.
type planned struct {
	bandit.Starts
	of privacy.Planner
}

func (p *planned) Plan(records int) privacy.Plan { return privacy.PlanOf(p.of, records).HeldBy(p) }

// warmed is ready, and may want a round 0.
type warmed struct {
	bandit.Starts
	wants bool
}

func (w warmed) WantsWarmUp() bool { return w.wants }

// toyLearner is toyGreedy as a plain value.
type toyLearner struct{ Epsilon, Noise float64 }

func (l toyLearner) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return makes(func() starter { return &toyGreedy{Epsilon: l.Epsilon, Noise: l.Noise} }).Open(p, horizon)
}

func (l *toyGreedy) Select(v *bandit.View, dst []int) ([]int, error) {
	arm := 0
	if l.own.Float64() < l.Epsilon {
		arm = l.own.IntN(2)
	} else if l.sum[1]*(l.count[0]+1) > l.sum[0]*(l.count[1]+1) {
		arm = 1
	}
	return append(dst, arm), nil
}

func (l *toyGreedy) Update(v *bandit.View, arms []int, y []float64) error {
	if l.hook != nil {
		if err := l.hook(v.Round); err != nil {
			return err
		}
	}
	l.sum[arms[0]] += y[0] + l.Noise*l.noise.NormFloat64()
	l.count[arms[0]]++
	l.updates++
	return nil
}

func (l *toyGreedy) Warnings() []bandit.Warning {
	return []bandit.Warning{{What: "updates", Count: l.updates}}
}

func toyPolicy(name string, epsilon, noise float64) Policy {
	return Policy{name, toyLearner{epsilon, noise}}
}

func toyExperiment() *Experiment {
	return &Experiment{
		Name:        "toy",
		Environment: toyArms{},
		Policies:    []Policy{toyPolicy("greedy", 0.05, 0), toyPolicy("noisy", 0.05, 5), toyPolicy("uniform", 1, 0)},
		Horizon:     2000,
		Trials:      12,
		Seed:        7,
	}
}
