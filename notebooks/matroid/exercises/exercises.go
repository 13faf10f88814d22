// Package exercises holds the exercises of the notebook on private matroid bandits.
package exercises

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	study "github.com/dpbandits/dpbandits/notebooks/matroid"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"greedy": {
		Hint: "go through the elements by decreasing weight, and ask of what you have plus the element whether it is independent",
		Check: exercise.Of(func(f func([]float64, func([]int) bool) []int) error {
			rng := rand.New(rand.NewPCG(1, 1))
			oracle, greedy := matroid.NewOracle(study.Matroid), matroid.NewGreedy(study.Matroid)
			for range 50 {
				weights := make([]float64, study.Matroid.Size())
				for e := range weights {
					weights[e] = rng.NormFloat64()
				}
				want := greedy.Basis(weights, nil)
				if got := f(slices.Clone(weights), oracle.Independent); !slices.Equal(got, want) {
					return fmt.Errorf("on Table 2 with weights %.2f the basis is %v, and you have %v", weights, want, got)
				}
			}
			return nil
		}),
	},
	"KL index": {
		Hint: "T kl(mean, q) grows with q from 0 at q = mean: halve an interval from mean to 1",
		Check: exercise.Of(func(f func(mean, count, budget float64) float64) error {
			for _, mean := range []float64{0, 0.05, 0.5, 0.8} {
				for _, count := range []float64{5, 20, 1000} {
					const budget = 4.0
					q := f(mean, count, budget)
					what := fmt.Sprintf("T kl(%g, q) of T = %g observations", mean, count)
					if err := exercise.Near(what+" at your index", count*divergence(mean, q), budget, 1e-6); err != nil {
						return err
					}
				}
			}
			return exercise.Near("the index of a mean of 1", f(1, 10, 4), 1, 1e-9)
		}),
	},
	"first block": {
		Hint: "the mean's noise has a standard deviation of sqrt(2) K/(epsilon size): double the size until that is small enough",
		Check: exercise.Of(func(f func(epsilon float64, slots int, sd float64) int) error {
			for _, slots := range []int{1, 3, 17} {
				for _, epsilon := range []float64{2, 2.0 / 37} {
					blocks := &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}
					if err := blocks.Init(privacy.Setup{Horizon: 10, Arms: slots, Slots: slots, Hi: 1}); err != nil {
						return err
					}
					_, scale := blocks.Scale()
					want := math.Max(1, math.Exp2(math.Ceil(math.Log2(math.Sqrt2*scale/0.05))))
					what := fmt.Sprintf("the block for ε = %.3g, K = %d and sd 0.05", epsilon, slots)
					if err := exercise.Near(what, float64(f(epsilon, slots, 0.05)), want, 0); err != nil {
						return err
					}
				}
			}
			return exercise.Near("the block for ε = 2, K = 3 and sd 10", float64(f(2, 3, 10)), 1, 0)
		}),
	},
	"last full block": {
		Hint: "take blocks of 1, 2, 4, ... off the number of plays until one is not full; the last full one counts",
		Check: exercise.Of(func(f func(plays int) int) error {
			blocks := &mechanism.Blocks{Budget: privacy.Budget{Epsilon: 1}}
			if err := blocks.Init(privacy.Setup{Horizon: 200, Arms: 1, Slots: 1, Hi: 1}); err != nil {
				return err
			}
			blocks.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
			for plays := 0; plays < 200; plays++ {
				what := fmt.Sprintf("the number of observations behind the estimate after %d plays", plays)
				if err := exercise.Near(what, float64(f(plays)), float64(blocks.Release().Of[0].Count), 0); err != nil {
					return err
				}
				if _, err := blocks.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"random return": {
		Hint: "add up the weights of all bases, and divide by their number",
		Check: exercise.Of(func(f func(bases [][]int, weights []float64) float64) error {
			return exercise.First(
				exercise.Near("the mean return of {0, 1} and {1, 2}", f([][]int{{0, 1}, {1, 2}}, []float64{0.5, 0.25, 1}), 1, 1e-9),
				exercise.Near("that of {0} alone", f([][]int{{0}}, []float64{0.5}), 0.5, 1e-9))
		}),
	},
	"plays of a bad arm": {
		Hint: "double the size of the block until its width is below gap + good, or until 2 size - 1 reaches n",
		Check: exercise.Of(func(f func(gap, good, epsilon float64, k, n int) int) error {
			for _, epsilon := range []float64{0.5, 2, 100} {
				for _, n := range []int{100, 10_000} {
					log, want := 3*math.Log(float64(3*n)), n
					for s := 0; 1<<(s+1)-1 < n; s++ {
						if size := math.Exp2(float64(s)); math.Sqrt(log/size)+3*log/(epsilon*size) < 0.4+0.1 {
							want = 1<<(s+1) - 1
							break
						}
					}
					what := fmt.Sprintf("plays(0.4, 0.1, %g, 3, %d)", epsilon, n)
					if err := exercise.Near(what, float64(f(0.4, 0.1, epsilon, 3, n)), float64(want), 0); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"share of the noise": {
		Hint: "it is the third term of DPUCB-MAT's index, with epsilon/K for an arm and the block for T_e",
		Check: exercise.Of(func(f func(k int, epsilon float64, n, block int) float64) error {
			return exercise.First(
				exercise.Near("the share for K = 17, ε = 2, n = 20,000 and a block of 1,024", f(17, 2, 20_000, 1_024), 51*math.Log(340_000)/2_048, 1e-9),
				exercise.Near("the share for K = 3, ε = 1, n = 100 and a block of 8", f(3, 1, 100, 8), 9*math.Log(300)/8, 1e-9))
		}),
	},
	"plays for a user": {
		Hint: "each round has epsilon/visits; a block of 2^s is full after 2^(s+1) - 1 plays",
		Check: exercise.Of(func(f func(epsilon float64, visits, slots int, sd float64) int) error {
			return exercise.First(
				exercise.Near("the plays for ε = 2, one visit, K = 3 and sd 0.05", float64(f(2, 1, 3, 0.05)), 127, 0),
				exercise.Near("the plays for ε = 2, 37 visits, K = 17 and sd 0.05", float64(f(2, 37, 17, 0.05)), 32_767, 0))
		}),
	},
	"remember": {
		Hint: "sum the means times their weights, sum the weights, and divide",
		Check: exercise.Of(func(f func(means, sizes []float64, v float64) float64) error {
			return exercise.First(
				exercise.Near("the mean without noise of blocks of 1 and 3 with means 1 and 0", f([]float64{1, 0}, []float64{1, 3}, 0), 0.25, 1e-9),
				exercise.Near("the mean for v = 4 of blocks of 1 and 2 with means 1 and 0", f([]float64{1, 0}, []float64{1, 2}, 4), 9./43, 1e-9))
		}),
	},
}

// divergence is the Kullback-Leibler divergence of Bernoulli laws, kl(p, q).
func divergence(p, q float64) (sum float64) {
	if p > 0 {
		sum += p * math.Log(p/q)
	}
	if p < 1 {
		sum += (1 - p) * math.Log((1-p)/(1-q))
	}
	return sum
}
