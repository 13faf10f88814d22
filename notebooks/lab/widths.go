package lab

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// MustWidths draws the three terms of LinUCB's width in the first round without noise, and with
// exact and printed noise. The caption begins with the formula's name. It also returns how many
// times as large as the first term the two others are together, at least, where there is noise.
func MustWidths(formula string, budget privacy.Budget, dim, rounds int) (
	f *charts.Figure, widens float64,
) {
	n := float64(rounds)
	setup := privacy.Setup{Dim: dim + 1, Horizon: rounds, Bound: math.Sqrt2, Context: 1, Alpha: 1 / n}
	noise := mechanism.Gaussian{Budget: budget}
	printed := noise
	printed.Calibration = privacy.AsPublished
	terms := []charts.Series{
		{Name: "confidence: ln det V", Fill: charts.Solid},
		{Name: "regulariser: S√ρmax", Fill: charts.Hatched},
		{Name: "perturbation: γ", Fill: charts.Hollow},
	}
	names := []string{"not private", "exact noise", "printed noise"}
	widens, alt := math.Inf(1), "The first, second and third term."
	for row, sums := range []privacy.Accumulator{
		mechanism.Exact{Ridge: 1}, mechanism.Tree{Noise: noise}, mechanism.Tree{Noise: printed},
	} {
		first := privacy.First(cell.Try(sums.Open(setup)))
		b, d := first.Bounds, float64(dim)
		sizes := []float64{
			math.Sqrt(2*math.Log(2*n) + d*math.Log(first.Shift/b.RhoMin)), // V is the shift
			math.Sqrt(b.RhoMax), b.Gamma,
		}
		from := 0.0
		for i, size := range sizes {
			if size > 0 {
				s := &terms[i]
				s.Kind, s.X, s.X2 = charts.Bars, append(s.X, from), append(s.X2, from+size)
				s.Y, s.Labels = append(s.Y, float64(row)), append(s.Labels, "")
			}
			from += size
		}
		alt += fmt.Sprintf(" %s: %.1f, %.1f, %.1f.", names[row], sizes[0], sizes[1], sizes[2])
		if row > 0 {
			widens = min(widens, (from-sizes[0])/sizes[0])
		}
	}
	return &charts.Figure{
		Series: terms, Alt: alt,
		X: charts.Axis{Name: "width β of round 1"}, Y: charts.Axis{Categories: names, Name: "noise"},
		Caption: fmt.Sprintf("%s; d = %d, n = %d, ε = %g, δ = %g",
			formula, dim, rounds, budget.Epsilon, budget.Delta),
	}, widens
}
