// Package lab holds what the notebooks of all papers share: runs that can be resumed, figures that
// can be reproduced, the committed tables, what curves say. It knows no paper.
package lab

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// MustRun runs experiments with a progress line below the cell. Interrupting the kernel stops it
// cleanly.
func MustRun(s cell.Scale, experiments ...*simulate.Experiment) []*simulate.Result {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := Run(ctx, s, charts.Progress(), experiments...)
	cell.Must(err)
	return r
}

// MustTable returns the committed paper-scale table of an experiment.
func MustTable(experiment string) *simulate.Table { return cell.Try(results.Table(experiment)) }

// MustFinal returns what a committed table measures at its last round: the mean of a policy's
// regret, or of a quantity of a study.
func MustFinal(experiment, what string) float64 {
	mean, _, err := MustTable(experiment).Final(what)
	return cell.Try(mean, err)
}

// MustTables returns the committed paper-scale tables of experiments.
func MustTables(experiments ...*simulate.Experiment) (tables []*simulate.Table) {
	for _, e := range experiments {
		tables = append(tables, MustTable(e.Name))
	}
	return tables
}

// Committed is the line for numbers from a committed table.
func Committed(t *simulate.Table) string {
	return charts.PaperScale("notebooks/results/" + t.Provenance.Experiment + ".csv")
}

// Size says how many trials a table has of a policy, and of which seed.
func Size(t *simulate.Table) string {
	return fmt.Sprintf("%d trials, seed %d", t.Curves[0].Trials, t.Provenance.Seed)
}

// Tables returns the tables of results.
func Tables(rs []*simulate.Result) []*simulate.Table {
	ts := make([]*simulate.Table, len(rs))
	for i, r := range rs {
		ts[i] = r.Table()
	}
	return ts
}
