package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
)

// TestAlgorithms: the README's table is what the leaderboard and the committed audits make of it,
// their claims are today's, and today's attack on one of them finds what is committed.
func TestAlgorithms(t *testing.T) {
	found, err := readCSV(committed)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := table(found)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := withTable(string(text), lines)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Errorf("README.md's table of algorithms is not current: run go generate ./notebooks/reproduce/readme. It should be\n%s", lines)
	}
	for _, a := range algorithms {
		if _, err := os.Stat(filepath.Join("..", "..", a.notebook+".ipynb")); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
	}

	chosen, err := items(suite.Usual)
	if err != nil {
		t.Fatal(err)
	}
	again := -1
	for i, item := range chosen {
		about, err := item.About()
		if err != nil {
			t.Fatal(err)
		}
		now := audited{about.Claim.Delta, about.Claim.Epsilon, found[i].audited, found[i].runs}
		if got, want := line(now), line(found[i]); got != want {
			t.Errorf("%s: delta, claim, audited and runs are %s, committed %s", about.Name, got, want)
		}
		if found[i].audited > found[i].proved {
			t.Errorf("%s: audited %v, proved %v", about.Name, found[i].audited, found[i].proved)
		}
		if about.Name == "DP-FTRL" {
			again = i
		}
	}
	now, err := audits(context.Background(), []audit.Item{chosen[again]})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := line(now[0]), line(found[again]); got != want {
		t.Errorf("DP-FTRL is audited today as %s, committed %s", got, want)
	}
}

// line returns a finding with the digits of algorithms.csv.
func line(f audited) string {
	return fmt.Sprintf("%.6g, %.6g, %.6g, %d", f.delta, f.proved, f.audited, f.runs)
}

func TestTablesPlace(t *testing.T) {
	got, err := withTable("a\n"+begin+"old\n"+end+"b\n", "new\n")
	if want := "a\n" + begin + "new\n" + end + "b\n"; err != nil || got != want {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if _, err := withTable("a\n"+begin, "new\n"); err == nil {
		t.Error("no error without a place")
	}
}
