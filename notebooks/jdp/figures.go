package jdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The figures of the committed tables. Each ends the cell if its tables cannot be read.

const committed = "paper-scale, from notebooks/results/"

// trialsBut names the tables whose number of trials is not that of the first.
func trialsBut(tables []*simulate.Table, name func(i int) string) (text string) {
	for i, t := range tables {
		if n := t.Curves[0].Trials; n != tables[0].Curves[0].Trials {
			text += fmt.Sprintf("; %d trials for %s", n, name(i))
		}
	}
	return text
}

// Figure2 draws Experiment 1's regret over time for one law of the reward.
func Figure2(law environment.Reward) *charts.Figure {
	dims, tables := Dims(cell.Paper), lab.MustTables(experiments1(cell.Paper, law)...)
	name := func(i int) string { return fmt.Sprintf("d = %d", dims[i]) }
	curves := lab.Curves(tables)
	for i := range curves {
		curves[i].Policy = name(i)
	}
	f := charts.Regret(fmt.Sprintf("Experiment 1: regret over time, %s rewards", lawName(law)), curves)
	f.Scale = committed
	f.Caption += trialsBut(tables, name) + ". LinUCB without privacy, K = d² arms, ridge 1, gap 0.1"
	return f
}

// Figure3 draws the regret against the dimension for Gaussian rewards and for signs, with the
// fitted powers.
func Figure3() *charts.Figure {
	f := &charts.Figure{
		Title: "Experiment 1: regret against dimension", Scale: committed,
		X: charts.Axis{Name: "dimension d", Log: true, Range: [2]float64{3, 100}}, Y: charts.Axis{Name: "cumulative regret", Log: true},
		Caption: "Error bars: 95%. The lines are least-squares fits on logarithms, with the 95% interval of the slope",
	}
	for i, law := range rewardLaws {
		tables := lab.MustTables(experiments1(cell.Paper, law)...)
		slope := cell.Try(Slope(Dims(cell.Paper), tables))
		var x []float64
		var runs [][]simulate.Curve
		for k, t := range tables {
			x, runs = append(x, float64(Dims(cell.Paper)[k])), append(runs, t.Curves)
		}
		points := charts.Finals(x, runs)[0]
		points.Name, points.Kind = lawName(law)+" rewards", charts.Scatter
		fit := charts.Function(fmt.Sprintf("slope %.2f [%.2f, %.2f]", slope.Value, slope.Lo, slope.Hi), x, func(d float64) float64 {
			return math.Exp(slope.LogC + slope.Value*math.Log(d))
		})
		points.Style, fit.Style = i+1, i+1
		f.Series = append(f.Series, points, fit)
	}
	return f
}

// styles gives a policy of Experiment 2 the same colour in all figures.
var styles = map[string]int{NonPrivate: 1, GaussianSound: 2, GaussianAuthors: 3, WishartAuthors: 4, UnshiftedAuthors: 5,
	HonakerSound: 3, BLTSound: 5, GaussianPrinted: 6, WishartPrinted: 7, UnshiftedPrinted: 8, GaussianTwice: 7, WishartFour: 9, WishartSound: 8}

func styled(curves []simulate.Curve) []charts.Series {
	series := charts.Curves(curves)
	for i := range series {
		series[i].Style = styles[series[i].Name]
	}
	return series
}

// MustTables2 returns the committed tables of Experiment 2 for one gap.
func MustTables2(gap float64) []*simulate.Table {
	return lab.MustTables(Experiment2(cell.Paper, gap)...)
}

// regret draws policies of Experiment 2 from a committed table and those after it.
func regret(title string, curves []simulate.Curve, first *simulate.Table, more string) *charts.Figure {
	f := charts.Regret(title, curves)
	f.Series, f.Scale = styled(curves), lab.Committed(first)
	f.Caption += ". d = 5, K = 25, ε = 1, δ = 0.1, calibrated for n = 5·10⁷" + more
	return f
}

