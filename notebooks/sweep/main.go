// Sweep runs the experiments of the papers' figures and the leaderboard on several machines, a part
// on each; see package sweep. Without arguments it lists what there is.
//
//	sweep -shard 0/3 -out results leaderboard scale=2
//	sweep merge results >leaderboard.csv
package main

import (
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/notebooks/lasso"
	"github.com/dpbandits/dpbandits/notebooks/ldp"
	"github.com/dpbandits/dpbandits/notebooks/matroid"
	"github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

func main() { sweep.Main(catalogue()) }

// catalogue lists the figures that have experiments.
func catalogue() (list sweep.Catalogue) {
	scales := []cell.Scale{cell.Smoke, cell.Lecture, cell.Paper}
	for _, f := range slices.Concat(ldp.Figures, matroid.Figures, jdp.Figures, lasso.Figures, survey.Figures) {
		if f.Experiments == nil {
			continue
		}
		list = append(list, sweep.Entry{
			Name: f.Name, Doc: f.What,
			Parameters: []sweep.Parameter{{Name: "scale", Doc: "0: smoke, 1: lecture, 2: paper", Default: 2, Max: 2, Whole: true}},
			New: func(v sweep.Values) ([]*simulate.Experiment, error) {
				return f.Experiments(scales[v.Int("scale")]), nil
			},
		})
	}
	return list
}
