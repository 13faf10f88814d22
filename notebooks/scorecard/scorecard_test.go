package scorecard

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The committed scorecard and the README's summary are what the printed numbers, the committed
// tables and the toolkit make of them.
func TestCommitted(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	want := CSV(rows)
	got, err := os.ReadFile("../results/" + File)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range b {
			if i >= len(a) || a[i] != b[i] {
				t.Errorf("%s is not current: run go generate ./notebooks/scorecard. Line %d should be\n%s", File, i+1, b[i])
				break
			}
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if current, err := WithSummary(string(readme), rows); err != nil || current != string(readme) {
		t.Errorf("README.md's summary is not current (%v): run go generate ./notebooks/scorecard. It should be\n%s", err, wrap(Summary(rows), 100))
	}
	back, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range back {
		if r != rows[i] {
			t.Fatalf("row %d is read as %+v, want %+v", i, r, rows[i])
		}
	}
}

// Every paper and every kind is there, no row twice, and what differs is shown in a notebook that
// has that section.
func TestList(t *testing.T) {
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Row]bool{}
	for _, r := range rows {
		key := Row{Paper: r.Paper, Source: r.Source, Place: r.Place, Line: r.Line, What: r.What}
		if seen[key] {
			t.Errorf("%s, %s, %s: twice", r.Paper, r.Place, r.What)
		}
		seen[key] = true
		if r.Shown == "" || r.Shown == here {
			continue
		}
		name, section, _ := strings.Cut(r.Shown, ", Section ")
		text, err := os.ReadFile(filepath.Join("..", name+".ipynb"))
		if err != nil {
			t.Errorf("%s: %v", r.What, err)
		} else if !bytes.Contains(text, []byte("## "+section+". ")) {
			t.Errorf("%s: %s has no Section %s", r.What, name, section)
		}
	}
	for _, p := range Papers {
		if Count(rows, p.Name).All() == 0 {
			t.Errorf("no numbers of %s", p.Title)
		}
	}
	for _, kind := range []string{Result, Constant, Setting, Rate, Statement} {
		if Count(rows, "", kind).All() == 0 {
			t.Errorf("no numbers of the kind %s", kind)
		}
	}
}

// A row without a place, without a reason, or with one too many is refused.
func TestJudge(t *testing.T) {
	good := Number{Paper: "JDP", Source: paper, Place: "Figure 1", Line: 1, Kind: Result, What: "regret", Printed: "10", Numbers: 1, value: 10, half: 0.5, From: "a table",
		ours: func() Measured { return Measured{10.55, 0.3} }}
	for name, c := range map[string]struct {
		change  func(n *Number)
		verdict string // "" for an error
		says    string
	}{
		"within 2 errors":      {func(*Number) {}, Agrees, ""},
		"within the digits":    {func(n *Number) { n.ours = exactly(10.4) }, Agrees, ""},
		"error of the printed": {func(n *Number) { n.se, n.ours = 2, exactly(13.9) }, Agrees, ""},
		"beyond":               {func(n *Number) { n.ours = exactly(11); n.because("luck", "03, Section 1") }, Differs, ""},
		"infinite":             {func(n *Number) { n.side, n.ours = atMost, exactly(math.Inf(1)); n.because("none", "03") }, Differs, ""},
		"at most":              {func(n *Number) { n.side, n.ours = atMost, exactly(3) }, Agrees, ""},
		"at least":             {func(n *Number) { n.side, n.ours = atLeast, exactly(3); n.because("luck", "03") }, Differs, ""},
		"not run":              {func(n *Number) { n.ours, n.Reason = nil, "an hour" }, NotRun, ""},
		"no reason":            {func(n *Number) { n.ours = exactly(11) }, "", "differs, with reason"},
		"no place of proof":    {func(n *Number) { n.ours, n.Reason = exactly(11), "luck" }, "", "shown in"},
		"reason too many":      {func(n *Number) { n.Reason = "luck" }, "", "has the reason of a difference"},
		"not run, no reason":   {func(n *Number) { n.ours = nil }, "", "nothing says why"},
		"no place":             {func(n *Number) { n.Place = "" }, "", "place"},
		"no line":              {func(n *Number) { n.Line = 0 }, "", "line 0"},
		"no line in notebook":  {func(n *Number) { n.Line, n.Source = 0, notebook }, Agrees, ""},
		"no table":             {func(n *Number) { n.From = "" }, "", "nothing says of what"},
		"no numbers":           {func(n *Number) { n.Numbers = 0 }, "", "stands for 0"},
		"not a number":         {func(n *Number) { n.ours = exactly(math.NaN()) }, "", "NaN"},
		"no committed run":     {func(n *Number) { n.ours = func() Measured { return final("none", "x") } }, "", "no committed"},
	} {
		n := good
		c.change(&n)
		r, err := n.Judge()
		if c.verdict == "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: error %v, want one with %q", name, err, c.says)
			}
		} else if err != nil || r.Verdict != c.verdict {
			t.Errorf("%s: %s (%v), want %s", name, r.Verdict, err, c.verdict)
		}
	}
}

func TestParse(t *testing.T) {
	for printed, want := range map[string][2]float64{"28": {28, 0.5}, "0.285": {0.285, 0.0005}, "99.5%": {99.5, 0.05}, "roughly 2": {2, 0.5}, "1.28101e7": {1.28101e7, 50}, "10,000": {10_000, 0.5}} {
		value, half := parse(printed)
		if value != want[0] || math.Abs(half/want[1]-1) > 1e-9 {
			t.Errorf("%s is %v within %v, want %v within %v", printed, value, half, want[0], want[1])
		}
	}
}

// The fit finds a power law and its error.
func TestFitPower(t *testing.T) {
	f := fitPower([]float64{1, 10, 100, 1000}, []float64{3 * 1.1, 300 / 1.1, 30_000 / 1.1, 3_000_000 * 1.1})
	if math.Abs(f.P.Value-2) > 1e-9 || math.Abs(f.C.Value-3) > 1e-6 || !(f.P.SE > 0.02 && f.P.SE < 0.06) {
		t.Errorf("%+v, want 3 x^2 with an error of the exponent near 0.04", f)
	}
}

// The slope has the error of the numbers.
func TestSlope(t *testing.T) {
	s := slope([]float64{1, 10}, []Measured{{5, 0.5}, {500, 50}})
	if want := 0.1 * math.Sqrt2 / math.Log(10); math.Abs(s.Value-2) > 1e-9 || math.Abs(s.SE-want) > 1e-9 {
		t.Errorf("%+v, want 2 with an error of %v", s, want)
	}
}

func TestHTML(t *testing.T) {
	text, err := HTML([]Row{{"JDP", "paper", "Figure <1>", 7, Result, "regret", "10", 3, "11", "0.1", Differs, "luck & noise", "a.csv", "03, Section 1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Figure &lt;1&gt;, line 7", "luck &amp; noise", "3 numbers", `<h2 id="JDP">`, "0 agree, 3 differ"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap([]string{"aé b cc", "d"}, 4), "aé b\ncc d\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSummaryPlace(t *testing.T) {
	got, err := WithSummary("a\n"+begin+"old\n"+end+"b\n", nil)
	if want := "a\n" + begin + wrap(Summary(nil), 100) + end + "b\n"; err != nil || got != want {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if _, err := WithSummary("a\n"+begin, nil); err == nil {
		t.Error("no error without a place")
	}
}
