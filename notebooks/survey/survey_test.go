package survey

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Each figure but the leaderboard runs at a small scale, and has a row for all that it compares.
func TestFiguresSmoke(t *testing.T) {
	for _, f := range Figures {
		if f.Name == "leaderboard" {
			continue
		}
		table, err := f.Reproduce(context.Background(), lab.Smoke, nil)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if want := map[string]int{"survey-ftrl": 12, "survey-nas": 4, "survey-arms": 18, "survey-coreset": 15, "survey-imed": 240}[f.Name]; len(table.Rows) != want {
			t.Errorf("%s: %d rows, want %d", f.Name, len(table.Rows), want)
		}
	}
}

// The committed tables agree with the independent programs within 3 combined standard errors.
func TestResults(t *testing.T) {
	for i, instance := range []string{"c1", "c2"} {
		table, err := results.Table("survey-arms-" + instance)
		if err != nil {
			t.Skip(err) // nobody has run it yet
		}
		for name, golden := range ArmsGoldens {
			agrees(t, instance+": "+name, golden[i], func() (float64, float64, error) { return final(table, name) })
		}
	}
	for i, goldens := range CoreSetGoldens {
		table, err := results.Table("survey-coreset-d" + string(rune('2'+i)))
		if err != nil {
			t.Skip(err)
		}
		for name, golden := range goldens {
			agrees(t, name, golden, func() (float64, float64, error) { return final(table, name) })
		}
	}
}

// The committed tables hold a record of ours in 12 of the 16 cells, and DP-IMED near the lower bound
// in all. With 400 trials of it, one late discovery adds some 2 to a ratio.
func TestRecord(t *testing.T) {
	var tables []*simulate.Table
	for _, e := range imedExperiments(lab.Paper) {
		table, err := results.Table(e.Name)
		if err != nil {
			t.Skip(err) // nobody has run it yet
		}
		tables = append(tables, table)
	}
	few, err := imedRecords(tables, false)
	if err != nil || few.records < 12 || few.cells != 16 || few.trials != 400 {
		t.Errorf("%v, %v", few, err)
	}
	many, err := imedRecords(tables, true)
	if err != nil || many.records < 12 || many.worst > 1.2 || many.trials != 4000 {
		t.Errorf("%v, %v", many, err)
	}
	t.Logf("%v; %v", few, many)
}

func agrees(t *testing.T, name string, golden Golden, ours func() (mean, se float64, err error)) {
	t.Helper()
	m, se, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(apart(m, se, golden)) <= 3) {
		t.Errorf("%s: %.0f (%.0f), want %v within 3 standard errors", name, m, se, golden)
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
			e, err := c.audited(context.Background(), epsilon, lab.Lecture)
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

// The committed leaderboard is that of the committed tables.
func TestLeaderboard(t *testing.T) {
	rows, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]Row{}
	for _, r := range rows {
		place[r.Environment+"/"+Name(r.Learner, r.Asked)] = r
	}
	for i, e := range Leaderboard(lab.Paper) {
		table, err := results.Table(e.Name)
		if err != nil {
			t.Skip(err)
		}
		for _, c := range table.Curves {
			r := place[Environments[min(i, len(Environments)-1)].Name+"/"+c.Policy]
			m, se, err := final(table, c.Policy)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(m/r.Regret-1) > 1e-4 || math.Abs(1.96*se-r.Within) > 1e-4*m {
				t.Errorf("%s, %s: %v ± %v in the leaderboard, %v (%v) in the table", e.Name, c.Policy, r.Regret, r.Within, m, se)
			}
		}
	}
}

// A leaderboard reads back as it is written, and a row that is not one is refused.
func TestRead(t *testing.T) {
	line := "2 arms,UCB1,not private,+Inf,+Inf,NaN,12.5,0.5,1.25,90,1000,5\n"
	head := strings.Join(columns, ",") + "\n"
	rows, err := read([]byte(head + line))
	if err != nil || len(rows) != 1 || rows[0].Regret != 12.5 || rows[0].Trials != 5 || !math.IsNaN(rows[0].Audited) || !math.IsInf(rows[0].Asked, 1) {
		t.Errorf("%+v, %v", rows, err)
	}
	if table := Board(rows); len(table.Rows) != 1 || table.Rows[0][1] != "∞" || table.Rows[0][5] != "–" {
		t.Errorf("%+v", table.Rows)
	}
	for _, bad := range []string{"", "a,b\n", head + strings.Replace(line, "90", "ninety", 1), head + "2 arms\n"} {
		if rows, err := read([]byte(bad)); err == nil && !bytes.Equal([]byte(bad), nil) {
			t.Errorf("%q is read as %+v", bad, rows)
		}
	}
}
