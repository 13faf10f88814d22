package lab

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A study that failed goes on where it was, though the last line of its file was cut off; a file of
// another study is refused.
func TestStudyGoesOn(t *testing.T) {
	root := t.TempDir()
	t.Setenv("DPBANDITS_ROOT", root)
	var played atomic.Int64
	broken := true
	s := &Study{Name: "pull", Seed: 1, Trials: 6, Rounds: 9, What: []string{"a", "b"}, Trial: func(trial int) []float64 {
		played.Add(1)
		check.That(!broken || trial < 5, "broken")
		return []float64{float64(trial), 2}
	}}
	if _, err := RunStudies(t.Context(), cell.Paper, s); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Fatalf("error %v, want one that says broken", err)
	}
	file := filepath.Join(root, "build", "checkpoints", "pull.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)-3], 0o644); err != nil { // the last trial is lost
		t.Fatal(err)
	}
	done := strings.Count(string(data), "\n") - 2
	broken = false
	played.Store(0)
	tables, err := RunStudies(t.Context(), cell.Paper, s)
	if err != nil {
		t.Fatal(err)
	}
	mean, se, err := tables[0].Final("a")
	if p := tables[0].Provenance; err != nil || mean != 2.5 || !(se > 0) || p.Restored != done || int(played.Load()) != 6-done {
		t.Errorf("mean %v ± %v (%v), restored %d, played %d, want 2.5, %d and %d", mean, se, err, p.Restored, played.Load(), done, 6-done)
	}
	if _, err := os.Stat(filepath.Join(root, "notebooks", "results", "pull.csv")); err != nil {
		t.Error(err)
	}
	of := simulate.Build()
	if data, err = os.ReadFile(file); err != nil || of == "" || strings.Count(string(data), of) != 1 {
		t.Fatalf("%v: the first line does not name %q", err, of)
	}
	other := strings.Replace(string(data), of, "packages-0123456789abcdef", 1)
	if err := os.WriteFile(file, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := RunStudies(t.Context(), cell.Paper, s); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("error %v, want one that says that the file is of another program", err)
	}
	s.Rounds = 10
	if _, err := RunStudies(t.Context(), cell.Paper, s); err == nil || !strings.Contains(err.Error(), "another study") {
		t.Errorf("error %v, want one that says that the file is of another study", err)
	}
}

// A number that is not finite is an error that names it, and so are too few.
func TestStudyNumbers(t *testing.T) {
	zero := 0.0
	for says, values := range map[string][]float64{"a = NaN": {zero / zero}, "2 numbers": {1, 2}} {
		s := &Study{Name: "pull", Trials: 2, What: []string{"a"}, Trial: func(int) []float64 { return values }}
		if _, err := RunStudies(t.Context(), cell.Smoke, s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one with %q", err, says)
		}
	}
}

// A committed study is read as a table.
func TestCommittedStudy(t *testing.T) {
	table, err := results.Table("ldp-events")
	if err != nil || table.Provenance.Trials != 1000 || table.Provenance.Version == "" {
		t.Errorf("%+v (%v), want 1000 trials and a version", table, err)
	}
}
