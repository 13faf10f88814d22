package papers

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// What a notebook's cell calls. A cell is a program of its own: where something fails it prints why and exits with
// status 1, which fails the notebook's run.

// MustScale returns the scale that the environment variable SCALE asks for.
func MustScale() Scale {
	s, err := ScaleFromEnv()
	exitOn(err)
	return s
}

// MustRun runs experiments with a progress line below the cell. Interrupting the kernel stops it cleanly.
func MustRun(s Scale, experiments ...*simulate.Experiment) []*simulate.Result {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := Run(ctx, s, charts.Progress(), experiments...)
	exitOn(err)
	return r
}

// MustTable returns the committed paper-scale table of an experiment.
func MustTable(experiment string) *simulate.Table {
	t, err := results.Table(experiment)
	exitOn(err)
	return t
}

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed paper-scale tables.
func MustReport(figure string) *charts.Table {
	f, err := FigureByName(figure)
	exitOn(err)
	var tables []*simulate.Table
	if f.Experiments != nil {
		for _, e := range f.Experiments(Paper) {
			tables = append(tables, MustTable(e.Name))
		}
	}
	t, err := f.Report(Paper, tables)
	exitOn(err)
	return t
}

func exitOn(err error) {
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

// Claim is a statement that a notebook makes and a cell checks.
type Claim struct {
	Name      string // what Assert is called with
	Statement string // a sentence
	Check     func(Scale) (evidence string, err error)
}

// Claims lists the claims of all notebooks.
var Claims = slices.Concat(privacyClaims, ldpClaims, matClaims, jdpClaims)

// Check checks the claim of that name at a scale.
func Check(name string, s Scale) (statement, evidence string, err error) {
	for _, c := range Claims {
		if c.Name == name {
			evidence, err = c.Check(s)
			if err != nil {
				err = fmt.Errorf("claim %q does not hold: %s: %w", name, c.Statement, err)
			}
			return c.Statement, evidence, err
		}
	}
	return "", "", fmt.Errorf("papers: no claim %q", name)
}

// Assert checks a claim and prints the evidence; a claim that does not hold fails the cell.
func Assert(name string) {
	statement, evidence, err := Check(name, MustScale())
	exitOn(err)
	fmt.Printf("holds: %s\n       %s\n", statement, evidence)
}
