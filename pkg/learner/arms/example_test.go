package arms_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Example plays DP-IMED, which is epsilon-DP, beside IMED, which is not private.
func Example() {
	env := environment.Arms{Means: []float64{0.25, 0.75, 0.5}}
	world, err := env.Open()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range []learner.Private[privacy.Means]{arms.IMED{}.Learner(), arms.IMED{}.Private(0.5, 2)} {
		const rounds = 20_000
		ready, err := l.Open(world.Problem(), rounds)
		if err != nil {
			fmt.Println(err)
			return
		}
		trial := world.Start(random.New(1, 0, "contexts"))
		run := ready.Start(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
		rewards := random.New(1, 0, "rewards")
		var v bandit.View
		regret, played, y := 0.0, make([]int, 0, 1), make([]float64, 1)
		for range rounds {
			trial.Next(&v)
			if played, err = run.Select(&v, played[:0]); err != nil {
				log.Fatal(err)
			}
			trial.Pull(rewards, played, y)
			if err := run.Update(&v, played, y); err != nil {
				log.Fatal(err)
			}
			regret += trial.Regret(played)
		}
		fmt.Printf("regret %.0f; lower bound %.0f\n", regret, arms.DEpsBound(privacy.ClaimOf(ready).Epsilon(), env.Means, rounds))
	}
	// Output:
	// regret 17; lower bound 26
	// regret 48; lower bound 47
}
