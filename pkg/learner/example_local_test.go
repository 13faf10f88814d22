package learner_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Two learners in the local model: what leaves a device is a Message, and it is all that their
// servers see.
func ExampleLocal() {
	env := environment.UnitFeatures{Fixed: true}
	budget := privacy.Budget{Epsilon: 10, Delta: 0.1}
	ldp := local.LDPNoise{Budget: budget, Constant: env.Constant()}
	pair := local.OnlineNoise{Budget: budget, Constant: env.Constant()}
	const horizon = 20000
	for i, l := range []learner.Local{
		{Device: local.LDPDevice{Noise: ldp}, Server: local.LDPServer{Noise: ldp}},
		{Device: local.OnlineDevice{Noise: pair}, Server: local.OnlineServer{Noise: pair, Online: local.Descent{Curvature: 0.1}, Width: 4}},
	} {
		world, err := env.Open()
		if err != nil {
			fmt.Println(err)
			return
		}
		ready, err := l.Open(world.Problem(), horizon)
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
		claim := privacy.ClaimOf(ready)
		fmt.Printf("%s: epsilon = %.4g, %v model, regret %.0f in %d rounds\n", []string{"LDP LinUCB", "OnlineUCB"}[i], claim.Epsilon(), claim.Model(), regret, horizon)
	}
	// Output:
	// LDP LinUCB: epsilon = 10, local model, regret 4721 in 20000 rounds
	// OnlineUCB: epsilon = 10, local model, regret 609 in 20000 rounds
}
