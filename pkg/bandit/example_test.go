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
type firstGood struct {
	bandit.Base // gives Err and Warnings
	arms, now   int
}

func (l *firstGood) Init(p bandit.Problem, horizon int) error { l.arms = p.Arms; return p.Validate() }
func (l *firstGood) Reset(own *rand.Rand, noise rand.Source)  { l.Clear(); l.now = 0 }
func (l *firstGood) Select(v *bandit.View, dst []int) []int   { return append(dst, l.now) }
func (l *firstGood) Update(v *bandit.View, arms []int, y []float64) {
	if y[0] == 0 {
		l.now = (l.now + 1) % l.arms
	}
}

// A learner of one's own, round by round as package simulate plays it.
func ExampleLearner() {
	env := environment.Arms{Means: []float64{0.2, 0.9, 0.4}}
	world, err := env.Open()
	if err != nil {
		log.Fatal(err)
	}
	l := new(firstGood)
	const horizon = 1000
	if err := l.Init(world.Problem(), horizon); err != nil {
		log.Fatal(err)
	}
	trial := world.Start(random.New(1, 0, "contexts"))
	l.Reset(random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	rewards := random.New(1, 0, "rewards")
	var (
		v      bandit.View
		arms   []int
		y      = make([]float64, 1)
		regret float64
	)
	for range horizon {
		trial.Next(&v)
		arms = l.Select(&v, arms[:0])
		trial.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
		regret += trial.Regret(arms)
	}
	fmt.Printf("regret %.0f in %d rounds; an arm drawn at random has %.0f\n", regret, horizon, 0.4*horizon)
	// Output:
	// regret 127 in 1000 rounds; an arm drawn at random has 400
}
