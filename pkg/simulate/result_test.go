package simulate

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

func TestCurveByHand(t *testing.T) {
	r := &Result{Name: "hand", Grid: []int{5, 9}, Policies: []PolicyResult{
		{Name: "a", Regret: [][]float64{{1, 10}, {2, 20}, {3, 60}}},
		{Name: "b", Regret: [][]float64{{1, 9}, {2, 18}, {3, 57}}},
	}}
	c, err := r.Curve("a")
	if err != nil {
		t.Fatal(err)
	}
	if c.Trials != 3 || c.Mean[0] != 2 || c.Mean[1] != 30 || !near(c.SE[0], 1/math.Sqrt(3)) || !near(c.SE[1], math.Sqrt(700.0/3)) {
		t.Errorf("mean %v, se %v", c.Mean, c.SE)
	}
	if !near(c.Q10[1], 12) || c.Q50[1] != 20 || !near(c.Q90[1], 52) {
		t.Errorf("quantiles %v %v %v, want 12, 20, 52", c.Q10[1], c.Q50[1], c.Q90[1])
	}
	if c.Worst[1] != 60 {
		t.Errorf("worst tenth of 3 trials %v, want 60", c.Worst[1])
	}
	many := make([][]float64, 11)
	for i := range many {
		many[i] = []float64{float64(10 - i)}
	}
	if c := summarise("many", []int{1}, many); c.Worst[0] != 9.5 {
		t.Errorf("worst tenth of 11 trials %v, want 9.5, the mean of two", c.Worst[0])
	}
	d, err := r.Paired("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if d.Mean[0] != 0 || d.SE[0] != 0 || d.Mean[1] != 2 || !near(d.SE[1], 1/math.Sqrt(3)) || d.Policy != "a - b" {
		t.Errorf("paired difference %+v", d)
	}
	if f, err := r.Final("b"); err != nil || !slices.Equal(f, []float64{9, 18, 57}) {
		t.Errorf("final %v, %v", f, err)
	}
	if q, err := r.Quantile("a", 1); err != nil || !slices.Equal(q, []float64{3, 60}) {
		t.Errorf("maximum %v, %v", q, err)
	}
	for _, err := range []error{
		func() error { _, err := r.Curve("c"); return err }(),
		func() error { _, err := r.Paired("a", "c"); return err }(),
		func() error { _, err := r.Paired("c", "a"); return err }(),
		func() error { _, err := r.Quantile("a", 1.5); return err }(),
		func() error { _, err := r.Final("c"); return err }(),
	} {
		if err == nil {
			t.Error("no error for an unknown policy or a quantile of 1.5")
		}
	}
}

