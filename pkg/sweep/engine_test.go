package sweep

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// An engine of one's own plays trials one by one: the table is that of Run, and the trial that
// panics is in a table of its own.
func TestEngine(t *testing.T) {
	s, err := catalogue().Parse([]string{"bad", "gap=0.1,0.25", "trials=9"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Claim(dir); err != nil {
		t.Fatal(err)
	}
	for k, p := range s.Points {
		store, err := s.Store(dir, k)
		if err != nil {
			t.Fatal(err)
		}
		for trial := range p.Trials {
			if rec, _, err := store.RunTrial(t.Context(), trial); (err != nil) != (trial == 7) {
				t.Errorf("point %d, trial %d: record %v, error %v", k, trial, rec, err)
			}
		}
	}
	results, failures, err := s.Collect(dir)
	if err == nil {
		t.Error("nothing is missing, want trial 7")
	}
	var got, want bytes.Buffer
	if err := s.WriteCSV(&got, results); err != nil {
		t.Fatal(err)
	}
	whole, err := s.Run(t.Context(), "", simulate.Options{})
	if err == nil {
		t.Error("no trial failed, want trial 7")
	}
	if err := s.WriteCSV(&want, whole); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("another table:\n%s\nwant\n%s", &got, &want)
	}
	got.Reset()
	if err := WriteFailures(&got, failures); err != nil {
		t.Fatal(err)
	}
	// the error also says where the panic was
	rows := "^experiment,policy,trial,round,error\nbad gap=0.1,brittle,7,5,\"?panic: boom.*\nbad gap=0.25,brittle,7,5,\"?panic: boom.*\n$"
	if !regexp.MustCompile(rows).Match(got.Bytes()) {
		t.Errorf("failures:\n%s\nwant\n%s", &got, rows)
	}
	for _, k := range []int{-1, 2} {
		if _, err := s.Store(dir, k); err == nil {
			t.Errorf("point %d: no error", k)
		}
	}
}
