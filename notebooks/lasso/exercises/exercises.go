// Package exercises holds the exercises of the notebook on private bandits in many dimensions.
package exercises

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	study "github.com/dpbandits/dpbandits/notebooks/lasso"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

// selection is the budget of "noise of a selection", and rho what it is as zCDP.
var (
	selection = privacy.Budget{Epsilon: 0.7, Delta: 1e-5}
	rho       = check.Try(selection.ConcentratedRho())
)

var set = exercise.Set{
	"random arm": exercise.Like(func(arms int) float64 { // the means of the largest of 2, 3 and 10 normals
		return map[int]float64{2: 1 / math.Sqrt(math.Pi), 3: 1.5 / math.Sqrt(math.Pi), 10: 1.538753}[arms]
	}, 0.03, "the regret a round for K = %d", exercise.Grid(exercise.Args{2, 3, 10})),
	"soft threshold": exercise.Like(solved, 1e-6, "for y = %v and alpha = %v the solver's coefficient",
		exercise.Grid(exercise.Args{-2, -0.3, 0.1, 0.7, 3}, exercise.Args{0.05, 0.5, 1})),
	"fresh thresholds": exercise.Like(func(n int, below0, below1 float64) float64 { return float64(n) * math.Log(below0/below1) },
		1e-9, "the loss of %d answers at rates %v and %v", []exercise.Args{{1, 0.5, 0.4}, {100, 0.5, 0.4}, {7, 0.9, 0.3}}),
	"noise of a selection": exercise.Like(selected, 1e-6, "the scale for rho = %.4g, k = %d, X = %v, Y = %v",
		exercise.Grid(exercise.Args{rho}, exercise.Args{5, 8, 10}, exercise.Args{2}, exercise.Args{1.5})),
	"cost of an episode": exercise.Like(func(k int, pick, mu float64) float64 { return float64(k)*pick*pick/8 + mu*mu/2 },
		1e-9, "the rho of an episode with %d picks of %v and mu = %v",
		exercise.Grid(exercise.Args{4, 1, 7, 10}, exercise.Args{0.02, 0.1, 0.5}, exercise.Args{0.05, 0.3, 1})),
	"decoy": exercise.Like(func(theta []float64, r float64, j int) (sum float64) {
		for i, v := range theta {
			sum += v * math.Pow(r, math.Abs(float64(i-j)))
		}
		return sum
	}, 1e-9, "for theta = %v, r = %v, coordinate %d the mean score", exercise.Grid(
		exercise.Args{[]float64{0, 0, 0.8, 0, 0, -0.9}, []float64{1.3, -0.4, 0, 0.2}}, exercise.Args{0.1, 0.5, 0.9}, exercise.Args{0, 2, 3})),
	"one step": exercise.Like(stepped, 1e-9, "the move for %d rows, a step of %v, X = %v, R = %.4g",
		[]exercise.Args{{500, 0.5, 2, reward(500)}, {1000, 0.5, 2, reward(1000)}}),
	"rounds by bits": exercise.Like(func(dim int, epsilon, signal float64) float64 {
		c := (math.Exp(epsilon) - 1) / (math.Exp(epsilon) + 1)
		return 4 * float64(dim) * math.Log(2*float64(dim)) / (c * c * signal * signal)
	}, 1e-6, "the number of rounds for d = %d, epsilon = %v, signal %v", exercise.Grid(exercise.Args{10, 80}, exercise.Args{0.5, 4}, exercise.Args{0.15})),
	"margin": exercise.Like(func(kappa float64) float64 { return min(1, kappa/math.Sqrt(math.Pi)) }, 0.01,
		"at kappa = %v the least bound", exercise.Grid(exercise.Args{0.01, 0.1, 0.5, 2})),
	"one row decides": exercise.Of(func(f func(a, b float64) bool) error {
		for _, last := range lastRows {
			if got, want := f(last[0], last[1]), keeps(last); got != want {
				return fmt.Errorf("for the last row (%g, %g) column 0 keeps its coefficient: %v, and you say %v", last[0], last[1], want, got)
			}
		}
		return nil
	}),
	"the step without noise": exercise.Of(func(f func(release func(world int, seed uint64) string) bool) error {
		for _, r := range releases {
			switch got := f(r.release); {
			case got && !r.leaks:
				return fmt.Errorf("%s: you say true, but each world gives every answer of the other", r.name)
			case !got && r.leaks:
				return fmt.Errorf("%s: you say false, but one world gives an answer that the other never gives", r.name)
			}
		}
		return nil
	}),
	"delta from runs": exercise.Of(func(f func(losses []float64, epsilon float64) float64) error {
		rng, mu := rand.New(rand.NewPCG(8, 1)), 1.0
		losses := make([]float64, 200_000)
		for i := range losses { // the loss of a Gaussian release is normal
			losses[i] = mu*mu/2 + mu*rng.NormFloat64()
		}
		check.OK(exercise.Near("delta at epsilon = 0.5", f(losses, 0.5), account.GaussianDelta(0.5, mu), 0.03))
		return exercise.Near("delta at epsilon = 2", f(losses, 2), account.GaussianDelta(2, mu), 0.05)
	}),
}