// Policies of a trial share their contexts and rewards, so a policy differs from its twin by its
// own stream only.
func TestPairedIsTighter(t *testing.T) {
	e := toyExperiment()
	e.Policies = []Policy{toyPolicy("a", 0.05, 0), toyPolicy("b", 0.1, 0)}
	e.Trials = 40
	r := mustRun(t, e)
	d, err := r.Paired("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	c := r.Curves()
	last := len(r.Grid) - 1
	if apart := math.Hypot(c[0].SE[last], c[1].SE[last]); !(d.SE[last] < apart) {
		t.Errorf("SE of the paired difference %v, want < %v, that of independent runs", d.SE[last], apart)
	}
}

func TestGrids(t *testing.T) {
	for _, rounds := range []int{1, 2, 3, 7, 100, 12345, 50_000_000} {
		for _, n := range []int{1, 2, 10, 1000} {
			for name, grid := range map[string][]int{"linear": LinearGrid(rounds, n), "log": LogGrid(rounds, n), "default": defaultGrid(rounds)} {
				if len(grid) == 0 || grid[0] < 1 || grid[len(grid)-1] != rounds || name != "default" && len(grid) > n {
					t.Errorf("%s grid of %d points to %d: %v", name, n, rounds, grid)
				}
				for i := 1; i < len(grid); i++ {
					if grid[i] <= grid[i-1] {
						t.Errorf("%s grid of %d points to %d is not increasing: %v", name, n, rounds, grid)
					}
				}
			}
		}
	}
	if got, want := LogGrid(1000, 4), []int{1, 10, 100, 1000}; !slices.Equal(got, want) {
		t.Errorf("LogGrid(1000, 4) = %v, want %v", got, want)
	}
	if got, want := LinearGrid(10, 4), []int{3, 5, 8, 10}; !slices.Equal(got, want) {
		t.Errorf("LinearGrid(10, 4) = %v, want %v", got, want)
	}
	if LogGrid(0, 5) != nil || LinearGrid(5, 0) != nil {
		t.Error("a grid of nothing is not nil")
	}
	if got, err := checkGrid([]int{2, 5}, 9); err != nil || !slices.Equal(got, []int{2, 5, 9}) {
		t.Errorf("checkGrid = %v, %v, want the last round added", got, err)
	}
}

func TestCSVRoundTrip(t *testing.T) {
	e := toyExperiment()
	e.Name, e.Fingerprint = `figure "2", left`, "K = 25\nd = 5 "
	e.Policies[1].Name = `LinUCB, "tree"`
	r := mustRun(t, e)
	table := r.Table()
	table.Provenance.OtherVersions = []string{"abc", "def-dirty"}
	table.Claims["greedy"] = "model central\nepsilon = 1, ε"
	table.Warnings["greedy"] = append(table.Warnings["greedy"], bandit.Warning{What: `a "b" 3`, Count: 5})
	var b bytes.Buffer
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, table) {
		t.Errorf("read back\n%+v\nwant\n%+v", got.Provenance, table.Provenance)
	}
	if _, err := ReadCSV(strings.NewReader(strings.ReplaceAll(b.String(), "\n", "\r\n"))); err != nil {
		t.Errorf("with carriage returns: %v", err)
	}

	old := regexp.MustCompile(`(?m)^([^#].*),[^,]*$`).ReplaceAllString(b.String(), "$1") // a table without the last column
	if got, err := ReadCSV(strings.NewReader(old)); err != nil || !math.IsNaN(got.Curves[0].Worst[0]) || got.Curves[0].Q90[0] != table.Curves[0].Q90[0] {
		t.Errorf("a table without worst: %v", err)
	}

	e.Trials = 1 // no standard error
	b.Reset()
	if err := mustRun(t, e).Table().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	got, err = ReadCSV(&b)
	if err != nil || !math.IsNaN(got.Curves[0].SE[0]) {
		t.Errorf("one trial: SE %v, error %v, want NaN", got.Curves[0].SE[0], err)
	}
}

func TestReadCSVErrors(t *testing.T) {
	const head = "policy,round,mean,se,q10,q50,q90,trials\n"
	for in, want := range map[string]string{
		"":                            "line 1",
		"# seed: -1\n":                "line 1: seed",
		"# claim: what\n":             "line 1: claim",
		"# warning: what\n":           "line 1: warning",
		"# experiment: a":             "line 1",
		"# a: b\npolicy,round\n":      "wrong number of fields",
		"# a: b\na,b,c,d,e,f,g,h\n":   `line 2: column 1 is "a"`,
		"# a: b\n" + head + "p,1,2\n": "wrong number of fields",
		head + "p,x,1,1,1,1,1,3\n":    "line 2",
		head + "p,1,1,1,1,1,1,x\n":    "line 2",
		head + "p,1,1,y,1,1,1,3\n":    "line 2",
		strings.Replace(head, "\n", ",worst\n", 1) + "p,1,1,1,1,1,1,3,y\n": "line 2",
		strings.Replace(head, "\n", ",best\n", 1) + "p,1,1,1,1,1,1,3,1\n":  `column 9 is "best"`,
		head + "p,2,1,1,1,1,1,3\np,2,1,1,1,1,1,3\n":                        "line 3: policy \"p\": round 2 after round 2",
		head + "p,2,1,1,1,1,1,3\np,3,1,1,1,1,1,4\n":                        "trials = 4, want 3",
		head + "p,2,1,1,1,1,1,3\nq,3,1,1,1,1,1,3\np,3,1,1,1,1,1,3\n":       "not together",
	} {
		if _, err := ReadCSV(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", in, err, want)
		}
	}
	failing := errors.New("disk full")
	if err := mustRun(t, small("")).Table().WriteCSV(writer(func([]byte) (int, error) { return 0, failing })); !errors.Is(err, failing) {
		t.Errorf("error %v, want %v", err, failing)
	}
}

