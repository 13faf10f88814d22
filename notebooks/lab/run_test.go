package lab

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func quick(name string, l bandit.Learner) *simulate.Experiment {
	return &simulate.Experiment{
		Name: name, Environment: environment.DecisionSets{Dim: 2, Gap: 0.1},
		Policies: []simulate.Policy{{Name: "LinUCB", Learner: l}}, Horizon: 50, Trials: 3, Seed: 1,
	}
}

var plain = learner.New(linear.UCB{}, nil)

// fails is a learner that fails in its second round.
type fails struct{}

func (fails) Open(p bandit.Problem, horizon int) (bandit.Calibrated, error) {
	ready, err := plain.Open(p, horizon)
	return bandit.Starts(func(own *rand.Rand, noise rand.Source) bandit.Run {
		return failing{ready.Start(own, noise)}
	}), err
}

// failing is fails in a run.
type failing struct{ bandit.Run }

var errFails = errors.New("fails")

func (l failing) Update(v *bandit.View, arms []int, y []float64) error {
	if v.Round == 2 {
		return errFails
	}
	return l.Run.Update(v, arms, y)
}

// The table of an experiment that finished is saved though another one failed.
func TestFinishedTablesAreSaved(t *testing.T) {
	root := t.TempDir()
	t.Setenv("DPBANDITS_ROOT", root)
	results, err := Run(t.Context(), cell.Paper, nil, quick("good", plain), quick("bad", fails{}))
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