// solved returns the LASSO's coefficient of a single row in one dimension.
func solved(z, alpha float64) float64 {
	s := check.Try(lasso.Regression{Dim: 1}.Open())
	check.OK(s.Add([]float64{1}, z))
	return check.Try(s.Fit(alpha))[0]
}

// selected returns the scale of the noise of k picks by scores that are products, for selection.
func selected(_ float64, k int, x, y float64) float64 {
	top := mechanism.TopK{Budget: selection, K: k, Candidates: 50, Sensitivity: 2 * x * y, Neighbours: privacy.ReplaceRound}
	return check.Try(top.Open()).Start(nil).Scale()
}

// reward is the bound on rewards of FLIPHAT after so many rows.
func reward(rows int) float64 { return 3.75*2 + math.Sqrt(2*math.Log1p(float64(rows))) }

// stepped returns how far one row of so many, of one step, moves what FLIPHAT releases.
func stepped(rows int, step, context, reward float64) float64 {
	h := episodes.NoisyIHT{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Sparsity: 1, L1: 3.75, Step: step, Context: context,
		Lengths: episodes.Growing{Least: rows}}
	return study.LastRow(h, rows, context, reward) - study.LastRow(h, rows, context, -reward)
}

// lastRows are those of "one row decides".
var lastRows = [][]float64{{1, 0}, {-1, 1}, {3, 2}, {2, 3}, {-3, 1}, {0, 0.5}}

// keeps reports whether the LASSO gives its coefficient to column 0 of a thousand rows with reward
// 2, of which one is given and the others are (1, 1).
func keeps(last []float64) bool {
	s := check.Try(lasso.Regression{Dim: 2}.Open())
	for range 999 {
		check.OK(s.Add([]float64{1, 1}, 2))
	}
	check.OK(s.Add(last, 2))
	w := check.Try(s.Fit(0.03))
	return w[0] > w[1]
}

// releases are those of "the step without noise": what a run releases of 128 rows with reward 1, of
// which the last is (1, -1) in world 0 and (-1, 1) in world 1, the others are (1, 1).
var releases = []struct {
	name    string
	release func(world int, seed uint64) string
	leaks   bool
}{
	{"the first set, S0", func(world int, _ uint64) string { return fmt.Sprint([]int{screened[world]}) }, true},
	{"the second set, S1", func(world int, seed uint64) string {
		draw := []float64{0, 0}
		privacy.NewNoise(random.Source(seed, 0, "thresholds")).Laplace(draw, 7e5) // xi at epsilon = 1
		if 1+2*draw[1] > draw[0] {
			return fmt.Sprint([]int{screened[world]})
		}
		return "[]"
	}, true},
	{"the largest noisy score", func(world int, seed uint64) string {
		run := sums.Start(privacy.NewNoise(random.Source(seed, 0, "scores")))
		for i := range 128 {
			check.Try(run.Add(&privacy.Record{X: row(world, i), Y: []float64{1}}))
		}
		return fmt.Sprint(run.Release().Of)
	}, false},
	{"the number of rows", func(int, uint64) string { return "128" }, false},
}

// row is a row of "the step without noise".
func row(world, i int) []float64 {
	if i < 127 {
		return []float64{1, 1}
	}
	return []float64{1 - 2*float64(world), 2*float64(world) - 1}
}

// screened is the coordinate of S0 in each world, that of the LASSO's one coefficient above 0.1.
var screened = [2]int{largest(0), largest(1)}

func largest(world int) int {
	s := check.Try(lasso.Regression{Dim: 2}.Open())
	for i := range 128 {
		check.OK(s.Add(row(world, i), 1))
	}
	w := check.Try(s.Fit(0.0115)) // half of lambda_t at t = 128
	if w[0] > 0.1 {
		return 0
	}
	return 1
}

// sums picks one coordinate by noisy scores, at epsilon = 1.
var sums = check.Try(episodes.TopScores{
	Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Picks: 1, Scores: episodes.Signs{Y: 1}, Lengths: episodes.Growing{Least: 128},
}.Open(privacy.Setup{Horizon: 129, Dim: 3, Bound: 2}))
