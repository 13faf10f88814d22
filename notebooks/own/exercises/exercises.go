// Package exercises holds the exercises of the quickstart.
package exercises

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"regret of a round": exercise.Like(regret, 1e-9, "the regret of arm %[2]d where the means are %[1]v",
		exercise.Grid(exercise.Args{[]float64{0.2, 0.8, 0.5}, []float64{-0.3, -0.1, -0.2}, []float64{0.4, 0.4, 0.1, -0.9}}, exercise.Args{0, 1, 2})),
	"index": exercise.Like(func(s, n, beta, rho float64) float64 { return s/(rho+n) + beta/math.Sqrt(rho+n) }, 1e-9,
		"the index of %[2]v plays that sum to %[1]v, for beta = %[3]v and rho = %[4]v", []exercise.Args{{3, 4, 2, 1}, {0, 0, 2, 1}, {1, 2, 0.5, 2}}),
	"noisy nodes": exercise.Like(func(t int) int { return len(continual.PrefixNodes(t)) }, 0,
		"the number of nodes in the release of round %d", exercise.Grid(exercise.UpTo(1024))),
	"paired": exercise.Of(func(f func(a, b []float64) (mean, se float64)) error { // worked out by hand
		for _, c := range []struct {
			a, b     []float64
			mean, se float64
		}{
			{[]float64{3, 5, 7}, []float64{1, 2, 3}, 3, 1 / math.Sqrt(3)},
			{[]float64{4, 4}, []float64{1, 3}, 2, 1},
			{[]float64{9, 2, 6, 3}, []float64{9, 2, 6, 3}, 0, 0},
		} {
			mean, se := f(slices.Clone(c.a), slices.Clone(c.b))
			what := fmt.Sprintf("of %v less %v", c.a, c.b)
			check.OK(exercise.Near("the mean "+what, mean, c.mean, 1e-9))
			check.OK(exercise.Near("the standard error "+what, se, c.se, 1e-9))
		}
		return nil
	}),
	"strongest": exercise.Of(func(f func(budgets, regrets []float64, most float64) float64) error { // read off the lists
		up, costs := []float64{0.1, 0.3, 1, 3, 10}, []float64{15_000, 6_500, 2_300, 900, 300}
		mixed, other := []float64{3, 0.1, 10, 1, 0.3}, []float64{900, 15_000, 300, 2_300, 6_500}
		for _, c := range []struct{ most, want float64 }{{1_000, 3}, {5_000, 1}, {20_000, 0.1}, {6_500, 0.3}} {
			for _, list := range [][2][]float64{{up, costs}, {mixed, other}} {
				what := fmt.Sprintf("the strongest budget of %v whose regret, of %v, is at most %v", list[0], list[1], c.most)
				got := f(slices.Clone(list[0]), slices.Clone(list[1]), c.most)
				check.OK(exercise.Near(what, got, c.want, 0))
			}
		}
		got := f(up, costs, 100)
		check.That(math.IsInf(got, 1), "no budget of %v has a regret of at most 100, which is +Inf, and you have %v", up, got)
		return nil
	}),
	"longer run": exercise.Like(func(price, n, longer float64) float64 { return price / longer }, 1e-9,
		"the price a round if privacy costs %[1]v in %[2]v rounds, and the run is one of %[3]v",
		exercise.Grid(exercise.Args{2_256.0, 450.0}, exercise.Args{100_000.0}, exercise.Args{1e6, 1e7})),
	"best arm": exercise.Like(func(arms int, explore float64) float64 { return 1 - explore + explore/float64(arms) }, 1e-9,
		"the probability for %d arms and Explore = %v", exercise.Grid(exercise.Args{2, 7, 25}, exercise.Args{0.5, 0.01, 1, 0})),
}

// regret is that of a round in which one arm is played.
func regret(means []float64, arm int) float64 {
	single := check.Try(matroid.NewUniform(len(means), 1))
	env := environment.SemiBandit{Matroid: single, Means: means, Sigma: 1}
	return check.Try(env.Open()).Start(nil).Regret([]int{arm})
}
