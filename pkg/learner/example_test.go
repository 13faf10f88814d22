package learner_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// LinUCB without privacy and under joint differential privacy, on the same contexts: nothing but the sums differs.
func ExampleLinUCB() {
	const horizon = 20000
	for _, l := range []*learner.LinUCB{
		{},
		{Sums: &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}}},
	} {
		env := &environment.DecisionSets{Dim: 3, Gap: 0.1}
		if err := l.Init(env.Problem(), horizon); err != nil {
			fmt.Println(err)
			return
		}
		env.Reset(random.New(1, 0, "contexts"))
		l.Reset(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
		rewards := random.New(1, 0, "rewards")
		var (
			v      bandit.View
			arms   []int
			regret float64
			y      = make([]float64, 1)
		)
		for range horizon {
			env.Next(&v)
			arms = l.Select(&v, arms[:0])
			env.Pull(rewards, arms, y)
			l.Update(&v, arms, y)
			regret += env.Regret(arms)
		}
		fmt.Printf("epsilon = %.4g: regret %.0f in %d rounds\n", l.Claim().Epsilon, regret, horizon)
	}
	// Output:
	// epsilon = +Inf: regret 43 in 20000 rounds
	// epsilon = 1: regret 530 in 20000 rounds
}
