package learner_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Two learners in the local model: what leaves a device is a Message, and it is all that their
// servers see.
func ExampleLocal() {
	env := environment.UnitFeatures{Fixed: true}
	budget := privacy.Budget{Epsilon: 10, Delta: 0.1}
	ldp := learner.LDPNoise{Budget: budget, Constant: env.Constant()}
	pair := learner.OnlineNoise{Budget: budget, Constant: env.Constant()}
	ogd := func(radius, gradient float64) online.Learner {
		return &online.OGD{Radius: radius, Gradient: gradient, Step: online.CurvedStep(0.1)}
	}
	const horizon = 20000
	for i, l := range []*learner.Local{
		{Device: &learner.LDPDevice{Noise: ldp}, Server: &learner.LDPServer{Noise: ldp}},
		{Device: &learner.OnlineDevice{Noise: pair}, Server: &learner.OnlineServer{Noise: pair, Online: ogd, Width: 4}},
	} {
		if err := l.Init(env.Problem(), horizon); err != nil {
			fmt.Println(err)
			return
		}
		world, err := env.Open()
		if err != nil {
			fmt.Println(err)
			return
		}
		trial := world.Start(random.New(1, 0, "contexts"))
		l.Reset(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
		rewards := random.New(1, 0, "rewards")
		var (
			v      bandit.View
			arms   []int
			regret float64
			y      = make([]float64, 1)
		)
		for range horizon {
			trial.Next(&v)
			arms = l.Select(&v, arms[:0])
			trial.Pull(rewards, arms, y)
			l.Update(&v, arms, y)
			regret += trial.Regret(arms)
		}
		fmt.Printf("%s: epsilon = %.4g, %v model, regret %.0f in %d rounds\n", []string{"LDP LinUCB", "OnlineUCB"}[i], privacy.ClaimOf(l).Epsilon(), privacy.ClaimOf(l).Model(), regret, horizon)
	}
	// Output:
	// LDP LinUCB: epsilon = 10, local model, regret 4721 in 20000 rounds
	// OnlineUCB: epsilon = 10, local model, regret 609 in 20000 rounds
}
