// Optimist is the program of the README: a private learner of one's own, raced against DP-IMED.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Optimist plays the arm whose mean could be largest. It allows for chance, and for the noise.
type Optimist struct{ Width float64 }

// Prepare makes a policy of the formula.
func (o Optimist) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return arms.ByIndex(p, horizon, o)
}

// Index says how large an arm's mean could be, by what was released. It sees no reward.
func (o Optimist) Index(k arms.Known) float64 {
	return k.Mean + o.Width*math.Sqrt(k.Log/float64(k.Count)) + k.Noise(k.Log)
}

func main() {
	// Each reward is in one block of its arm, and each block is released once: ε = 1 is for all rounds.
	// Remember makes a mean of all blocks so far, which costs no privacy.
	private := learner.New(Optimist{Width: 0.5}, tally.Blocks{Budget: privacy.Budget{Epsilon: 1}, Remember: true})
	race := &simulate.Experiment{
		Name: "readme", Horizon: 10_000, Trials: 20, Seed: 1,
		Environment: environment.Arms{Means: []float64{0.2, 0.8, 0.5}},
		Policies: []simulate.Policy{
			{Name: "Optimist", Learner: private},
			{Name: "DP-IMED", Learner: arms.IMED{}.Private(1, 2)}, // ε = 1, and batches that double
		},
	}
	result, err := race.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range result.Curves() {
		_, mean, se := c.Last()
		fmt.Printf("%s: proved ε = %g, regret %.0f ± %.0f\n", c.Policy, result.Policies[i].Claim.Epsilon(), mean, se)
	}
	fmt.Print(result.Policies[0].Claim)
}
