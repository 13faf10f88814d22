package survey

import (
	"context"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// nasCases lists what the independent program ran, at alpha = 0.2 and beta = 0.1. NaN is not known.
var nasCases = []struct {
	mean, epsilon float64
	doubling      bool
	stops         Golden
	printed       float64 // share of right answers
}{
	{0.3, 1, false, Golden{22416, 22}, 0.015},
	{0.3, 1, true, Golden{16343, 0}, math.NaN()},
	{0.3, 0.1, false, Golden{40968, 0}, math.NaN()},
	{0.5, 1, false, Golden{7935, 0}, 0.024},
}

// accuracy returns when DP-NAS stops, with its standard error, and the shares of right answers.
func accuracy(mu, epsilon float64, doubling bool, n int) (stops, se, printed, mended float64, err error) {
	const alpha = 0.2
	right := make([][2]bool, n)
	x, err := simulate.Trials(context.Background(), n, func(k int) (t float64, err error) {
		for i, calibration := range []privacy.Calibration{privacy.AsPublished, privacy.Sound} {
			rule := &mechanism.Stopping{Epsilon: epsilon, Alpha: alpha, Beta: 0.1, Calibration: calibration, Doubling: doubling}
			rng, noise := random.New(88, k, "samples"), privacy.NewNoise(random.Source(88, k, "noise"))
			end, err := rule.Run(1, 1<<26, noise, func() float64 { return random.Rademacher(rng, mu) })
			if err != nil {
				return 0, err
			}
			right[k][i], t = math.Abs(end.Mean-mu) <= alpha*mu, float64(end.Count)
		}
		return t, nil
	})
	if err != nil {
		return 0, 0, 0, 0, err
	}
	for _, r := range right {
		if r[0] {
			printed++
		}
		if r[1] {
			mended++
		}
	}
	printed, mended = printed/float64(n), mended/float64(n)
	return x.Mean(), x.SE(), printed, mended, nil
}

// nasReport has a row for each case: when DP-NAS stops and how often it is right.
func nasReport(s lab.Scale, _ []*simulate.Table) (*charts.Table, error) {
	n := cell.Pick(s, 20, 200, 2000)
	t := charts.NewTable("mean", "epsilon", "compares", "stops at", "SE", "independent", "SE", "difference in SE", "right as printed", "independent", "right with L/t")
	t.Align = "rrlrrrrrrrr"
	for _, c := range nasCases {
		stops, se, printed, mended, err := accuracy(c.mean, c.epsilon, c.doubling, n)
		if err != nil {
			return nil, err
		}
		compares := map[bool]string{false: "always", true: "at t = 1, 2, 4, ..."}[c.doubling]
		row := []any{c.mean, c.epsilon, compares, number(stops), number(se)}
		row = append(row, beside(s, stops, se, c.stops, true)...)
		known := "–"
		if c.printed > 0 {
			known = fmt.Sprintf("%.1f%%", 100*c.printed)
		}
		t.Add(append(row, fmt.Sprintf("%.1f%%", 100*printed), known, fmt.Sprintf("%.1f%%", 100*mended))...)
	}
	t.Caption = fmt.Sprintf("DP-NAS on samples of ±1, alpha = 0.2, beta = 0.1, %d runs", n)
	t.Scale = string(s)
	return t, nil
}
