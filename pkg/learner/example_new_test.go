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

// LinUCB over exact sums, and over sums from a binary tree with Gaussian noise.
func ExampleNew() {
	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
	public := learner.New(linear.UCB{}, nil)
	private := learner.New(linear.UCB{}, continual.Tree{Noise: noise})
	race := &simulate.Experiment{
		Name:        "race",
		Environment: environment.DecisionSets{Dim: 5, Gap: 0.1},
		Policies:    []simulate.Policy{{Name: "LinUCB", Learner: public}, {Name: "private", Learner: private}},
		Horizon:     100_000, Trials: 4, Seed: 1, Grid: []int{1_000, 10_000},
	}
	result, err := race.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Curves() {
		fmt.Printf("%-8s regret after %v rounds: %.0f\n", c.Policy, c.Rounds, c.Mean)
	}
	fmt.Print(result.Policies[1].Claim)
	// Output:
	// LinUCB   regret after [1000 10000 100000] rounds: [40 41 41]
	// private  regret after [1000 10000 100000] rounds: [493 1547 2328]
	// model       joint differential privacy
	// neighbours  replace one round's (context, reward)
	// level       event: a user has one record
	// covers      all outputs but the action in the record's own round
	// asked for   epsilon = 1, delta = 1e-06
	// proved      epsilon = 1 at that delta (exact Gaussian)
	// event       Gaussian, mu = 0.2367
	// calibration Sound
	// noise       for research: floating point, and seeded
	// condition   rows clipped to the bound inside the mechanism
	// not covered error texts, counts of clipped records, running times
	// source      Shariff and Sheffet 2018, Section 4.2; mu-GDP of adaptive inputs (Dong, Roth, Su 2022)
}
