// Package lesson says in words and figures what cells of the notebooks on local privacy found. It
// plays nothing, and is small, because a page holds it.
package lesson

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Trusting draws regrets under the names of whom their learners trust. The curves are LinUCB's, one
// of a learner that trusts a server, one of a shuffler's, and others that trust nobody.
func Trusting(title string, curves []simulate.Curve) *charts.Figure {
	f := charts.Regret(title, curves)
	trusts := []string{", not private", ": trusts a server", ": trusts a shuffler", ": trusts nobody"}
	for i := range f.Series {
		name, _, _ := strings.Cut(f.Series[i].Name, ", ")
		f.Series[i].Name = name + trusts[min(i, len(trusts)-1)]
	}
	return f
}

// Estimates says how far from θ* estimates end, in a title and a rest, and whether they fall as the
// lesson says: from 10,000 messages on the first is level, the next three fall about like 1/√n, and
// all end in their order and far apart. The lines are those of the squared and the corrected loss,
// of sums sent by devices, of a trusted server, and of no noise, at six numbers of messages.
func Estimates(lines []charts.Series) (title, rest string, fall bool) {
	end := func(i int) float64 { return lines[i].Y[5] }
	title = fmt.Sprintf("%s rows: off by %.2f squared, %.3f corrected, %.3f trusted",
		cell.Thousands(int(lines[0].X[5])), end(0), end(1), end(3))
	rest = fmt.Sprintf("; sums sent by devices %.3f; trusted after %.0f rows %.3f",
		end(2), lines[3].X[0], lines[3].Y[0])
	power := func(s charts.Series) float64 { return math.Log(s.Y[5]/s.Y[2]) / math.Log(s.X[5]/s.X[2]) }
	fall = power(lines[0]) > -0.05
	for _, s := range lines[1:4] {
		fall = fall && math.Abs(power(s)+0.5) < 0.15
	}
	fall = fall && end(0) > 4*end(1) && end(1) > end(2) && end(2) > 4*end(3) && end(3) < 1.2*end(4)
	return title, rest, fall
}

// Shrink reports whether the first set of each frame is narrower than that of the frame before.
func Shrink(frames []charts.Frame) bool {
	across := func(f charts.Frame) float64 { return slices.Max(f.Series[0].X) - slices.Min(f.Series[0].X) }
	return slices.IsSortedFunc(frames, func(a, b charts.Frame) int {
		return cmp.Compare(across(b), across(a))
	})
}

// Dress gives policies their colour and dash, the same in all figures of the evidence.
func Dress(series ...charts.Series) []charts.Series {
	policies := []string{"LinUCB", "JDP", "SDP", "LDP", "OnlineUCB", "Maler", "random", "anytime", "combiner"}
	for i, s := range series {
		named := func(name string) bool { return strings.HasPrefix(s.Name, name) }
		series[i].Style = 1 + slices.IndexFunc(policies, named)
	}
	return series
}

// Ends lists regrets at the last round. scale says where they come from.
func Ends(scale, caption string, curves []simulate.Curve) *charts.Table {
	t := charts.NewTable("policy", "regret", "standard error")
	for _, c := range curves {
		_, mean, se := c.Last()
		t.Add(c.Policy, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se))
	}
	t.Caption, t.Scale = fmt.Sprintf("%s; %d trials, seed 2024", caption, curves[0].Trials), scale
	return t
}
