package survey

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Each figure but the audits runs at a small scale, and has a row for all that it compares.
func TestFiguresSmoke(t *testing.T) {
	for _, f := range Figures {
		if f.Name == "leaderboard-audits" {
			continue
		}
		table, err := f.Reproduce(context.Background(), cell.Smoke, nil)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if want := map[string]int{"survey-ftrl": 12, "survey-nas": 4, "survey-arms": 18, "survey-coreset": 15, "survey-imed": 240, "leaderboard": onBoard(), "survey-regularisers": 27, "survey-pulls": 4, "survey-best-arm": 14}[f.Name]; len(table.Rows) != want {
			t.Errorf("%s: %d rows, want %d", f.Name, len(table.Rows), want)
		}
	}
}

// The committed tables agree with the independent programs within 3 combined standard errors.
func TestResults(t *testing.T) {
	check := func(name string, known map[string][]charts.Known, tables ...*simulate.Table) {
		if worst, n, err := independent.Worst(known, tables...); err != nil || n == 0 || !(worst <= 3) {
			t.Errorf("%s: %d comparisons, one is %.1f standard errors off, %v", name, n, worst, err)
		}
	}
	check("arms", ArmsGoldens, committed(t, "survey-arms-c1"), committed(t, "survey-arms-c2"))
	for i, known := range CoreSetGoldens {
		check("core sets", known, committed(t, fmt.Sprintf("survey-coreset-d%d", i+2)))
	}
}

func committed(t *testing.T, name string) *simulate.Table {
	t.Helper()
	table, err := results.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The committed tables hold a record of ours in 12 of the 16 cells, and DP-IMED near the lower
// bound in all. With 400 trials of it, one late discovery adds some 2 to a ratio.
func TestRecord(t *testing.T) {
	var tables []*simulate.Table
	for _, e := range imedExperiments(cell.Paper) {
		tables = append(tables, committed(t, e.Name))
	}
	for _, many := range []bool{false, true} {
		z := leads(tables, many)
		if len(z) != 16 {
			t.Fatalf("%v: %d cells, want 16", z, len(z))
		}
		if sure := len(slices.DeleteFunc(z, func(z float64) bool { return !(z >= 3) })); sure < 12 {
			t.Errorf("many trials %t: 3 standard errors ahead in %d of 16 cells, want 12", many, sure)
		}
	}
	for i, on := range instances {
		if few, many := tables[3*i].Curves[0].Trials, tables[3*i+2].Curves[0].Trials; few != 400 || many != 4000 {
			t.Errorf("%s: %d and %d trials, want 400 and 4000", on.name, few, many)
		}
		for _, epsilon := range imedEpsilons {
			regret, _, err := tables[3*i+2].Final(Name("DP-IMED", epsilon))
			if bound := arms.DEpsBound(epsilon, on.means, 1e7); err != nil || regret > 1.2*bound {
				t.Errorf("%s, epsilon = %g: DP-IMED has %.0f, the bound is %.0f, %v", on.name, epsilon, regret, bound, err)
			}
		}
	}
}

// An attack finds most of what the learners give away, and nothing beyond it; with -short, at one
// of two budgets.
func TestAudits(t *testing.T) {
	least := map[string]float64{"AdaP-UCB": 0.8, "DP-IMED": 0.8, "core set": 0.8, "AdaC-UCB": 0.3, "JDP LinUCB, tree": 0.3, "JDP LinUCB, BLT": 0.3}
	found := 0
	for _, c := range Contestants {
		share, ok := least[c.Name]
		if !ok {
			continue
		}
		found++
		for _, epsilon := range []float64{0.5, 2} {
			if testing.Short() && epsilon < 1 {
				continue
			}
			e, err := audited(context.Background(), c, epsilon, cell.Lecture)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if !(e > share*epsilon && e <= epsilon) {
				t.Errorf("%s at epsilon = %v: %v is audited, want more than %v of it", c.Name, epsilon, e, share)
			}
		}
	}
	if found != len(least) {
		t.Errorf("%d learners of %d", found, len(least))
	}
}

// onBoard returns how many rows a leaderboard of the catalogue's learners has.
func onBoard() (rows int) {
	for _, e := range Leaderboard(cell.Paper) {
		rows += len(e.Policies)
	}
	return rows
}

// The committed leaderboard has a row for each learner that plays in an environment at a budget,
// and an audit of each that can be attacked. What is proved is what the learner claims.
func TestLeaderboard(t *testing.T) {
	rows, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	want, audits := onBoard(), 0
	for _, r := range rows {
		if !math.IsNaN(r.Audited) {
			audits++
		} else if r.Model != notPrivate && !strings.HasPrefix(r.Learner, "DP-Cascade") {
			t.Errorf("%s, epsilon = %g, is not audited", r.Learner, r.Asked)
		}
		if !(r.Regret > 0 && r.Within >= 0 && r.Proved <= r.Asked*1.01 && r.Rounds == 100_000 && r.Trials == 50) {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != want || audits < 300 {
		t.Errorf("%d rows, %d audited, want %d and most of them: after a new entry of the catalogue run "+
			"make reproduce FIGURE=leaderboard SCALE=paper, and FIGURE=leaderboard-audits", len(rows), audits, want)
	}
	if b := Board(rows); len(b.Rows) != want {
		t.Errorf("%d rows on the board, want %d", len(b.Rows), want)
	}
}

// Audits that are no numbers are refused.
func TestReadAudits(t *testing.T) {
	head := "learner,epsilon,audited\n"
	if audited, err := readAudits(head + "a,0.5,0.4\n"); err != nil || len(audited) != 1 || audited[Name("a", 0.5)] != 0.4 {
		t.Errorf("%v, %v", audited, err)
	}
	for _, bad := range []string{head + "a,b,0.4\n", head + "a,0.5,c\n", head + "a,0.5\n"} {
		if audited, err := readAudits(bad); err == nil {
			t.Errorf("%q is read as %v", bad, audited)
		}
	}
}
