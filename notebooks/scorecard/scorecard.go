// Package scorecard holds every number that the five papers and the authors' notebook print against
// ours.
//
// The files jdp.go to survey.go list the numbers, each with its place in its paper and a function
// that finds ours: in the committed tables of notebooks/results, or by a function of the toolkit
// in cheap time. Printed numbers are typed here; ours never are. `go generate
// ./notebooks/scorecard` writes notebooks/results/scorecard.csv and the summary in README.md; the
// site has the whole table.
//
// The rule of the verdicts. Ours agrees with a printed number if the two are within half a unit of
// its last printed digit, or within 2 combined standard errors; with a printed bound, if ours is
// on its side or within 2 standard errors of it. Of a hundred measured numbers that agree in
// truth, some five therefore count as different. A difference has a reason. What is not run says
// what it would take.
//
// Listed are results and settings of experiments, what the text states of figures without numbers,
// and the constants and rates of algorithms, theorems, lemmas, claims and events. Steps inside
// proofs, and results that a paper cites for others, are not.
package scorecard

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/check"
)

//go:generate go run ./write ../results/scorecard.csv ../../README.md

// The kinds of printed numbers.
const (
	Result    = "result"    // what an experiment found
	Constant  = "constant"  // of a formula, a theorem or a bound, or what it comes to
	Setting   = "setting"   // a parameter of an experiment
	Rate      = "rate"      // an exponent of T, d, K or epsilon in a bound without constants
	Statement = "statement" // an order or a trend that the text states of a figure without numbers
)

// The verdicts.
const (
	Agrees  = "agrees"
	Differs = "differs"
	NotRun  = "not run"
)

// side says what a printed number claims of ours.
type side int

const (
	equal side = iota
	atMost
	atLeast
)

// Measured is a number of ours with its standard error, which is 0 for what is computed exactly.
type Measured struct{ Value, SE float64 }

// Number is a printed number and ours beside it.
type Number struct {
	Paper   string // a name of Papers
	Source  string // the paper, or its authors' notebook
	Place   string // such as "Section D.1, Figure 3"
	Line    int    // of the paper's plain text; 0 in a notebook
	Kind    string
	What    string
	Printed string // as printed, or as read off a figure
	Numbers int    // how many printed numbers the row stands for

	// value is the printed number, half is half a unit of its last digit, and se is its standard error:
	// that of the printed runs where it is known, and of reading a figure.
	value, half, se float64
	side            side
	ours            func() Measured // nil: not run; it may end by package check
	why             func() string   // a Reason with numbers of ours

	From   string // the table or the function that ours is of
	Reason string // why ours differs, or what a run would take
	Shown  string // where the difference is shown
}

// Papers lists the papers by their short names, in the order of the table.
var Papers = []struct{ Name, Title string }{
	{"JDP", "Shariff and Sheffet, Differentially Private Contextual Linear Bandits, NeurIPS 2018"},
	{"LDP", "Improved rate for Locally Differentially Private Linear Bandits, submission to TMLR"},
	{"MAT", "Differentially private matroid bandits: DPUCB-MAT and DPTS-MAT, CoLLAs 2023"},
	{"LASSO", "Shukla, Differentially Private High-dimensional Bandits, arXiv:2402.03737"},
	{"SURVEY", "Chari, Differentially Private Online Algorithms"},
}

// Numbers returns all printed numbers.
func Numbers() []Number {
	return slices.Concat(jdpNumbers(), ldpNumbers(), matNumbers(), lassoNumbers(), surveyNumbers())
}

// measure finds ours, and the reason if that has numbers.
func (n *Number) measure() (m Measured, err error) {
	defer check.Catch(&err)
	if n.why != nil {
		n.Reason = n.why()
	}
	return n.ours(), nil
}

// agrees applies the rule of the package.
func (n Number) agrees(m Measured) bool {
	room := max(n.half, 2*math.Hypot(n.se, m.SE)) + 1e-9*math.Abs(n.value)
	switch n.side {
	case atMost:
		return m.Value <= n.value+room
	case atLeast:
		return m.Value >= n.value-room
	}
	return math.Abs(m.Value-n.value) <= room || m.Value == n.value
}

// Row is a line of the scorecard.
type Row struct {
	Paper, Source, Place string
	Line                 int
	Kind, What, Printed  string
	Numbers              int
	Ours, SE, Verdict    string
	Reason, From, Shown  string
}

