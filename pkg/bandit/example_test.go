package bandit_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// firstGood plays an arm as long as it pays, and moves on to the next one when it does not.
type firstGood struct{}

// patience is firstGood in a trial.
type patience struct{ arms, now int }

func (firstGood) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		return &patience{arms: p.Arms}
	}), p.Validate()
}

func (l *patience) Select(v *bandit.View, dst []int) ([]int, error) {
	return append(dst, l.now), nil
}

func (l *patience) Update(v *bandit.View, arms []int, y []float64) error {
	if y[0] == 0 {
		l.now = (l.now + 1) % l.arms
	}
	return nil
}

// A learner of one's own, round by round as package simulate plays it.
func ExampleLearner() {
	env := environment.Arms{Means: []float64{0.2, 0.9, 0.4}}
	world, err := env.Open()
	if err != nil {
		log.Fatal(err)
	}
	const horizon = 1000
	ready, err := firstGood{}.Open(world.Problem(), horizon)
	if err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	run := ready.Start(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	rewards := random.New(1, 0, "rewards")
	var (
		v      bandit.View
		arms   []int
		y      = make([]float64, 1)
		regret float64
	)
	for range horizon {
		trial.Next(&v)
		if arms, err = run.Select(&v, arms[:0]); err != nil {
			log.Fatal(err)
		}
		trial.Pull(rewards, arms, y)
		if err := run.Update(&v, arms, y); err != nil {
			log.Fatal(err)
		}
		regret += trial.Regret(arms)
	}
	fmt.Printf("regret %.0f in %d rounds; an arm drawn at random has %.0f\n", regret, horizon, 0.4*horizon)
	// Output:
	// regret 127 in 1000 rounds; an arm drawn at random has 400
}
