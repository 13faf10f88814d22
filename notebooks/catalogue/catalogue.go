// Package catalogue lists the figures of all papers, for the programs that make them and for
// whoever has a runner of their own: [Sweep] goes into package sweep or package cluster.
package catalogue

import (
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/jdp"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/lasso"
	"github.com/dpbandits/dpbandits/notebooks/ldp"
	"github.com/dpbandits/dpbandits/notebooks/matroid"
	"github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// Figures lists all figures and tables that can be reproduced.
var Figures lab.Figures = slices.Concat(ldp.Figures, matroid.Figures, jdp.Figures, lasso.Figures, survey.Figures)

// Sweep lists the figures that have experiments, each with its scale as a parameter.
func Sweep() (list sweep.Catalogue) {
	scales := []cell.Scale{cell.Smoke, cell.Lecture, cell.Paper}
	for _, f := range Figures {
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
