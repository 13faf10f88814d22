// Package exercises holds the exercises of the quickstart.
package exercises

import (
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"regret of a round": {
		Hint: "what would somebody earn on average who knows the means?",
		Check: exercise.Of(func(f func(means []float64, arm int) float64) error {
			for _, means := range [][]float64{{0.2, 0.8, 0.5}, {-0.3, -0.1}, {0.4, 0.4, 0.1, -0.9}} {
				single, err := matroid.NewUniform(len(means), 1) // one arm a round
				if err != nil {
					return err
				}
				env := &environment.SemiBandit{Matroid: single, Means: means, Law: environment.GaussianWeights, Sigma: 1}
				if err := env.Validate(); err != nil {
					return err
				}
				env.Reset(nil)
				for arm := range means {
					what := fmt.Sprintf("the regret of arm %d where the means are %v", arm, means)
					if err := exercise.Near(what, f(slices.Clone(means), arm), env.Regret([]int{arm}), 1e-9); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"best arm": {
		Hint: "in which two ways can the best arm come to be played?",
		Check: exercise.Of(func(f func(arms int, explore float64) float64) error { // worked out by hand
			return exercise.First(exercise.Near("the probability for 2 arms and Explore = 0.5", f(2, 0.5), 0.75, 1e-9),
				exercise.Near("the probability for 25 arms and Explore = 0.01", f(25, 0.01), 0.9904, 1e-9),
				exercise.Near("the probability for 10 arms and Explore = 1", f(10, 1), 0.1, 1e-9),
				exercise.Near("the probability for 7 arms and Explore = 0", f(7, 0), 1, 1e-9))
		}),
	},
}