func TestTrialsAsCSV(t *testing.T) {
	r := mustRun(t, small(""))
	var long, short bytes.Buffer
	if err := errors.Join(r.WriteCSV(&long), r.Table().WriteCSV(&short)); err != nil {
		t.Fatal(err)
	}
	head, body, ok := strings.Cut(long.String(), "policy,trial,round,regret\n")
	if !ok || head == "" || !strings.HasPrefix(short.String(), head+"policy,round,mean,") {
		t.Fatalf("begins with\n%s", head)
	}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := len(r.Policies) * len(r.Finished) * len(r.Grid); len(rows) != want {
		t.Fatalf("%d rows, want %d", len(rows), want)
	}
	for _, p := range r.Policies {
		for i, trial := range r.Finished {
			for g, round := range r.Grid {
				want := []string{p.Name, strconv.Itoa(trial), strconv.Itoa(round), strconv.FormatFloat(p.Regret[i][g], 'g', -1, 64)}
				if !slices.Equal(rows[0], want) {
					t.Errorf("row %q, want %q", rows[0], want)
				}
				rows = rows[1:]
			}
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func TestProvenance(t *testing.T) {
	e := toyExperiment()
	e.Rounds = 500
	p := mustRun(t, e).Provenance
	if p.Seed != 7 || p.Trials != 12 || p.Horizon != 2000 || p.Rounds != 500 || p.Version == "" || p.RoundsPerSecond <= 0 || p.CPUs < 1 || p.Date.IsZero() {
		t.Errorf("provenance %+v", p)
	}
}

// The interval holds the true exponent in 95% of all samples: of 2000, the number is within 4.5
// standard deviations of 1900 but for one seed in 100,000.
func TestLogLogSlope(t *testing.T) {
	x := []float64{4, 8, 16, 32, 64, 128}
	exact := make([][]float64, len(x))
	for i := range x {
		exact[i] = []float64{2 * math.Pow(x[i], 1.5), 4 * math.Pow(x[i], 1.5)}
	}
	s, err := LogLogSlope(x, exact)
	if err != nil || !near(s.Value, 1.5) || !near(s.LogC, math.Log(3)) || !near(s.R2, 1) || s.Hi-s.Lo > 1e-10 {
		t.Errorf("of an exact power law: %+v, %v", s, err)
	}
	const samples = 2000
	rng := rand.New(rand.NewPCG(3, 3))
	hits := 0
	for range samples {
		y := make([][]float64, len(x))
		for i := range x {
			y[i] = []float64{math.Exp(0.75*math.Log(x[i]) + 0.3*rng.NormFloat64())}
		}
		s, err := LogLogSlope(x, y)
		if err != nil {
			t.Fatal(err)
		}
		if s.Lo <= 0.75 && 0.75 <= s.Hi {
			hits++
		}
	}
	if sd := math.Sqrt(samples * 0.95 * 0.05); math.Abs(float64(hits)-0.95*samples) > 4.5*sd {
		t.Errorf("the interval holds the exponent in %d of %d samples, want 1900 +- %.0f", hits, samples, 4.5*sd)
	}
	y := [][]float64{{1}, {2}, {3}}
	for want, call := range map[string]func() (Slope, error){
		"2 points, want >= 3": func() (Slope, error) { return LogLogSlope(x[:2], y[:2]) },
		"len(y) = 3":          func() (Slope, error) { return LogLogSlope(x, y) },
		"x[1] = 0":            func() (Slope, error) { return LogLogSlope([]float64{1, 0, 2}, y) },
		"x[2] = NaN":          func() (Slope, error) { return LogLogSlope([]float64{1, 3, math.NaN()}, y) },
		"all x are 2":         func() (Slope, error) { return LogLogSlope([]float64{2, 2, 2}, y) },
		"y[1] has no trials":  func() (Slope, error) { return LogLogSlope(x[:3], [][]float64{{1}, {}, {3}}) },
		"mean of y[2] = -1":   func() (Slope, error) { return LogLogSlope(x[:3], [][]float64{{1}, {1}, {-1}}) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestTerminal(t *testing.T) {
	var b bytes.Buffer
	sink := NewTerminal(&b)
	for i := range 101 {
		sink(Status{Done: int64(i), Total: 100, TrialsDone: i / 10, Trials: 10, Left: -1, Finished: i == 100})
	}
	if n := strings.Count(b.String(), "\n"); n != 11 || strings.Contains(b.String(), "\r") {
		t.Errorf("%d lines into a log, want 11 (0%%, 10%%, ... 100%%):\n%s", n, &b)
	}
	b.Reset()
	for i := range 10 { // half a minute each, hardly any progress
		sink(Status{Total: 1e9, Elapsed: time.Duration(i) * 30 * time.Second, Left: -1})
	}
	if n := strings.Count(b.String(), "\n"); n != 5 {
		t.Errorf("%d lines in 4.5 minutes, want 5:\n%s", n, &b)
	}
	b.Reset()
	sink = (&terminal{w: &b, redraw: true}).report
	sink(Status{Done: 1, Total: 3, Trials: 3, RoundsPerSecond: 1e6, Left: 90 * time.Second})
	sink(Status{Done: 3, Total: 3, TrialsDone: 3, Trials: 3, Elapsed: 2 * time.Second, Finished: true})
	want := "\r 33%  trial 0 of 3  1e+06 rounds/s  1m30s left\r100%  trial 3 of 3  took 2s"
	if got := b.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " \n") {
		t.Errorf("on a terminal %q, want %q", got, want)
	}
	if NewTerminal(nil) == nil || fmt.Sprint(Status{Left: -1}) != "  0%  trial 0 of 0" {
		t.Errorf("zero status: %q", fmt.Sprint(Status{Left: -1}))
	}
}

// claims is a run that says what it promises.
type claims struct{ toyGreedy }

func (l *claims) Plan(int) privacy.Plan {
	return privacy.Plan{Model: privacy.Joint, Neighbours: privacy.ReplaceRound, Cases: [][]privacy.Release{{{
		Law: privacy.LaplaceLaw(1, 1), Sensitivity: privacy.Norms{L1: 2000},
	}}}}.HeldBy(l)
}

func TestClaimsTravelWithResults(t *testing.T) {
	e := toyExperiment()
	e.Policies = append(e.Policies, Policy{"claims", makes(func() starter { return new(claims) })})
	r := mustRun(t, e)
	if r.Policies[0].Claim != nil {
		t.Errorf("policy %q has the claim %v, want none", r.Policies[0].Name, r.Policies[0].Claim)
	}
	if e := r.Policies[0].Epsilon(); !math.IsInf(e, 1) {
		t.Errorf("policy %q, which claims nothing, has epsilon = %v", r.Policies[0].Name, e)
	}
	c := r.Policies[3].Claim
	if c == nil || c.Epsilon() != 2000 || r.Policies[3].Epsilon() != 2000 {
		t.Fatalf("claim %v, want epsilon = 2000", c)
	}
	if got := r.Table().Claims; len(got) != 1 || got["claims"] != c.String() {
		t.Errorf("claims in the table: %q", got)
	}
}

// TestPairsInTable: the table of an experiment with pairs holds the curves of their differences.
func TestPairsInTable(t *testing.T) {
	e := toyExperiment()
	a, b := e.Policies[0].Name, e.Policies[1].Name
	e.Pairs = [][2]string{{b, a}}
	r := mustRun(t, e)
	want, err := r.Paired(b, a)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Table().Curve(b + " - " + a)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("curve %+v, %v, want %+v", got, err, want)
	}
	e.Pairs = [][2]string{{a, "nobody"}}
	if _, err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), `Pairs[0] names a policy "nobody"`) {
		t.Errorf("error %v, want one that names the pair", err)
	}
}

// A table's final regret is that of the last round.
func TestTableFinal(t *testing.T) {
	table := &Table{Curves: []Curve{{Policy: "a", Mean: []float64{1, 2, 7}, SE: []float64{1, 1, 3}}}}
	if mean, se, err := table.Final("a"); mean != 7 || se != 3 || err != nil {
		t.Errorf("%v, %v, %v, want 7, 3", mean, se, err)
	}
	if _, _, err := table.Final("b"); err == nil {
		t.Error("a policy that is not there has a regret")
	}
}