// Figure4 draws Experiment 2 for one gap, on linear axes as the paper does: the policies as
// published and the sound Gaussian.
func Figure4(gap float64) *charts.Figure {
	tables := MustTables2(gap)
	f := regret(fmt.Sprintf("Experiment 2: regret over time, gap %g", gap), lab.Curves(tables[:2]), tables[0], "")
	f.Height = 520
	return f
}

// FigureStreaming draws the ways to release the sums at the same privacy, for one gap.
func FigureStreaming(gap float64) *charts.Figure {
	t := lab.MustTable(Streaming(cell.Paper, gap).Name)
	curves := t.Curves[:len(StreamingPolicies)] // and then the differences
	f := regret(fmt.Sprintf("Same privacy, other correlations of the noise, gap %g", gap), curves, t, ", shifts chosen by the regret bound")
	top := 0.0
	for _, s := range f.Series {
		top = math.Max(top, slices.Max(s.Hi))
	}
	f.X.Log, f.Y.Range = true, [2]float64{0, 100 * math.Ceil(top/100)}
	return f
}

// MustTheory draws the sound mechanisms of Experiment 2 with the bounds of the theorems, on log
// axes.
func MustTheory(gap float64) *charts.Figure {
	tables := MustTables2(gap)
	f := &charts.Figure{
		Title: fmt.Sprintf("Regret and what the theorems promise, gap %g", gap), Height: 560, Scale: lab.Committed(tables[0]),
		X: charts.Axis{Name: "round t", Log: true}, Y: charts.Axis{Name: "cumulative regret", Log: true},
	}
	for _, name := range []string{NonPrivate, GaussianSound, GaussianTwice, WishartSound} {
		c := cell.Try(lab.Curve(tables, name))
		f.Series = append(f.Series, styled([]simulate.Curve{c})...)
		if name != NonPrivate && name != GaussianSound {
			continue
		}
		theorem := map[bool]string{false: "Theorem 5, ", true: "Theorem 6, "}[gap > 0]
		bound, l := charts.Series{Name: theorem + name, Style: 2 + styles[name]}, cell.Try(ready(name, gap))
		for _, n := range c.Rounds {
			bound.X, bound.Y = append(bound.X, float64(n)), append(bound.Y, promised(l, n, gap))
		}
		f.Series = append(f.Series, bound)
		round, mean, _ := c.Last()
		f.Caption += fmt.Sprintf("%s at round %d: measured %.4g, bound %.4g. ", name, round, mean, promised(l, round, gap))
	}
	f.Caption += "The bounds carry the theorems' own constants"
	return f
}

// Figure5 draws Experiment 3 for one mechanism: regret at the last round against rho_min, a
// curve a gap.
func Figure5(mechanism string) *charts.Figure {
	tables, rhos := lab.MustTables(experiments3(cell.Paper)...), Rhos(cell.Paper)
	name := func(i int) string { return fmt.Sprintf("gap %g", Gaps3[i]) }
	runs := make([][]simulate.Curve, len(rhos))
	for i, rho := range rhos {
		for k, t := range tables {
			c := cell.Try(t.Curve(Shifted(mechanism, rho)))
			c.Policy = name(k)
			runs[i] = append(runs[i], c)
		}
	}
	f := &charts.Figure{
		Title: "Experiment 3: regret against the shift, " + mechanism, Scale: committed, Series: charts.Finals(rhos, runs),
		X: charts.Axis{Name: "ρmin", Log: true}, Y: charts.Axis{Name: "cumulative regret at the last round"},
		Marks: []charts.Mark{charts.AtX(linUCB(cell.Try(ready(mechanism, 0))).Bounds().RhoMin, "the mechanism's own")},
		Caption: fmt.Sprintf("Mean of %d trials at round %d, with 95%% bands%s",
			tables[0].Curves[0].Trials, tables[0].Provenance.Rounds, trialsBut(tables, name)),
	}
	for i, s := range f.Series {
		f.Series[i].Style = i + 1
		for k, low := range s.Lo {
			s.Lo[k] = math.Max(0, low)
		}
	}
	return f
}
