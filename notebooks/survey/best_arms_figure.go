package survey

import (
	"fmt"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// MustBestArms draws how many times the lower bound each learner needs, and lays the same out as a
// folded table.
func MustBestArms() (*charts.Figure, *charts.Table) {
	f := &charts.Figure{
		Title: "Rounds over the least that any private learner needs", Height: 500,
		X:     charts.Axis{Name: "arms and ε"},
		Y:     charts.Axis{Name: "times the bound", Log: true, Range: [2]float64{1, 1000}},
		Scale: charts.PaperScale("notebooks/results/survey-best-arm-*.csv, a file for each place"),
	}
	f.Alt = f.Title + "."
	about, place := "", map[string]int{} // of a learner's series
	for i, on := range bestArmInstances {
		for _, epsilon := range bestArmEpsilons {
			table, at := cell.Try(results.Table(bestArmName(on, epsilon))), float64(len(f.X.Categories))
			name := fmt.Sprintf("%s, ε = %g", bestArmTitles[i], epsilon)
			f.X.Categories, f.Alt = append(f.X.Categories, name), f.Alt+" "+name+":"
			bound := arms.BestArmBound(epsilon, on.means, bestArmDelta)
			for k := 0; k < len(table.Curves); k += 2 { // and then how often it is wrong
				c := table.Curves[k]
				if _, ok := place[c.Policy]; !ok {
					place[c.Policy] = len(f.Series)
					f.Series = append(f.Series, charts.Series{Name: c.Policy, Kind: charts.Bar})
				}
				s, times, half := &f.Series[place[c.Policy]], c.Mean[0]/bound, 1.96*c.SE[0]/bound
				s.X, s.Y = append(s.X, at), append(s.Y, times)
				s.Lo, s.Hi = append(s.Lo, times-half), append(s.Hi, times+half)
				f.Alt += fmt.Sprintf(" %s %.1f.", c.Policy, times)
				f.Caption = fmt.Sprintf("β = %g, means of %d runs with 95%% intervals.", bestArmDelta, c.Trials)
			}
		}
		about += fmt.Sprintf(" %s: arms of means %v.", bestArmTitles[i], on.means)
	}
	f.Caption += about + " As run: by the threshold of the authors' program, which is not proved. " +
		"Local: no curator is trusted; its bound is not this one. make reproduce FIGURE=survey-best-arm SCALE=paper"
	t := MustReport("survey-best-arm")
	t.Folded, t.Scale = "All rounds and errors", f.Scale
	return f, t
}
