package snapshot_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/snapshot"
)

// A private learner is saved after 500 rounds, and one made anew goes on in its place. Here both
// play on, to be compared; in practice the saved one has to stop, or its noise is drawn twice.
func Example() {
	env := environment.DecisionSets{Arms: 25, Dim: 5, Gap: 0.1}
	world, err := env.Open()
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	newLearner := func(rhoMin float64, seed uint64) bandit.Learner {
		noise := &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}
		l := learner.New(&learner.LinUCB{RhoMin: rhoMin}, &mechanism.Tree{Noise: noise})
		if err := l.Init(env.Problem(), 1000); err != nil {
			log.Fatal(err)
		}
		l.Reset(random.New(seed, 0, "own"), random.Source(seed, 0, "noise"))
		return l
	}
	y := make([]float64, 1)
	var v bandit.View
	play := func(l bandit.Learner) (arm int) {
		arms := l.Select(&v, nil)
		trial.Pull(random.New(1, v.Round, "rewards"), arms, y)
		l.Update(&v, arms, y)
		return arms[0]
	}

	saved := newLearner(0, 1)
	for range 500 {
		trial.Next(&v)
		play(saved)
	}
	var file bytes.Buffer
	if err := snapshot.Save(&file, saved); err != nil {
		log.Fatal(err)
	}
	state := file.Bytes()

	restored := newLearner(0, 2) // with streams of another seed
	if err := snapshot.Load(bytes.NewReader(state), restored); err != nil {
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

	fmt.Println(snapshot.Load(bytes.NewReader(state), newLearner(7, 1)))
	state[len(state)/2]++
	fmt.Println(snapshot.Load(bytes.NewReader(state), restored))
	// Output:
	// the same arm in 500 of 500 rounds
	// snapshot: learner.Private.Policy.RhoMin: the tuning is 0 in the state, and 7 here
	// snapshot: the checksum is wrong: the state was changed
}
