package learner_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// LinUCB on random features learns smooth functions, without privacy and with it.
func ExampleKernel() {
	exact := learner.New(linear.UCB{}, nil)
	private := learner.New(linear.UCB{}, continual.BLT{Budget: privacy.Budget{Epsilon: 1, Delta: 0.01}})
	e := simulate.Experiment{
		Environment: environment.Kernel{Lengthscale: 0.25}, Horizon: 5000, Trials: 4, Seed: 1,
		Policies: []simulate.Policy{
			{Name: "linear", Learner: exact},
			{Name: "on features", Learner: learner.Kernel{Learner: exact, Features: 8, Lengthscale: 0.25}},
			{Name: "private", Learner: learner.Kernel{Learner: private, Features: 8, Lengthscale: 0.25}},
		},
	}
	r, err := e.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range r.Curves() {
		fmt.Printf("%-11s  regret %5.0f, epsilon %.2f\n", c.Policy, c.Final(), r.Policies[i].Epsilon())
	}
	// Output:
	// linear       regret  2184, epsilon +Inf
	// on features  regret   482, epsilon +Inf
	// private      regret   776, epsilon 1.00
}
