// Package exercises holds the exercises of the notebook on what privacy means.
package exercises

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"posterior": exercise.Like(func(prior, epsilon float64) float64 {
		keep := response(epsilon).Keep() // gives away as much as is allowed
		return prior * keep / (prior*keep + (1-prior)*(1-keep))
	}, 1e-9, "the largest posterior for a prior of %v and ε = %v", exercise.Grid(exercise.Args{0.5, 0.001, 0.1, 0.9}, exercise.Args{0.1, 1, 4})),
	"Gaussian releases": exercise.Of(func(f func(mus []float64) float64) error {
		const delta = 1e-6
		for _, mus := range [][]float64{{0.5}, {0.1, 0.1, 0.1, 0.1}, {0.3, 0.4}, {1, 0.2, 0.05}} {
			var all account.Sequence
			for _, mu := range mus {
				all = append(all, account.GaussianEvent{Mu: mu})
			}
			what := fmt.Sprintf("ε at δ = %v of releases with μ = %v", delta, mus)
			mu := f(slices.Clone(mus))
			got := account.GaussianEpsilon(delta, mu)
			err := exercise.Near(what, got, check.Try(account.GDP{}.Epsilon(all, delta)), 1e-6)
			check.That(err == nil, "%w by your μ = %.4g", err, mu)
		}
		return nil
	}),
	"share of yes": exercise.Like(func(said, epsilon float64) float64 {
		estimate, yes := []float64{0, 0}, int(math.Round(1000*said))
		check.OK(response(epsilon).Estimate(estimate, []int{1000 - yes, yes}))
		return estimate[1] / 1000
	}, 1e-9, "the estimate for a share of %v and ε = %v", exercise.Grid(exercise.Args{0.3, 0.5, 0, 1}, exercise.Args{0.2, 1, 3})),
	"nodes of row 1": exercise.Like(func(rounds int) int {
		nodes := map[continual.Node]bool{}
		for t := range rounds {
			nodes[continual.PrefixNodes(t + 1)[0]] = true // the largest node of a release begins with row 1
		}
		return len(nodes)
	}, 0, "the number of nodes with row 1 after %d rounds", exercise.Grid(exercise.UpTo(300))),
	"excluded": exercise.Like(func(p, q, delta float64) float64 { return math.Log(max((p-delta)/q, 1)) }, 1e-9,
		"the ε that p = %v and q = %v contradict at δ = %v",
		[]exercise.Args{{0.5967, 0.0826, 0}, {0.3, 0.01, 0.1}, {0.2, 1e-4, 0.1}, {0.05, 0.04, 0.02}, {0.01, 0.001, 0.1}}),
	"least claim": exercise.Of(func(f func(believed float64, releases int) float64) error { // worked out by hand
		for _, c := range []struct {
			believed float64
			releases int
			want     float64
		}{{0.5, 1, 0}, {0.85, 1, 1.734601055}, {0.85, 2, 0.867300528}, {0.9, 4, 0.549306144}, {0.4, 3, 0.135155036}} {
			what := fmt.Sprintf("the least ε of each of %d releases after which one believes in B with %v", c.releases, c.believed)
			check.OK(exercise.Near(what, f(c.believed, c.releases), c.want, 1e-6))
		}
		return nil
	}),
	"queries": exercise.Of(func(f func(loss, epsilon float64) int) error { // worked out by hand
		for _, c := range []struct {
			loss, epsilon float64
			want          int
		}{{0.008593226, 1, 117}, {0.5, 1, 3}, {0.25, 1, 5}, {2, 1, 1}, {0.3, 2, 7}} {
			what := fmt.Sprintf("the number of queries of loss %v that cost more than %v", c.loss, c.epsilon)
			check.OK(exercise.Near(what, float64(f(c.loss, c.epsilon)), float64(c.want), 0))
		}
		return nil
	}),
	"discrete Laplace": exercise.Like(func(z, scale float64) float64 {
		sum := 0.0
		for k := -math.Ceil(60 * scale); k <= 60*scale; k++ { // beyond that there is less than 1e-25 of it
			sum += math.Exp(-math.Abs(k) / scale)
		}
		return math.Exp(-math.Abs(z)/scale) / sum
	}, 1e-9, "the probability of %v at scale %v", exercise.Grid(exercise.Args{0, 3, -2}, exercise.Args{4, 1, 0.3, 20})),
}

// response returns randomised response to a question with two answers.
func response(epsilon float64) mechanism.Responses {
	return check.Try(mechanism.RandomisedResponse{Epsilon: epsilon, Choices: 2}.Open()).Start(nil)
}
