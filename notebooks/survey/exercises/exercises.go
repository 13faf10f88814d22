// Package exercises holds the exercises of the notebook on differentially private online
// algorithms.
package exercises

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	study "github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"printed scale": exercise.Like(bought, 1e-6, "the true epsilon at N = %d, T = %d and a nominal %v",
		exercise.Grid(exercise.Args{1, 10}, exercise.Args{2, 1000, 100_000}, exercise.Args{0.5})),
	"budget of the stopping rule": exercise.Like(func(r, s1, s2, s3 float64) float64 { return 2*r/s1 + 4*r/s2 + 2*r/s3 }, 1e-9,
		"epsilon for M = %v and scales %v, %v, %v", []exercise.Args{{1, 12, 12, 4}, {1, 24, 24, 8}, {3, 36, 36, 12}, {1, 2, 4, 2}, {0.5, 1, 5, 10}}),
	"divergence": exercise.Like(arms.DEps, 1e-6, "at epsilon = %v, d(%v, %v)",
		exercise.Grid(exercise.Args{0.1, 1, 10}, exercise.Args{0.1, 0.5, 0.7}, exercise.Args{0.75})),
	"where free begins": exercise.Like(free, 1e-4, "for the means %v the least epsilon",
		[]exercise.Args{{[]float64{0.25, 0.375, 0.5, 0.625, 0.75}}, {[]float64{0.7, 0.75}}, {[]float64{0.5, 0.9, 0.1}}}),
	"what a mean remembers": exercise.Like(remembers, 0, "after %d rewards, the number of those in the last mean released",
		exercise.Grid(exercise.UpTo(100))),
	"evidence without noise": exercise.Like(evident, 1e-9, "for %v rewards of mean %v against %v of mean %v the evidence",
		exercise.Grid(exercise.Args{10, 300}, exercise.Args{0.7, 0.9}, exercise.Args{10, 40}, exercise.Args{0.2, 0.5})),
	"first plays": exercise.Like(fewest, 0, "for T = %d, v = %v and kappa = %v the least number of plays",
		[]exercise.Args{{10_000, 1, 1}, {10_000, 10, 1}, {10_000, 1, 0.3}, {1000, 2.5, 0.5}, {100, 1000, 1}}),
	"schedule": exercise.Of(func(f func(horizon int, logarithm func(float64) float64) float64) error {
		for _, log := range []struct {
			name string
			of   func(float64) float64
		}{{"log2", math.Log2}, {"ln", math.Log}} {
			for _, horizon := range []int{10_000, 16_384, 1_000_000} {
				want := scheduled(float64(horizon), log.of(float64(horizon)))
				check.OK(exercise.Near(fmt.Sprintf("the share of T = %d with %s", horizon, log.name), f(horizon, log.of), want, 1e-6))
			}
		}
		return nil
	}),
	"sure winners": exercise.Of(func(f func(rows []study.Row) []string) error {
		row := func(learner string, regret, within float64) study.Row {
			return study.Row{Learner: learner, Regret: regret, Within: within}
		}
		for _, c := range []struct {
			rows []study.Row
			want []string
		}{
			{[]study.Row{row("a", 100, 10), row("b", 150, 10), row("c", 300, 10)}, []string{"a"}},
			{[]study.Row{row("a", 100, 10), row("b", 115, 10), row("c", 300, 10)}, []string{"a", "b"}},
			{[]study.Row{row("c", 300, 200), row("b", 90, 3), row("a", 101, 3)}, []string{"b", "c"}},
		} {
			got := slices.Clone(f(c.rows))
			slices.Sort(got)
			check.That(slices.Equal(got, c.want), "of %v those that nobody surely beats are %v, and you have %v", c.rows, c.want, got)
		}
		return nil
	}),
}

// bought returns the epsilon that the printed noise of DP-FTRL buys.
func bought(dim, horizon int, epsilon float64) float64 {
	tree := continual.VectorTree{Budget: privacy.Budget{Epsilon: epsilon}, Calibration: privacy.AsPublished}
	return privacy.ClaimOf(check.Try(tree.Open(privacy.Setup{Horizon: horizon, Dim: dim, Bound: 1}))).Epsilon()
}

// free returns the least epsilon at which the lower bound is that without privacy.
func free(means []float64) float64 {
	const steps = 100_000 // of an epsilon of 1
	public := arms.DEpsBound(math.Inf(1), means, 2) * (1 + 1e-11)
	return float64(sort.Search(100*steps, func(i int) bool { return arms.DEpsBound(float64(i)/steps, means, 2) <= public })) / steps
}

// remembers returns how many of an arm's n rewards are in the last mean that AdaP-TT has released.
func remembers(n int) int {
	batches := tally.Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: arms.AdaPTT{}.Private(1, 0.1).Statistic.(tally.Batches).Lengths}
	opened := check.Try(batches.Open(privacy.Setup{Horizon: 100, Arms: 1, Slots: 1, Lo: 0, Hi: 1}))
	run := opened.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	for range n {
		check.Try(run.Add(&privacy.Record{Arms: []int{0}, Y: []float64{1}}))
	}
	return run.Release().Of[0].Count
}

// evident returns the evidence without noise that the first of two arms is better: the least, over
// the mean u that both may have, that n rewards of one and m of the other have against it.
func evident(n, mean, m, other float64) float64 {
	against := func(u float64) float64 {
		return float64(n*arms.DEps(math.Inf(1), mean, u)) + float64(m*arms.DEps(math.Inf(1), other, u))
	}
	low, high := other, mean
	for range 200 {
		third := (high - low) / 3
		if against(low+third) < against(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	return against((low + high) / 2)
}

// scheduled returns the share of a horizon that the batches of the core sets take.
func scheduled(horizon, log float64) (share float64) {
	for i := 1.0; i <= math.Floor(log)-1; i++ {
		share += math.Pow(2*horizon, i/log) / horizon
	}
	return share
}

// fewest returns how often each arm has to be played first, so that the draws of Gaussian Thompson
// sampling cost no more than a Gaussian release with mu = kappa.
func fewest(horizon int, variance, kappa float64) int {
	most := account.GaussianEpsilon(1e-5, kappa) * (1 + 1e-9)
	return 1 + sort.Search(horizon-1, func(i int) bool {
		ready, err := arms.GaussianThompson{}.Private(variance, i+1, 1e-5).Open(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, horizon)
		return err == nil && privacy.ClaimOf(ready).Epsilon() <= most
	})
}