// Judge returns the row of a number. It is an error if the number has no place, if ours differs or
// is not run and no reason is given, or if a reason is given of a number that agrees.
func (n Number) Judge() (r Row, err error) {
	r = Row{n.Paper, n.Source, n.Place, n.Line, n.Kind, n.What, n.Printed, n.Numbers, "", "", NotRun, n.Reason, n.From, n.Shown}
	fail := func(format string, args ...any) (Row, error) {
		return r, fmt.Errorf("scorecard: %s, %s, %s: %s", n.Paper, n.Place, n.What, fmt.Sprintf(format, args...))
	}
	if n.Numbers < 1 {
		return fail("stands for %d numbers, want 1 or more", n.Numbers)
	}
	if n.Place == "" || n.Line == 0 && n.Source == paper {
		return fail("place %q, line %d of the paper's text: want both", n.Place, n.Line)
	}
	if n.What == "" || n.Printed == "" || n.Kind == "" {
		return fail("kind %q, printed %q: want what it is of, too", n.Kind, n.Printed)
	}
	if n.ours == nil {
		if n.Reason == "" {
			return fail("not run, and nothing says why")
		}
		return r, nil
	}
	m, err := n.measure()
	if err != nil {
		return fail("%v", err)
	}
	r.Reason = n.Reason
	if n.From == "" {
		return fail("ours is %v, and nothing says of what", m.Value)
	}
	if math.IsNaN(m.Value) || math.IsNaN(m.SE) {
		return fail("ours is %v ± %v", m.Value, m.SE)
	}
	r.Ours, r.SE = m.text(n.Kind)
	if n.agrees(m) {
		r.Verdict, r.Shown = Agrees, ""
		if n.Reason != "" {
			return fail("ours, %v, agrees, but has the reason of a difference: %s", m.Value, n.Reason)
		}
		return r, nil
	}
	r.Verdict = Differs
	if n.Reason == "" || n.Shown == "" {
		return fail("ours is %v ± %v, printed is %s (%v): differs, with reason %q, shown in %q", m.Value, m.SE, n.Printed, n.value, n.Reason, n.Shown)
	}
	return r, nil
}

// text writes a number of ours and its standard error: to the second digit of that, else to six
// digits. The error of what is computed is "exact", and that of an experiment without one is not
// known.
func (m Measured) text(kind string) (value, se string) {
	if m.SE > 0 && !math.IsInf(m.Value, 0) {
		decimals := max(0, 1-int(math.Floor(math.Log10(m.SE))))
		return strconv.FormatFloat(m.Value, 'f', decimals, 64), strconv.FormatFloat(m.SE, 'f', decimals, 64)
	}
	value, se = strconv.FormatFloat(m.Value, 'g', 6, 64), "–"
	if x, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(x) >= 1e5 && math.Abs(x) < 1e9 {
		value = strconv.FormatFloat(x, 'f', -1, 64)
	}
	switch kind {
	case Statement, Result:
		value = strconv.FormatFloat(m.Value, 'g', 3, 64)
	default:
		se = "exact"
	}
	return value, se
}

// Rows judges all numbers.
func Rows() (rows []Row, err error) {
	for _, n := range Numbers() {
		r, e := n.Judge()
		rows, err = append(rows, r), errors.Join(err, e)
	}
	return rows, err
}

// Counts counts printed numbers by verdict.
type Counts map[string]int

// All returns how many there are.
func (c Counts) All() int { return c[Agrees] + c[Differs] + c[NotRun] }

// Count counts the numbers of rows of a paper and of kinds; an empty paper means all, and no kinds
// do.
func Count(rows []Row, paper string, kinds ...string) Counts {
	c := Counts{}
	for _, r := range rows {
		if (paper == "" || r.Paper == paper) && (len(kinds) == 0 || slices.Contains(kinds, r.Kind)) {
			c[r.Verdict] += r.Numbers
		}
	}
	return c
}

// Summary says in three sentences or so what the rows come to.
func Summary(rows []Row) []string {
	line := func(c Counts) string {
		return fmt.Sprintf("%d agree, %d differ, %d are not run", c[Agrees], c[Differs], c[NotRun])
	}
	all := Count(rows, "")
	var of []string
	for _, p := range Papers {
		c := Count(rows, p.Name)
		of = append(of, fmt.Sprintf("%s %d/%d/%d", p.Name, c[Agrees], c[Differs], c[NotRun]))
	}
	return []string{
		fmt.Sprintf("Of %d numbers and statements that the five papers and their authors' notebook print, %s.", all.All(), line(all)),
		fmt.Sprintf("Results of experiments: %s; constants and rates: %s; the rest are settings.",
			line(Count(rows, "", Result, Statement)), line(Count(rows, "", Constant, Rate))),
		fmt.Sprintf("By paper, agree/differ/not run: %s.", strings.Join(of, ", ")),
	}
}
