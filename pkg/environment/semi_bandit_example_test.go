package environment_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Two of four ads are shown a round, and the clicks of both are seen.
func ExampleSemiBandit() {
	two, err := matroid.NewUniform(4, 2)
	if err != nil {
		panic(err)
	}
	env := environment.SemiBandit{Matroid: two, Means: []float64{0.1, 0.6, 0.3, 0.5}}
	world, err := env.Open()
	if err != nil {
		panic(err)
	}
	trial := world.Start(nil)
	fmt.Println("best:", env.Best(), "clicks a round:", env.Optimum())

	clicks := make([]float64, 2)
	rewards := random.New(1, 0, "rewards")
	var view bandit.View
	for range 3 {
		trial.Next(&view)
		arms := []int{2, 1}
		trial.Pull(rewards, arms, clicks)
		fmt.Printf("round %d: arms %v get %v, regret %.1f, in place of %v\n", view.Round, arms, clicks, trial.Regret(arms), environment.Pairs(trial, arms, nil))
	}
	// Output:
	// best: [1 3] clicks a round: 1.1
	// round 1: arms [2 1] get [0 0], regret 0.2, in place of [3 1]
	// round 2: arms [2 1] get [0 0], regret 0.2, in place of [3 1]
	// round 3: arms [2 1] get [1 1], regret 0.2, in place of [3 1]
}

// Five users have rated, or not, three films; one film is recommended a round.
func ExampleRatings() {
	one, err := matroid.NewUniform(3, 1)
	if err != nil {
		panic(err)
	}
	env := environment.Ratings{Matroid: one, Rated: [][]bool{
		{true, false, false},
		{true, true, false},
		{false, true, true},
		{true, true, false},
		{false, true, false},
	}}
	fmt.Println("rated by a share of", env.Means(), "so best:", env.Best())
	world, err := env.Open()
	if err != nil {
		panic(err)
	}
	trial := world.Start(nil)
	fmt.Printf("regret of film 0: %.1f\n", trial.Regret([]int{0}))
	// Output:
	// rated by a share of [0.6 0.8 0.2] so best: [1]
	// regret of film 0: 0.2
}
