package learner_test

import (
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
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
		regret := 0.0
		err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { regret += r.Trial.Regret(r.Played) })
		if err != nil {
			log.Fatal(err)
		}
		claim, err := learner.ClaimOf(l, env.Problem(), horizon)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: epsilon = %.4g, %v model, regret %.0f in %d rounds\n", []string{"LDP LinUCB", "OnlineUCB"}[i], claim.Epsilon(), claim.Model(), regret, horizon)
	}
	// Output:
	// LDP LinUCB: epsilon = 10, local model, regret 4191 in 20000 rounds
	// OnlineUCB: epsilon = 10, local model, regret 381 in 20000 rounds
}
