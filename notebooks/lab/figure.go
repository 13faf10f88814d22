package lab

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figure is a figure or table of a paper that can be reproduced.
type Figure struct {
	Name string // such as jdp-fig4
	What string // a line
	// Experiments returns what has to be run; nil for a figure that needs none.
	Experiments func(cell.Scale) []*simulate.Experiment
	// Studies returns what has to be measured in runs; nil for a figure that needs none.
	Studies func(cell.Scale) []*Study
	// Report lays the numbers beside the paper's; the tables are the experiments', in order, and then
	// the studies'. It may end by package check. Its table gets the scale.
	Report func(cell.Scale, []*simulate.Table) (*charts.Table, error)
}

// Figures lists what can be reproduced.
type Figures []Figure

// Named returns the figure of that name.
func (list Figures) Named(name string) (Figure, error) {
	for _, f := range list {
		if f.Name == name {
			return f, nil
		}
	}
	return Figure{}, fmt.Errorf("lab: no figure %q", name)
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func (list Figures) MustReport(name string) *charts.Table {
	return cell.Try(cell.Try(list.Named(name)).Committed())
}

// Reproduce runs a figure's experiments and returns its numbers beside the paper's. If all trials
// finished and something else failed, such as a file that could not be written, it returns them and
// the error.
func (f Figure) Reproduce(ctx context.Context, s cell.Scale, progress simulate.Progress) (*charts.Table, error) {
	var tables []*simulate.Table
	var failed error
	if f.Experiments != nil {
		results, err := Run(ctx, s, progress, f.Experiments(s)...)
		if results == nil || slices.ContainsFunc(results, func(r *simulate.Result) bool { return !finished(r) }) {
			return nil, err
		}
		failed = err
		tables = Tables(results)
	}
	if f.Studies != nil {
		measured, err := RunStudies(ctx, s, f.Studies(s)...)
		if err != nil {
			return nil, errors.Join(failed, err)
		}
		tables = append(tables, measured...)
	}
	report, err := f.report(s, tables)
	return report, errors.Join(failed, err)
}

// Committed lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func (f Figure) Committed() (*charts.Table, error) {
	tables, err := f.Tables()
	if err != nil {
		return nil, err
	}
	return f.report(cell.Paper, tables)
}

func (f Figure) report(s cell.Scale, tables []*simulate.Table) (t *charts.Table, err error) {
	defer check.Catch(&err)
	if t, err = f.Report(s, tables); err == nil {
		t.Scale = string(s)
	}
	return t, err
}

// Tables returns the committed paper-scale tables of a figure's experiments and studies, in order.
func (f Figure) Tables() (tables []*simulate.Table, err error) {
	var names []string
	if f.Experiments != nil {
		for _, e := range f.Experiments(cell.Paper) {
			names = append(names, e.Name)
		}
	}
	if f.Studies != nil {
		for _, s := range f.Studies(cell.Paper) {
			names = append(names, s.Name)
		}
	}
	for _, name := range names {
		t, err := results.Table(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// WriteCSV writes a report as CSV.
func WriteCSV(w io.Writer, t *charts.Table) error {
	out := csv.NewWriter(w)
	out.Write(t.Headers)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = fmt.Sprint(c)
		}
		out.Write(cells)
	}
	out.Flush()
	return out.Error()
}
