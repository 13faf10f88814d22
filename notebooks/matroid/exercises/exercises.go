// Package exercises holds the exercises of the notebook on private matroid bandits.
package exercises

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	study "github.com/dpbandits/dpbandits/notebooks/matroid"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"greedy": exercise.Of(func(f func([]float64, func([]int) bool) []int) error {
		rng := rand.New(rand.NewPCG(1, 1))
		oracle, greedy := matroid.NewOracle(study.Matroid), matroid.NewGreedy(study.Matroid)
		for range 50 {
			weights := make([]float64, study.Matroid.Size())
			for e := range weights {
				weights[e] = rng.NormFloat64()
			}
			want, got := greedy.Basis(weights, nil), f(slices.Clone(weights), oracle.Independent)
			check.That(slices.Equal(got, want), "on Table 2 with weights %.2f the basis is %v, and you have %v", weights, want, got)
		}
		return nil
	}),
	"KL index": exercise.Of(func(f func(mean, count, budget float64) float64) error {
		for _, mean := range []float64{0, 0.05, 0.5, 0.8} {
			for _, count := range []float64{5, 20, 1000} {
				q := f(mean, count, 4)
				spent := count * stat.KullbackLeibler([]float64{mean, 1 - mean}, []float64{q, 1 - q})
				check.OK(exercise.Near(fmt.Sprintf("T kl(%g, q) of T = %g observations at your index", mean, count), spent, 4, 1e-6))
			}
		}
		return exercise.Near("the index of a mean of 1", f(1, 10, 4), 1, 1e-9)
	}),
	"first block": exercise.Like(enough, 0, "the block for ε = %.3g, K = %d and sd %v",
		append(exercise.Grid(exercise.Args{2., 2. / 37}, exercise.Args{1, 3, 17}, exercise.Args{0.05}), exercise.Args{2., 3, 10})),
	"last full block": exercise.Of(func(f func(plays int) int) error {
		for plays := range 200 {
			last := 1 << (bits.Len(uint(plays+1)) - 1) / 2 // blocks of 1, 2, ..., 2^s hold 2^(s+1) - 1
			check.OK(exercise.Near(fmt.Sprintf("the number of observations behind the estimate after %d plays", plays), float64(f(plays)), float64(last), 0))
		}
		return nil
	}),
	"random return": exercise.Of(func(f func(bases [][]int, weights []float64) float64) error {
		check.OK(exercise.Near("the mean return of {0, 1} and {1, 2}", f([][]int{{0, 1}, {1, 2}}, []float64{0.5, 0.25, 1}), 1, 1e-9))
		return exercise.Near("that of {0} alone", f([][]int{{0}}, []float64{0.5}), 0.5, 1e-9)
	}),
	"plays of a bad arm": exercise.Like(playsOfBad, 0, "plays(%v, %v, %v, %d, %d)",
		exercise.Grid(exercise.Args{0.4}, exercise.Args{0.1}, exercise.Args{0.5, 2, 100}, exercise.Args{3}, exercise.Args{100, 10_000})),
	"share of the noise": exercise.Like(func(k int, epsilon float64, n, block int) float64 {
		return 3 * math.Log(float64(k*n)) * float64(k) / (epsilon * float64(block))
	}, 1e-9, "the share for K = %d, ε = %v, n = %d and a block of %d", []exercise.Args{{17, 2, 20_000, 1_024}, {3, 1, 100, 8}}),
	"plays for a user": exercise.Like(func(epsilon float64, visits, slots int, sd float64) int {
		return 2*enough(epsilon/float64(visits), slots, sd) - 1
	}, 0, "the plays for ε = %v, visits = %d, K = %d and sd %v", []exercise.Args{{2, 1, 3, 0.05}, {2, 37, 17, 0.05}}),
	"promise": exercise.Like(func(epsilon float64, slots, releases int, width float64) float64 {
		return float64(releases) * epsilon / float64(slots)
	}, 1e-9, "the ε for ε = %v, K = %d, %d releases and a width of %v", []exercise.Args{
		{0.5, 3, 6, 5.}, {2., 3, 3, 1.}, {2., 3, 3, 0.2}, {2., 3, 7, 1.}, {2., 17, 17, 0.1},
	}),
	"remember": exercise.Of(func(f func(means, sizes []float64, v float64) float64) error {
		check.OK(exercise.Near("the mean without noise of blocks of 1 and 3 with means 1 and 0", f([]float64{1, 0}, []float64{1, 3}, 0), 0.25, 1e-9))
		return exercise.Near("the mean for v = 4 of blocks of 1 and 2 with means 1 and 0", f([]float64{1, 0}, []float64{1, 2}, 4), 9./43, 1e-9)
	}),
}

// enough returns the least block, a power of two, whose mean has noise with a standard deviation
// of at most sd.
func enough(epsilon float64, slots int, sd float64) int {
	blocks := tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}
	opened := check.Try(blocks.Open(privacy.Setup{Horizon: 10, Arms: slots, Slots: slots, Hi: 1}))
	scale := opened.Plan(privacy.All).Cases[0][0].Law.Scale
	return int(math.Max(1, math.Exp2(math.Ceil(math.Log2(math.Sqrt2*scale/sd)))))
}

// playsOfBad returns how often an arm is played until the width of its last full block is below
// gap + good.
func playsOfBad(gap, good, epsilon float64, k, n int) int {
	log := 3 * math.Log(float64(k*n))
	for size := 1; 2*size-1 < n; size *= 2 {
		if t := float64(size); math.Sqrt(log/t)+float64(k)*log/(epsilon*t) < gap+good {
			return 2*size - 1
		}
	}
	return n
}
