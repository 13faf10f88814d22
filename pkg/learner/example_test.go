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

// LinUCB without privacy and under joint differential privacy, on the same contexts: nothing but
// the sums differs.
func ExampleLinUCB() {
	const horizon = 20000
	noise := mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	for _, sums := range []privacy.Accumulator{mechanism.Exact{}, mechanism.Tree{Noise: noise}} {
		env := environment.DecisionSets{Dim: 3, Gap: 0.1}
		world, err := env.Open()
		if err != nil {
			fmt.Println(err)
			return
		}
		ready, err := learner.New(learner.LinUCB{}, sums).Open(world.Problem(), horizon)
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

// Shuffle LinUCB by vector sums: what 200 users tell the server between them is the sum of what
// they know, under noise that they make together.
func ExampleVectorSum() {
	n := learner.VectorSum{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Batch: 200}
	l := learner.NewShuffleVectorSum(n)
	l.Server = learner.VectorSumServer{Noise: n, Policy: learner.LinUCB{Width: 0.2}}
	env := environment.UnitFeatures{Arms: 20, Fixed: true}
	ready, err := l.Open(env.Problem(), 20000)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := privacy.ClaimOf(ready)
	fmt.Printf("%v model, epsilon = %.2f at delta = %v\n", c.Model(), c.Epsilon(), c.Asked().Delta)

	// Amplification of the noise of 200 local messages buys less: each still has most of the noise
	// that hides one alone, and so their sum 200 times that variance.
	a, err := learner.AmplifiedNoise{Budget: n.Budget, Batch: 200}.Amplification(env.Problem())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("amplification: noise %.2f times the sensitivity, %.2f without\n", a.SD, a.Without)
	// Output:
	// shuffle model, epsilon = 1.00 at delta = 1e-05
	// amplification: noise 2.89 times the sensitivity, 3.73 without
}
