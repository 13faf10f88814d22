package sparse_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// ExampleThresholdedLasso finds the coordinates that matter, and compares with an oracle.
func ExampleThresholdedLasso() {
	env := environment.Sparse{Arms: 10, Dim: 200, Sparsity: 3}
	ready, err := sparse.ThresholdedLasso{Lambda: 0.05}.Open(env.Problem(), 300)
	if err != nil {
		panic(err)
	}
	world, err := env.Open()
	if err != nil {
		panic(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	run := ready.Start(random.New(1, 0, "own"), nil).(interface {
		bandit.Run
		Support() []int
	})
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	y := []float64{0}
	for round := 1; round <= 300; round++ {
		trial.Next(&v)
		arms, err := run.Select(&v, nil)
		if err != nil {
			panic(err)
		}
		trial.Pull(rewards, arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			panic(err)
		}
	}
	var matter []int
	for j, weight := range environment.Theta(trial) {
		if weight != 0 {
			matter = append(matter, j)
		}
	}
	fmt.Println("those that matter:", matter)
	fmt.Println("those it found:   ", run.Support())
	// Output:
	// those that matter: [95 129 171]
	// those it found:    [95 129 171]
}
