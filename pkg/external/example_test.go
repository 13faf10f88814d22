package external_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/external"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A program in another process, raced against nobody.
func ExampleProgram() {
	// such as {"python3", "greedy.py"}; here this test is a program, too
	command := []string{os.Args[0], "-program", "serve", "turns"}
	e := &simulate.Experiment{
		Name:        "example",
		Environment: environment.Arms{Means: []float64{0.2, 0.8}},
		Policies:    []simulate.Policy{{Name: "in turn", Learner: external.Program{Command: command}}},
		Horizon:     100, Trials: 4, Seed: 1, Grid: []int{100},
	}
	result, err := e.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	c := result.Curves()[0]
	fmt.Printf("regret after %d rounds: %.0f\n", c.Rounds[0], c.Mean[0])
	// Output:
	// regret after 100 rounds: 30
}
