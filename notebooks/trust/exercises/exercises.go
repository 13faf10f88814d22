// Package exercises holds the exercises of the notebook on what privacy means.
package exercises

import (
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"posterior": {
		Hint: "turn the probability into odds: what does a release do to them at most?",
		Check: exercise.Of(func(f func(prior, epsilon float64) float64) error {
			for _, epsilon := range []float64{0.1, 1, 4} {
				r := &mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 2} // gives away as much as is allowed
				check.OK(r.Init())
				for _, prior := range []float64{0.5, 0.001, 0.1, 0.9} {
					truth, lie := prior*r.Keep(), (1-prior)*(1-r.Keep())
					what := fmt.Sprintf("the largest posterior for a prior of %v and ε = %v", prior, epsilon)
					check.OK(exercise.Near(what, f(prior, epsilon), truth/(truth+lie), 1e-9))
				}
			}
			return nil
		}),
	},
	"Gaussian releases": {
		Hint: "measure each release in standard deviations of its noise: how far does a record move all of them together?",
		Check: exercise.Of(func(f func(mus []float64) float64) error {
			const delta = 1e-6
			for _, mus := range [][]float64{{0.5}, {0.1, 0.1, 0.1, 0.1}, {0.3, 0.4}, {1, 0.2, 0.05}} {
				var all privacy.Sequence
				for _, mu := range mus {
					all = append(all, privacy.GaussianEvent{Mu: mu})
				}
				want := check.Try(privacy.GDP{}.Epsilon(all, delta))
				got := privacy.GaussianEpsilon(delta, f(slices.Clone(mus)))
				what := fmt.Sprintf("ε at δ = %v of releases with μ = %v", delta, mus)
				if err := exercise.Near(what, got, want, 1e-6); err != nil {
					return fmt.Errorf("%w by your μ", err)
				}
			}
			return nil
		}),
	},
	"share of yes": {
		Hint: "if the true share were s, which share of the answers would be yes on average?",
		Check: exercise.Of(func(f func(said, epsilon float64) float64) error {
			const users = 1000
			for _, epsilon := range []float64{0.2, 1, 3} {
				r := &mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 2}
				check.OK(r.Init())
				for _, yes := range []int{300, 500, 0, users} {
					estimate, said := []float64{0, 0}, float64(yes)/users
					check.OK(r.Estimate(estimate, []int{users - yes, yes}))
					what := fmt.Sprintf("the estimate for a share of %v and ε = %v", said, epsilon)
					check.OK(exercise.Near(what, f(said, epsilon), estimate[1]/users, 1e-9))
				}
			}
			return nil
		}),
	},
	"nodes of row 1": {
		Hint: "at which rounds does the tree's staircase rise?",
		Check: exercise.Of(func(f func(t int) int) error {
			nodes := map[mechanism.Node]bool{}
			for t := 1; t <= 300; t++ {
				nodes[mechanism.PrefixNodes(t)[0]] = true // the largest node of a release begins with row 1
				what := fmt.Sprintf("the number of nodes with row 1 after %d rounds", t)
				check.OK(exercise.Near(what, float64(f(t)), float64(len(nodes)), 0))
			}
			return nil
		}),
	},
}
