package survey

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The running sums that survey-ftrl compares.
var running = []struct {
	name string
	sums privacy.Statistic[continual.Total]
}{
	{"not private", continual.VectorExact{}},
	{"tree, Laplace as printed", continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Calibration: privacy.AsPublished}},
	{"tree, Laplace", continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}}},
	{"correlated Gaussian", continual.VectorBLT{Budget: budget(1)}},
}

// ftrl plays trials of DP-FTRL over a running sum, and returns their regrets over sqrt T.
func ftrl(sums privacy.Statistic[continual.Total], dim, rounds int, adaptive bool, trials int) simulate.Sample {
	return against(dim, rounds, adaptive, trials, online.FTRL{Gradient: 1, Sums: sums})
}

// against plays trials of a learner on drifting losses or against the adaptive adversary, and
// returns their regrets over sqrt T.
func against(dim, rounds int, adaptive bool, trials int, l online.Learner) simulate.Sample {
	return check.Try(simulate.Trials(context.Background(), trials, func(trial int) (scaled float64, err error) {
		defer check.Catch(&err)
		var losses online.Adversary = online.Orthogonal{}
		if !adaptive {
			losses = check.Try(online.NewDrift(dim, rounds, 0.2, random.New(77, trial, "losses")))
		}
		own, noise := random.New(78, trial, "stream"), random.Source(77, trial, "noise")
		return check.Try(online.Against(l, losses, dim, rounds, own, noise))[rounds-1] / math.Sqrt(float64(rounds)), nil
	}))
}

// FTRLGoldens lists regret over sqrt T at T = 1e3, 1e4, 1e5, of 30 trials, without standard errors.
// Those of correlated noise are of the square-root factorisation, which BLT comes near.
var FTRLGoldens = map[string][3]float64{
	"drift, N = 2, not private":               {0.80, 0.75, 0.72},
	"drift, N = 10, not private":              {0.83, 0.76, 0.73},
	"drift, N = 2, tree, Laplace as printed":  {1.34, 0.88, 0.75},
	"drift, N = 10, tree, Laplace as printed": {3.80, 2.83, 1.31},
	"drift, N = 2, tree, Laplace":             {2.94, 1.73, 0.95},
	"drift, N = 10, tree, Laplace":            {5.36, 7.50, 3.79},
	"drift, N = 2, correlated Gaussian":       {1.00, 0.77, 0.72},
	"drift, N = 10, correlated Gaussian":      {1.91, 0.98, 0.77},
	"adaptive, N = 2, not private":            {1, 1, 1},
	"adaptive, N = 10, not private":           {1, 1, 1},
	"adaptive, N = 2, correlated Gaussian":    {6.8, 8.7, 10.7},
	"adaptive, N = 10, correlated Gaussian":   {15.3, 27.7, 35.4},
}

// known returns independent numbers, or nil at smoke scale, whose horizon is another and whose runs
// are few.
func known(s cell.Scale, k charts.Known) *charts.Known { return cell.Pick(s, nil, &k, &k) }

// ftrlReport has a row for each stream, dimension and running sum: regret over sqrt T at three
// horizons beside the independent numbers. Their standard error is taken to be ours, of which
// 0.003 is for their two digits.
func ftrlReport(s cell.Scale, _ []*simulate.Table) (*charts.Table, error) {
	horizons := cell.Pick(s, []int{300}, []int{1_000, 10_000}, []int{1_000, 10_000, 100_000})
	n := cell.Pick(s, 2, 10, 30)
	t := charts.NewTable("losses, dimension, running sum")
	t.Align = "l" + strings.Repeat("rrrrr", len(horizons))
	for _, h := range horizons {
		t.Headers = append(t.Headers, independent.Headers(fmt.Sprintf("T = %d", h))...)
	}
	for _, stream := range []string{"drift", "adaptive"} {
		for _, dim := range []int{2, 10} {
			for _, r := range running {
				name := fmt.Sprintf("%s, N = %d, %s", stream, dim, r.name)
				golden, ok := FTRLGoldens[name]
				if !ok {
					continue
				}
				row := []any{name}
				for i, h := range horizons {
					x := ftrl(r.sums, dim, h, stream == "adaptive", n)
					row = append(row, charts.Beside{}.Cells(x.Mean(), math.Hypot(x.SE(), 0.003), known(s, charts.Known{Mean: golden[i]}))...)
				}
				t.Add(row...)
			}
		}
	}
	t.Caption = fmt.Sprintf("Regret over sqrt T at epsilon = 1 (delta = 1e-5 for Gaussian noise), %d trials; an SE includes 0.003 for two digits", n)
	return t, nil
}

// nasCases lists what the independent program ran, at alpha = 0.2 and beta = 0.1. NaN is not known.
var nasCases = []struct {
	mean, epsilon float64
	doubling      bool
	stops         charts.Known
	printed       float64 // share of right answers
}{
	{0.3, 1, false, charts.Known{Mean: 22416, SE: 22}, 0.015},
	{0.3, 1, true, charts.Known{Mean: 16343}, math.NaN()},
	{0.3, 0.1, false, charts.Known{Mean: 40968}, math.NaN()},
	{0.5, 1, false, charts.Known{Mean: 7935}, 0.024},
}

// accuracy returns when n runs of DP-NAS stop, and the shares of right answers, as printed and with
// W/t.
func accuracy(mu, epsilon float64, doubling bool, n int) (stops simulate.Sample, right [2]float64) {
	const alpha = 0.2
	for i, calibration := range []privacy.Calibration{privacy.AsPublished, privacy.Sound} {
		answers := make([]bool, n)
		stops = check.Try(simulate.Trials(context.Background(), n, func(k int) (float64, error) {
			rule := mechanism.Stopping{Epsilon: epsilon, Alpha: alpha, Beta: 0.1, Calibration: calibration, Doubling: doubling}
			rng, noise := random.New(88, k, "samples"), privacy.NewNoise(random.Source(88, k, "noise"))
			end, err := rule.Run(1, 1<<26, noise, func() float64 { return random.Rademacher(rng, mu) })
			answers[k] = math.Abs(end.Mean-mu) <= alpha*mu
			return float64(end.Count), err
		}))
		for _, good := range answers {
			if good {
				right[i]++
			}
		}
		right[i] /= float64(n)
	}
	return stops, right
}

// nasReport has a row for each case: when DP-NAS stops and how often it is right.
func nasReport(s cell.Scale, _ []*simulate.Table) (*charts.Table, error) {
	n := cell.Pick(s, 20, 200, 2000)
	t := charts.NewTable(slices.Concat([]string{"mean", "epsilon", "compares"}, independent.Headers("stops at"),
		[]string{"right as printed", "independent", "right with W/t"})...)
	t.Align = "rrlrrrrrrrr"
	for _, c := range nasCases {
		stops, right := accuracy(c.mean, c.epsilon, c.doubling, n)
		percent := func(v float64) string { return strings.Replace(charts.Number(100*v)+"%", "–%", "–", 1) }
		row := []any{c.mean, c.epsilon, map[bool]string{false: "always", true: "at t = 1, 2, 4, ..."}[c.doubling]}
		row = append(row, independent.Cells(stops.Mean(), stops.SE(), known(s, c.stops))...)
		t.Add(append(row, percent(right[0]), percent(c.printed), percent(right[1]))...)
	}
	t.Caption = fmt.Sprintf("DP-NAS on samples of ±1, alpha = 0.2, beta = 0.1, %d runs", n)
	return t, nil
}
