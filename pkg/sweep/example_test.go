package sweep_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// coins compares learners on two coins, at one epsilon.
func coins(v sweep.Values) ([]*simulate.Experiment, error) {
	return []*simulate.Experiment{{
		Name: "coins", Horizon: 1000, Trials: 6, Seed: 1,
		Environment: environment.Arms{Means: []float64{0.25, 0.75}},
		Policies:    []simulate.Policy{{Name: "DP-UCB", Learner: arms.DPUCB{}.Private(v["epsilon"])}},
	}}, nil
}

// A program of one's own is its catalogue and a call of Main. Here its work is done by hand.
func Example() {
	catalogue := sweep.Catalogue{{
		Name: "coins", Doc: "regret of DP-UCB on two coins", New: coins,
		Parameters: []sweep.Parameter{{Name: "epsilon", Default: 1, Min: 0.01, Max: 10}},
	}}
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "sweep")
	must(err)
	defer os.RemoveAll(dir)
	for index := range 3 { // on three machines
		s, err := catalogue.Parse([]string{"coins", "epsilon=0.1,1,10"})
		must(err)
		_, err = s.Run(context.Background(), dir, simulate.Options{Shard: simulate.Shard{Index: index, Of: 3}})
		must(err)
	}
	s, err := catalogue.Open(dir)
	must(err)
	results, err := s.Merge(dir)
	must(err)
	for _, r := range results {
		c := r.Curves()[0]
		fmt.Printf("%s: regret %.0f over %d trials\n", r.Name, c.Final(), c.Trials)
	}
	// Output:
	// coins epsilon=0.1: regret 246 over 6 trials
	// coins epsilon=1: regret 128 over 6 trials
	// coins epsilon=10: regret 32 over 6 trials
}
