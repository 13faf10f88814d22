// Package papers holds the experiments of the papers, one file a paper: functions that the
// notebooks and `make reproduce` both call.
package papers

import (
	"context"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// What the notebooks and the experiments here use of package lab.
type (
	// Scale sets horizons and trials everywhere.
	Scale = lab.Scale
	// Figure is a figure or table of a paper that can be reproduced.
	Figure = lab.Figure
)

// The scales.
const (
	Smoke   = lab.Smoke
	Lecture = lab.Lecture
	Paper   = lab.Paper
)

// MustScale returns the scale that the environment variable SCALE asks for.
func MustScale() Scale { return cell.MustScale() }

// MustRun runs experiments with a progress line below the cell.
func MustRun(s Scale, experiments ...*simulate.Experiment) []*simulate.Result {
	return lab.MustRun(s, experiments...)
}

// MustTable returns the committed paper-scale table of an experiment.
func MustTable(experiment string) *simulate.Table { return lab.MustTable(experiment) }

// Here is a figure's scale line for numbers that the cell itself computed.
func Here(s Scale) string { return cell.Here(s) }

// Committed is the line for numbers from a committed table.
func Committed(t *simulate.Table) string { return lab.Committed(t) }

// Tables returns the tables of results.
func Tables(rs []*simulate.Result) []*simulate.Table { return lab.Tables(rs) }

// Run runs experiments as one list, as lab.Run does.
func Run(ctx context.Context, s Scale, progress simulate.Progress, experiments ...*simulate.Experiment) ([]*simulate.Result, error) {
	return lab.Run(ctx, s, progress, experiments...)
}

func pick[T any](s Scale, smoke, lecture, paper T) T { return cell.Pick(s, smoke, lecture, paper) }
