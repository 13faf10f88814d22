package lab

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// What a notebook's cell calls. A cell is a program of its own: where something fails it prints why and exits with
// status 1, which fails the notebook's run.

// MustScale returns the scale that the environment variable SCALE asks for.
func MustScale() Scale {
	s, err := ScaleFromEnv()
	Must(err)
	return s
}

// MustRun runs experiments with a progress line below the cell. Interrupting the kernel stops it cleanly.
func MustRun(s Scale, experiments ...*simulate.Experiment) []*simulate.Result {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := Run(ctx, s, charts.Progress(), experiments...)
	Must(err)
	return r
}

// MustTable returns the committed paper-scale table of an experiment.
func MustTable(experiment string) *simulate.Table {
	t, err := results.Table(experiment)
	Must(err)
	return t
}

// Must prints an error and exits with status 1, unless it is nil.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Here is a figure's scale line for numbers that the cell itself computed.
func Here(s Scale) string { return fmt.Sprintf("this cell, %s scale", s) }

// Committed is the line for numbers from a committed table.
func Committed(t *simulate.Table) string {
	return charts.PaperScale("notebooks/results/" + t.Provenance.Experiment + ".csv")
}

// Tables returns the tables of results.
func Tables(rs []*simulate.Result) []*simulate.Table {
	var ts []*simulate.Table
	for _, r := range rs {
		ts = append(ts, r.Table())
	}
	return ts
}
