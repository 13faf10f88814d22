package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// coins is a bandit of two coins.
type coins struct{}

func (coins) Open() (bandit.World, error) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: 0, RewardMax: 1}
	return bandit.NewWorld(p, func(*rand.Rand) bandit.Instance { return new(tosses) }), nil
}

// tosses is a trial of coins.
type tosses struct{ round int }

func (c *tosses) Next(v *bandit.View)       { c.round++; *v = bandit.View{Round: c.round, Arms: 2} }
func (c *tosses) Regret(arms []int) float64 { return 0.25 * float64(arms[0]) }
func (c *tosses) Pull(rewards *rand.Rand, arms []int, y []float64) {
	y[0] = 0
	if rewards.Float64() < 0.75-c.Regret(arms) {
		y[0] = 1
	}
}

// always plays one arm.
type always struct{ Arm int }

func (a always) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run { return a }), nil
}

func (a always) Select(v *bandit.View, dst []int) ([]int, error)      { return append(dst, a.Arm), nil }
func (a always) Update(v *bandit.View, arms []int, y []float64) error { return nil }

func ExampleExperiment_Run() {
	e := &simulate.Experiment{
		Name:        "two coins",
		Environment: coins{},
		Policies: []simulate.Policy{
			{Name: "the better", Learner: always{Arm: 0}},
			{Name: "the worse", Learner: always{Arm: 1}},
		},
		Horizon: 1000,
		Trials:  10,
		Seed:    1,
		Grid:    simulate.LogGrid(1000, 4),
	}
	result, err := e.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range result.Curves() {
		fmt.Println(c.Policy, c.Rounds, c.Mean)
	}
	// Output:
	// the better [1 10 100 1000] [0 0 0 0]
	// the worse [1 10 100 1000] [0.25 2.5 25 250]
}
