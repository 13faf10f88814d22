package snapshot_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/snapshot"
)

// A private run is saved after 500 rounds, and goes on from the file. Here both play on, to be
// compared; in practice the saved one has to stop, or its noise is drawn twice.
func Example() {
	world, err := environment.DecisionSets{Arms: 25, Dim: 5, Gap: 0.1}.Open()
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	y := make([]float64, 1)
	var v bandit.View
	play := func(run bandit.Run) (arm int) {
		arms, err := run.Select(&v, nil)
		if err != nil {
			log.Fatal(err)
		}
		trial.Pull(random.New(1, v.Round, "rewards"), arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			log.Fatal(err)
		}
		return arms[0]
	}

	noise := continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
	l := learner.New(linear.UCB{}, continual.Tree{Noise: noise})
	saved, err := snapshot.Seeded(l, world.Problem(), 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	for range 500 {
		trial.Next(&v)
		play(saved)
	}
	var file bytes.Buffer
	if err := saved.Save(&file); err != nil {
		log.Fatal(err)
	}
	state := file.Bytes()

	restored, err := snapshot.Load(bytes.NewReader(state), l)
	if err != nil {
		log.Fatal(err)
	}
	alike := 0
	for range 500 {
		trial.Next(&v)
		if play(saved) == play(restored) {
			alike++
		}
	}
	fmt.Println("the same arm in", alike, "of 500 rounds")

	state[len(state)/2]++
	_, err = snapshot.Load(bytes.NewReader(state), l)
	fmt.Println(err)
	// Output:
	// the same arm in 500 of 500 rounds
	// snapshot: the checksum is wrong: the file was changed, or is not whole
}
