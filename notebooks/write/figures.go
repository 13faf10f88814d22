package write

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Attacked draws what attacks see of a claimed ε, over the reward that they send. Each has so many
// runs; top is where the axis ends.
func Attacked(title, scale string, epsilon, top float64, runs int, series ...charts.Series) *charts.Figure {
	f := &charts.Figure{
		Title: title, X: charts.Axis{Name: "reward sent, where 0 to 1 is allowed"},
		Y:      charts.Axis{Name: "ε that is excluded", Range: [2]float64{0, top}},
		Series: series, Scale: scale, Height: 400,
		Marks:   []charts.Mark{charts.AtY(epsilon, "claimed")},
		Caption: fmt.Sprintf("Lower bounds on ε, 99%% confidence; %d runs a reward, seed 6", runs),
		Alt:     fmt.Sprintf("%s. A level line is what is claimed: %g.", title, epsilon),
	}
	// Half of the runs count an event. If none of n has it, its probability may still be ln(200)/n, at
	// 99%: so no attack excludes more than ln(n/ln 200).
	if most := math.Log(float64(runs/2) / -math.Log(0.005)); most < top {
		f.Marks = append(f.Marks, charts.AtY(most, "the most that so many runs can show"))
		f.Alt += fmt.Sprintf(" Another is the most that so many runs can show: %.2f.", most)
	}
	for _, s := range series {
		if s.Reference {
			f.Alt += fmt.Sprintf(" A sloping dashed line is %s.", s.Name)
			continue
		}
		i, j := 2*len(s.X)/3, len(s.X)-1
		f.Alt += fmt.Sprintf(" %s: %.2f at a reward of %g, %.2f at %g and %.2f at %g.",
			s.Name, s.Y[0], s.X[0], s.Y[i], s.X[i], s.Y[j], s.X[j])
	}
	return f
}

// Above counts the points (x, y) of a curve with y > slope*x, and says how far above at most.
func Above(s charts.Series, slope float64) (n int, most float64) {
	for i, x := range s.X {
		if by := s.Y[i] - slope*x; by > 0 {
			n, most = n+1, max(most, by)
		}
	}
	return n, most
}

// Behind counts the policies that pay more than the first.
func Behind(curves []simulate.Curve) (n int) {
	for _, c := range curves {
		if c.Final() > curves[0].Final() {
			n++
		}
	}
	return n
}

// Pale draws in grey, under one name, the policies that pay more than the first, and counts them.
func Pale(f *charts.Figure, curves []simulate.Curve) (more int) {
	more = Behind(curves)
	for i, c := range curves {
		if c.Final() > curves[0].Final() {
			f.Series[i].Faint, f.Series[i].Name = true, fmt.Sprintf("%d that pay more", more)
		}
	}
	return more
}
