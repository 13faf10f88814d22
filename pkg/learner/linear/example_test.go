package linear_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// LinUCB without privacy and under joint differential privacy, on the same contexts: nothing but
// the sums differs.
func ExampleUCB() {
	const horizon = 20000
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	for _, sums := range []privacy.Accumulator{continual.Exact{}, continual.Tree{Noise: noise}} {
		env := environment.DecisionSets{Dim: 3, Gap: 0.1}
		world, err := env.Open()
		if err != nil {
			fmt.Println(err)
			return
		}
		ready, err := learner.New(linear.UCB{}, sums).Open(world.Problem(), horizon)
		if err != nil {
			fmt.Println(err)
			return
		}
		trial := world.Start(random.New(1, 0, "contexts"))
		run := ready.Start(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
		rewards := random.New(1, 0, "rewards")
		var (
			v      bandit.View
			arms   []int
			regret float64
			y      = make([]float64, 1)
		)
		for range horizon {
			trial.Next(&v)
			if arms, err = run.Select(&v, arms[:0]); err != nil {
				fmt.Println(err)
				return
			}
			trial.Pull(rewards, arms, y)
			if err := run.Update(&v, arms, y); err != nil {
				fmt.Println(err)
				return
			}
			regret += trial.Regret(arms)
		}
		fmt.Printf("epsilon = %.4g: regret %.0f in %d rounds\n", privacy.ClaimOf(ready).Epsilon(), regret, horizon)
	}
	// Output:
	// epsilon = +Inf: regret 11 in 20000 rounds
	// epsilon = 1: regret 530 in 20000 rounds
}
