package lab

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func quick(name string, learn func() bandit.Learner) *simulate.Experiment {
	return &simulate.Experiment{
		Name: name, Environment: environment.DecisionSets{Dim: 2, Gap: 0.1},
		Policies: []simulate.Policy{{Name: "LinUCB", New: learn}}, Horizon: 50, Trials: 3, Seed: 1,
	}
}

func plain() bandit.Learner { return learner.New(learner.LinUCB{}, nil) }

// fails is a learner that fails in its second round.
type fails struct{ learner.Private[privacy.Sums] }

var errFails = errors.New("fails")

func (l *fails) Update(v *bandit.View, arms []int, y []float64) {
	l.Private.Update(v, arms, y)
	if v.Round == 2 {
		l.Fail(errFails)
	}
}

// The table of an experiment that finished is saved though another one failed.
func TestFinishedTablesAreSaved(t *testing.T) {
	root := t.TempDir()
	t.Setenv("DPBANDITS_ROOT", root)
	results, err := Run(t.Context(), cell.Paper, nil, quick("good", plain), quick("bad", func() bandit.Learner { return &fails{learner.New(learner.LinUCB{}, nil)} }))
	if !errors.Is(err, errFails) || len(results) != 2 {
		t.Fatalf("%d results, error %v, want 2 and one that wraps %v", len(results), err, errFails)
	}
	dir := filepath.Join(root, "notebooks", "results")
	if _, err := os.Stat(filepath.Join(dir, "good.csv")); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files %q, want good.csv alone", files)
	}
}

// A folder that cannot be written to is an error before the first trial.
func TestUnwritableFolders(t *testing.T) {
	for _, in := range []string{"build", "notebooks"} {
		root := t.TempDir()
		t.Setenv("DPBANDITS_ROOT", root)
		if err := os.WriteFile(filepath.Join(root, in), nil, 0o444); err != nil { // not a folder
			t.Fatal(err)
		}
		results, err := Run(t.Context(), cell.Paper, nil, quick("good", plain))
		if results != nil || err == nil || !strings.Contains(err.Error(), filepath.Join(root, in)) {
			t.Errorf("%d results, error %v, want none and one that names %s", len(results), err, filepath.Join(root, in))
		}
	}
}

// Where a table cannot be written in its place at the end, it is in the place that the error names,
// and the report is made.
func TestTableElsewhere(t *testing.T) {
	root := t.TempDir()
	t.Setenv("DPBANDITS_ROOT", root)
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(root, "notebooks", "results")
	if err := os.MkdirAll(filepath.Join(dir, "good.csv", "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := Figure{Experiments: func(cell.Scale) []*simulate.Experiment { return []*simulate.Experiment{quick("good", plain)} }, Report: func(cell.Scale, []*simulate.Table) (*charts.Table, error) {
		return &charts.Table{Headers: []string{"report"}}, nil
	}}
	report, err := f.Reproduce(t.Context(), cell.Paper, nil)
	if report == nil || report.Scale != string(cell.Paper) || err == nil {
		t.Fatalf("report %v, error %v, want both, and the scale", report, err)
	}
	where := regexp.MustCompile(`the table is in (.*\.csv) instead`).FindStringSubmatch(err.Error())
	if where == nil {
		t.Fatalf("error %v, want one that names a place", err)
	}
	file, err := os.Open(where[1])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := simulate.ReadCSV(file)
	if err != nil || table.Curves[0].Trials != 3 {
		t.Errorf("table %v, error %v, want one of 3 trials", table, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files %q, want what was there alone", files)
	}
}
