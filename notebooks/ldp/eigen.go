package ldp

import (
	"context"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"gonum.org/v1/gonum/mat"
)

// Appendix G: how large is the least eigenvalue of the arms played?

// packed is the number of entries of a symmetric matrix in five dimensions.
const packed = 15

// Eigen holds least eigenvalues of mean outer products of the arms that LinUCB played.
type Eigen struct {
	Across []float64 // of the mean over the experiments of x_t x_t^T: what Table 1 is about
	Grid   []int
	Within []float64 // of the mean over the rounds 1..t of a run, x_s x_s^T, averaged over the runs: what a learner meets
}

// PlayEigen plays the non-private LinUCB in so many independent experiments, arms and theta* drawn
// anew in each.
func PlayEigen(arms, rounds, experiments int, fixed bool) (Eigen, error) {
	e := Eigen{Grid: simulate.LogGrid(rounds, 40)}
	e.Within = make([]float64, len(e.Grid))
	played, within := make([][]float64, experiments), make([][]float64, experiments)
	_, err := simulate.Trials(context.Background(), experiments, func(trial int) (float64, error) {
		run, i := make([]float64, packed), 0
		return 0, simulate.Play(&environment.UnitFeatures{Arms: arms, Fixed: fixed}, Policy(LinUCBPublic, 1), rounds, Seed+uint64(trial), func(v *bandit.View, arms []int) {
			x := v.Row(arms[0])
			played[trial] = append(played[trial], x...)
			if addOuter(run, x, 1); v.Round == e.Grid[i] {
				within[trial] = append(within[trial], leastEigenvalue(run)/float64(v.Round))
				i++
			}
		})
	})
	if err != nil {
		return e, err
	}
	share := 1 / float64(experiments)
	for _, values := range within {
		for i, v := range values {
			e.Within[i] += share * v
		}
	}
	for t := range rounds {
		mean := make([]float64, packed)
		for _, rows := range played {
			addOuter(mean, rows[5*t:5*t+5], share)
		}
		e.Across = append(e.Across, leastEigenvalue(mean))
	}
	return e, nil
}

func addOuter(lower, x []float64, scale float64) {
	p := 0
	for i, v := range x {
		for _, w := range x[:i+1] {
			lower[p] += scale * v * w
			p++
		}
	}
}

func leastEigenvalue(lower []float64) float64 {
	h := mat.NewSymDense(5, nil)
	for i, p := 0, 0; i < 5; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			h.SetSym(i, j, lower[p])
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(h, false)
	return math.Max(0, eigen.Values(nil)[0])
}

// eigenThreshold is what counts as O(1) here; the paper does not say. A uniform direction has 1/8.
const eigenThreshold = 0.05

// above returns the share of rounds in which the least eigenvalue is at least the threshold.
func above(values []float64) float64 {
	n := 0
	for _, v := range values {
		if v >= eigenThreshold {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// Table1 holds Table 1 as printed, in percent, by k and T.
var Table1 = map[int]map[int]float64{
	5:   {200: 99.5, 2_000: 100, 20_000: 100},
	25:  {200: 97, 2_000: 97.7, 20_000: 99.9},
	100: {200: 88, 2_000: 89.1, 20_000: 99.8},
}

// TableEigen is Table 1, with what a run meets beside it.
func TableEigen(s lab.Scale) (*charts.Table, error) {
	experiments := cell.Pick(s, 20, 50, 50)
	horizons := cell.Pick(s, []int{200, 2_000}, []int{200, 2_000, 20_000}, []int{200, 2_000, 20_000})
	t := charts.NewTable("k", "T", "paper", "across, fixed arms", "across, fresh arms", "within a run, fixed", "within a run, fresh")
	for _, k := range []int{5, 25, 100} {
		for _, rounds := range horizons {
			a, err := PlayEigen(k, rounds, experiments, true)
			if err != nil {
				return nil, err
			}
			b, err := PlayEigen(k, rounds, experiments, false)
			if err != nil {
				return nil, err
			}
			t.Add(fmt.Sprint(k), cell.Thousands(rounds), fmt.Sprintf("%g%%", Table1[k][rounds]), percent(above(a.Across)), percent(above(b.Across)), lab.Number(a.Within[len(a.Within)-1]), lab.Number(b.Within[len(b.Within)-1]))
		}
	}
	t.Align = "rrrrrrr"
	t.Caption = fmt.Sprintf("Across: rounds t in which the least eigenvalue of the mean over %d experiments of x_t x_tᵀ is at least %g (the paper says O(1), and gives neither the number nor the threshold). "+
		"Within: the least eigenvalue of the mean over all rounds of one run, averaged over the runs. The non-private LinUCB, d = 5, seeds from %d on", experiments, eigenThreshold, Seed)
	t.Scale = string(s)
	return t, nil
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

func reportTable1(s lab.Scale, _ []*simulate.Table) (*charts.Table, error) { return TableEigen(s) }

// claimEigen: across experiments the least eigenvalue does not fall; within a run it falls to
// nothing for five fixed arms and for a hundred, fixed or fresh, and not for five fresh ones.
func claimEigen(s lab.Scale) (string, error) {
	rounds, experiments := cell.Pick(s, 5_000, 5_000, 20_000), 50
	within, evidence := map[bool]map[int]float64{true: {}, false: {}}, fmt.Sprintf("T = %s:", cell.Thousands(rounds))
	for _, arms := range []int{5, 100} {
		for _, fixed := range []bool{true, false} {
			e, err := PlayEigen(arms, rounds, experiments, fixed)
			if err != nil {
				return "", err
			}
			if share := above(e.Across); share < 0.9 {
				return "", fmt.Errorf("K = %d: the least eigenvalue across experiments is at least %g in %.0f%% of the rounds only", arms, eigenThreshold, 100*share)
			}
			within[fixed][arms] = e.Within[len(e.Within)-1]
			evidence += fmt.Sprintf(" K = %d, fixed %t: across ≥ %g in %.1f%% of the rounds, within %.2g;", arms, fixed, eigenThreshold, 100*above(e.Across), within[fixed][arms])
		}
	}
	for name, v := range map[string]float64{"5 fixed arms": within[true][5], "100 fixed arms": within[true][100], "100 fresh arms": within[false][100]} {
		if v > within[false][5]/4 {
			return "", fmt.Errorf("%s: within a run the least eigenvalue is %.3g, and %.3g with 5 fresh arms", name, v, within[false][5])
		}
	}
	return evidence, nil
}
