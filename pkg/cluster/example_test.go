package cluster_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dpbandits/dpbandits/pkg/cluster"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

func ExampleRun() {
	catalogue := sweep.Catalogue{{
		Name:       "gaps",
		Doc:        "LinUCB by the gap between the arms",
		Parameters: []sweep.Parameter{{Name: "gap", Default: 0.1, Min: 0.01, Max: 1}},
		New: func(v sweep.Values) ([]*simulate.Experiment, error) {
			return []*simulate.Experiment{{
				Name:        "gaps",
				Environment: environment.DecisionSets{Dim: 3, Gap: v["gap"]},
				Policies: []simulate.Policy{{
					Name: "linucb", Learner: learner.New(linear.UCB{}, continual.Exact{}),
				}},
				Horizon: 1000,
				Trials:  20,
				Seed:    1,
			}}, nil
		},
	}}
	cluster.Init(catalogue) // a program of its own calls cluster.Main(catalogue)

	s, err := catalogue.Parse([]string{"gaps", "gap=0.1,0.5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	results, err := cluster.Run(context.Background(), s, dir, cluster.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range results {
		fmt.Printf("%s: regret %.0f in %d trials\n", r.Name, r.Curves()[0].Final(), len(r.Finished))
	}
	// Output:
	// gaps gap=0.1: regret 15 in 20 trials
	// gaps gap=0.5: regret 9 in 20 trials
}
