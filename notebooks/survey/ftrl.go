package survey

import (
	"context"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The running sums that survey-ftrl compares.
var running = []struct {
	name string
	sums func() privacy.Statistic[mechanism.Total]
}{
	{"not private", func() privacy.Statistic[mechanism.Total] { return &mechanism.VectorExact{} }},
	{"tree, Laplace as printed", func() privacy.Statistic[mechanism.Total] {
		return &mechanism.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Calibration: privacy.AsPublished}
	}},
	{"tree, Laplace", func() privacy.Statistic[mechanism.Total] {
		return &mechanism.VectorTree{Budget: privacy.Budget{Epsilon: 1}}
	}},
	{"correlated Gaussian", func() privacy.Statistic[mechanism.Total] {
		return &mechanism.VectorBLT{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}
	}},
}

// ftrl plays DP-FTRL over a running sum, and returns its regret over sqrt T.
func ftrl(sums privacy.Statistic[mechanism.Total], dim, rounds int, adaptive bool, trial int) (float64, error) {
	l := &online.FTRL{Gradient: 1, Sums: sums, Noise: privacy.NewNoise(random.Source(77, trial, "noise"))}
	return against(l, dim, rounds, adaptive, trial)
}

// against plays a learner on drifting losses or against the adaptive adversary, and returns its
// regret over sqrt T.
func against(l online.Learner, dim, rounds int, adaptive bool, trial int) (float64, error) {
	var losses online.Adversary = &online.Orthogonal{}
	if !adaptive {
		var err error
		if losses, err = online.NewDrift(dim, rounds, 0.2, random.New(77, trial, "losses")); err != nil {
			return 0, err
		}
	}
	regret, err := online.Against(l, losses, dim, rounds)
	if err != nil {
		return 0, err
	}
	return regret[rounds-1] / math.Sqrt(float64(rounds)), nil
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

// ftrlReport has a row for each stream, dimension and running sum: regret over sqrt T at three
// horizons beside the independent numbers. The difference is in standard errors of ours; the
// independent program's, which is not known, is about as large.
func ftrlReport(s lab.Scale, _ []*simulate.Table) (*charts.Table, error) {
	horizons := cell.Pick(s, []int{300}, []int{1_000, 10_000}, []int{1_000, 10_000, 100_000})
	n := cell.Pick(s, 2, 10, 30)
	t := charts.NewTable("losses, dimension, running sum")
	t.Align = "l"
	for _, h := range horizons {
		t.Headers = append(t.Headers, fmt.Sprintf("T = %d", h), "SE", "independent", "difference in SE")
		t.Align += "rrrr"
	}
	for _, stream := range []struct {
		name     string
		adaptive bool
	}{{"drift", false}, {"adaptive", true}} {
		for _, dim := range []int{2, 10} {
			for _, r := range running {
				name := fmt.Sprintf("%s, N = %d, %s", stream.name, dim, r.name)
				golden, ok := FTRLGoldens[name]
				if !ok {
					continue
				}
				row := []any{name}
				for i, h := range horizons {
					x, err := simulate.Trials(context.Background(), n, func(k int) (float64, error) { return ftrl(r.sums(), dim, h, stream.adaptive, k) })
					if err != nil {
						return nil, err
					}
					m, se := x.Mean(), x.SE()
					row = append(row, number(m), number(se))
					if s == lab.Smoke {
						row = append(row, "–", "–")
						continue
					}
					row = append(row, number(golden[i]), fmt.Sprintf("%+.1f", (m-golden[i])/max(se, 0.005)))
				}
				t.Add(row...)
			}
		}
	}
	t.Caption = fmt.Sprintf("Regret over sqrt T at epsilon = 1 (delta = 1e-5 for Gaussian noise), %d trials", n)
	t.Scale = string(s)
	return t, nil
}
