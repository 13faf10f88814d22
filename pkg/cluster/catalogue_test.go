package cluster

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// experiments holds LinUCB with and without privacy, and the same beside a policy that panics in
// trial 7.
var experiments = sweep.Catalogue{
	{Name: "linucb", Doc: "the price of privacy", Parameters: parameters, New: linucb},
	{Name: "brittle", Doc: "trial 7 panics", Parameters: parameters, New: func(v sweep.Values) ([]*simulate.Experiment, error) {
		list, err := linucb(v)
		e := list[0]
		e.Name = "brittle"
		e.Policies = append(e.Policies, simulate.Policy{Name: "brittle",
			Learner: brittle{Bad: random.New(e.Seed, 7, "learner/brittle").Uint64()}})
		return list, err
	}},
}

var parameters = []sweep.Parameter{
	{Name: "epsilon", Doc: "of the private one", Default: 1, Min: 0.01, Max: 100},
	{Name: "horizon", Doc: "rounds", Default: 2000, Min: 1, Max: 1e9, Whole: true},
}

func linucb(v sweep.Values) ([]*simulate.Experiment, error) {
	budget := privacy.Budget{Epsilon: v["epsilon"], Delta: 1e-5}
	return []*simulate.Experiment{{
		Name:        "linucb",
		Environment: environment.DecisionSets{Dim: 3, Gap: 0.1},
		Policies: []simulate.Policy{
			{Name: "exact", Learner: learner.New(linear.UCB{}, continual.Exact{})},
			{Name: "tree", Learner: learner.New(linear.UCB{}, continual.Tree{Noise: continual.Gaussian{Budget: budget}})},
		},
		Horizon: v.Int("horizon"),
		Trials:  100,
		Seed:    1,
		Grid:    simulate.LogGrid(v.Int("horizon"), 20),
		Pairs:   [][2]string{{"tree", "exact"}},
	}}, nil
}

// brittle plays the first arm. It panics in round 5 if Bad is the first of its random numbers.
type brittle struct{ Bad uint64 }

func (l brittle) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(own *rand.Rand, _ rand.Source) bandit.Run {
		return &brittleRun{own.Uint64() == l.Bad}
	}), nil
}

// brittleRun is brittle in a trial.
type brittleRun struct{ bad bool }

func (l *brittleRun) Select(_ *bandit.View, dst []int) ([]int, error) { return append(dst, 0), nil }
func (l *brittleRun) Update(v *bandit.View, _ []int, _ []float64) error {
	if l.bad && v.Round == 5 {
		panic("boom")
	}
	return nil
}

// TestMain lets the engines start this program on their workers.
func TestMain(m *testing.M) {
	Init(experiments)
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}
