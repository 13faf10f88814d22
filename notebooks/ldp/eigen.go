package ldp

import (
	"context"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"gonum.org/v1/gonum/mat"
)

// playEigen plays the non-private LinUCB in independent experiments, arms and theta* drawn anew in
// each. It returns the share of rounds t in which the least eigenvalue of the mean over the
// experiments of x_t x_t^T is at least the threshold; and that of the mean over the rounds of a
// run, averaged over the experiments, which is what a learner meets.
func playEigen(env environment.UnitFeatures, rounds, experiments int) (across, within float64) {
	played, n := make([][]float64, experiments), float64(experiments)
	ends := check.Try(simulate.Trials(context.Background(), experiments, func(trial int) (float64, error) {
		run := mat.NewSymDense(5, nil)
		err := simulate.Play(env, nonPrivate.Learner, rounds, Seed+uint64(trial), func(r *simulate.Round) {
			x := r.Row(r.Played[0])
			played[trial] = append(played[trial], x...)
			run.SymRankOne(run, 1/float64(rounds), mat.NewVecDense(5, x))
		})
		return leastEigenvalue(run), err
	}))
	count := 0
	for t := range rounds {
		mean := mat.NewSymDense(5, nil)
		for _, rows := range played {
			mean.SymRankOne(mean, 1/n, mat.NewVecDense(5, rows[5*t:5*t+5]))
		}
		if leastEigenvalue(mean) >= eigenThreshold {
			count++
		}
	}
	return float64(count) / float64(rounds), ends.Mean()
}

func leastEigenvalue(m *mat.SymDense) float64 {
	var eigen mat.EigenSym
	eigen.Factorize(m, false)
	return math.Max(0, eigen.Values(nil)[0])
}

// eigenThreshold is what counts as O(1) here; the paper does not say. A uniform direction has 1/8.
const eigenThreshold = 0.05

// Table1 holds Table 1 as printed, in percent, by k and T.
var Table1 = map[int]map[int]float64{
	5:   {200: 99.5, 2_000: 100, 20_000: 100},
	25:  {200: 97, 2_000: 97.7, 20_000: 99.9},
	100: {200: 88, 2_000: 89.1, 20_000: 99.8},
}

// reportTable1 is Table 1, with what a run meets beside it.
func reportTable1(s cell.Scale, _ []*simulate.Table) (*charts.Table, error) {
	experiments := cell.Pick(s, 20, 50, 50)
	t := charts.NewTable("k", "T", "paper", "across, fixed arms", "across, fresh arms", "within a run, fixed", "within a run, fresh")
	for _, k := range []int{5, 25, 100} {
		for _, rounds := range cell.Pick(s, []int{200, 2_000}, []int{200, 2_000, 20_000}, []int{200, 2_000, 20_000}) {
			fixed, end := playEigen(environment.UnitFeatures{Arms: k, Fixed: true}, rounds, experiments)
			fresh, endFresh := playEigen(environment.UnitFeatures{Arms: k}, rounds, experiments)
			t.Add(fmt.Sprint(k), cell.Thousands(rounds), fmt.Sprintf("%g%%", Table1[k][rounds]), fmt.Sprintf("%.1f%%", 100*fixed), fmt.Sprintf("%.1f%%", 100*fresh), lab.Number(end), lab.Number(endFresh))
		}
	}
	t.Align, t.Caption = "rrrrrrr", fmt.Sprintf("Across: rounds t in which the least eigenvalue of the mean over %d experiments of x_t x_tᵀ is at least %g (the paper says O(1), and gives neither the number nor the threshold). "+
		"Within: the least eigenvalue of the mean over all rounds of one run, averaged over the runs. The non-private LinUCB, d = 5, seeds from %d on", experiments, eigenThreshold, Seed)
	return t, nil
}
