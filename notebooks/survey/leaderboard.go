package survey

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/arms"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Epsilons are the budgets of the leaderboard.
var Epsilons = []float64{0.1, 0.3, 1, 3}

// leaderboardSeed is the seed of the leaderboard's experiments.
const leaderboardSeed = 55

// Delta is that of the leaderboard's learners that need one.
const Delta = 1e-5

// Environment is one of the leaderboard.
type Environment struct {
	Key, Name string
	Means     []float64 // of Bernoulli arms; nil for linear arms
}

// Environments lists those of the leaderboard. The best arm is the last one: learners break ties by
// the lowest index, which must not help them.
var Environments = []Environment{
	{"two", "2 arms", []float64{0.4, 0.6}},
	{"close", "5 arms, one ahead", []float64{0.7, 0.7, 0.7, 0.7, 0.75}},
	{"spread", "5 arms, spread", []float64{0.25, 0.375, 0.5, 0.625, 0.75}},
	{"pair", "5 arms, two ahead", []float64{0.25, 0.46875, 0.625, 0.71875, 0.75}},
	{"many", "20 arms", twenty()},
	{"linear", "50 linear arms, d = 5", nil},
}

// twenty returns the means of twenty arms: nineteen from 0.24 to 0.6, and one of 0.7.
func twenty() (means []float64) {
	for i := range 19 {
		means = append(means, 0.24+0.02*float64(i))
	}
	return append(means, 0.7)
}

// New returns the environment.
func (e Environment) New() bandit.Environment {
	if e.Means != nil {
		return &environment.Arms{Means: e.Means}
	}
	return &environment.SphereArms{Arms: 50, Dim: 5}
}

// blind hides the contexts of an environment from learners that have no use for them.
type blind struct{ bandit.Environment }

func (b blind) Problem() bandit.Problem {
	p := b.Environment.Problem()
	p.Dim, p.ContextNorm = 0, 0
	return p
}

func (b blind) Next(v *bandit.View) {
	b.Environment.Next(v)
	v.Dim, v.X = 0, nil
}

// Leaderboard returns an experiment for each environment, and a second one on linear arms whose
// learners do not see the contexts. Both have the same arms and rewards.
func Leaderboard(s lab.Scale) []*simulate.Experiment {
	horizon := cell.Pick(s, 2_000, 20_000, 100_000)
	var all []*simulate.Experiment
	add := func(key string, env func() bandit.Environment, linear bool) {
		e := &simulate.Experiment{
			Name: "leaderboard-" + key, Horizon: horizon, Trials: cell.Pick(s, 2, 10, 50), Seed: leaderboardSeed,
			Environment: env, Grid: simulate.LogGrid(horizon, 2), Fingerprint: fmt.Sprintf("delta %g", Delta),
		}
		for _, c := range Contestants {
			if c.Linear != linear {
				continue
			}
			for _, epsilon := range c.epsilons() {
				e.Policies = append(e.Policies, simulate.Policy{Name: Name(c.Name, epsilon), New: func() bandit.Learner {
					return c.New(env().Problem(), epsilon)
				}})
			}
		}
		all = append(all, e)
	}
	for _, e := range Environments {
		if e.Means != nil {
			add(e.Key, e.New, false)
			continue
		}
		add(e.Key, e.New, true)
		add(e.Key+"-blind", func() bandit.Environment { return blind{e.New()} }, false)
	}
	return all
}

// Row is a line of the leaderboard.
type Row struct {
	Environment, Learner, Model string
	Asked                       float64 // epsilon; +Inf for a learner that is not private
	Proved                      float64 // epsilon at the learner's delta
	Audited                     float64 // epsilon that an audit excludes; NaN if there is none
	Regret, Within              float64 // mean, and half the width of its 95% interval
	Ratio                       float64 // to the lower bound; NaN where there is none
	Nanoseconds                 float64 // a round
	Rounds, Trials              int
}

// rows makes the leaderboard of its tables: it audits each learner and measures what a round costs.
func rows(ctx context.Context, s lab.Scale, tables []*simulate.Table) ([]Row, error) {
	var rows []Row
	for _, c := range Contestants {
		for _, epsilon := range c.epsilons() {
			audited, err := c.audited(ctx, epsilon, s)
			if err != nil {
				return nil, fmt.Errorf("survey: audit of %s: %w", Name(c.Name, epsilon), err)
			}
			for i, t := range tables {
				m, se, err := final(t, Name(c.Name, epsilon))
				if err != nil {
					continue // plays elsewhere
				}
				e := Environments[min(i, len(Environments)-1)]
				r := Row{Environment: e.Name, Learner: c.Name, Model: c.Model, Asked: epsilon, Audited: audited,
					Regret: m, Within: 1.96 * se, Ratio: math.NaN(),
					Rounds: t.Provenance.Rounds, Trials: t.Curves[0].Trials}
				if e.Means != nil {
					r.Ratio = m / arms.DEpsBound(epsilon, e.Means, float64(t.Provenance.Rounds))
				}
				if r.Proved, r.Nanoseconds, err = c.measured(e, epsilon, t.Provenance.Rounds); err != nil {
					return nil, fmt.Errorf("survey: %s: %w", Name(c.Name, epsilon), err)
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

var columns = []string{"environment", "learner", "model", "asked", "proved", "audited", "regret", "within", "ratio", "ns", "rounds", "trials"}

// leaderboardReport lays the leaderboard out with all digits, as it is committed.
func leaderboardReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	all, err := rows(context.Background(), s, tables)
	if err != nil {
		return nil, err
	}
	t := charts.NewTable(columns...)
	for _, r := range all {
		cells := []any{r.Environment, r.Learner, r.Model}
		for _, v := range []float64{r.Asked, r.Proved, r.Audited, r.Regret, r.Within, r.Ratio, r.Nanoseconds} {
			cells = append(cells, strconv.FormatFloat(v, 'g', 6, 64))
		}
		t.Add(append(cells, r.Rounds, r.Trials)...)
	}
	t.Align = "lllrrrrrrrrr"
	t.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, and half the width of its 95%% interval; epsilon that audits exclude with 99%% confidence; nanoseconds a round",
		tables[0].Provenance.Rounds, tables[0].Curves[0].Trials)
	t.Scale = string(s)
	return t, nil
}

//go:embed leaderboard.csv
var committed []byte

// Committed returns the leaderboard of the last run at the paper's scale.
func Committed() ([]Row, error) { return read(committed) }

func read(data []byte) (rows []Row, err error) {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	for i, line := range lines {
		if i == 0 {
			if !slices.Equal(line, columns) {
				return nil, fmt.Errorf("survey: the leaderboard has columns %v, want %v", line, columns)
			}
			continue
		}
		r := Row{Environment: line[0], Learner: line[1], Model: line[2]}
		for k, v := range []*float64{&r.Asked, &r.Proved, &r.Audited, &r.Regret, &r.Within, &r.Ratio, &r.Nanoseconds} {
			if *v, err = strconv.ParseFloat(line[3+k], 64); err != nil {
				return nil, fmt.Errorf("survey: leaderboard, line %d: %w", i+1, err)
			}
		}
		for k, v := range []*int{&r.Rounds, &r.Trials} {
			if *v, err = strconv.Atoi(line[10+k]); err != nil {
				return nil, fmt.Errorf("survey: leaderboard, line %d: %w", i+1, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Board returns a table of rows whose environment and epsilon the reader chooses, best first.
func Board(rows []Row) *charts.Table {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		switch {
		case a.Regret < b.Regret:
			return -1
		case a.Regret > b.Regret:
			return 1
		}
		return 0
	})
	t := charts.NewTable("environment", "ε asked", "model", "learner", "ε proved", "ε audited", "regret", "±", "times the optimum", "ns a round")
	t.Align = "lrllrrrrrr"
	if len(rows) > 0 {
		t.Caption = fmt.Sprintf("Mean regret after %d rounds and half the width of its 95%% interval, %d trials, seed %d",
			rows[0].Rounds, rows[0].Trials, leaderboardSeed)
		t.Scale = "notebooks/survey/leaderboard.csv"
	}
	for _, e := range Environments {
		for _, epsilon := range append(slices.Clone(Epsilons), math.Inf(1)) {
			for _, r := range rows {
				if r.Environment == e.Name && r.Asked == epsilon {
					t.Add(r.Environment, number(r.Asked), r.Model, r.Learner, number(r.Proved), number(r.Audited),
						number(r.Regret), number(r.Within), number(r.Ratio), number(r.Nanoseconds))
				}
			}
		}
	}
	return t
}

// hidden lists learners that Ratios leaves out: with one arm a round, DPUCB-MAT is nearly Lazy-UCB.
var hidden = []string{"Lazy-UCB", "CUCB, tree"}

// Ratios shows the regret over the lower bound by budget, one environment at a time.
func Ratios(rows []Row) *charts.Figure {
	f := charts.LogLog("Regret over the lower bound, by budget", "ε", "times the optimum")
	f.Marks, f.Scale, f.Height = []charts.Mark{charts.AtY(1, "the lower bound")}, Board(rows).Scale, 560
	var bounded []string // the bound is for arms without features
	for _, e := range Environments {
		if e.Means != nil {
			bounded = append(bounded, e.Name)
		}
	}
	f.Slider = charts.Over("environment", bounded, func(place string) (frame charts.Frame) {
		for _, r := range rows {
			if r.Environment != place || math.IsInf(r.Asked, 1) || slices.Contains(hidden, r.Learner) {
				continue
			}
			at := slices.IndexFunc(frame.Series, func(s charts.Series) bool { return s.Name == r.Learner })
			if at < 0 {
				at = len(frame.Series)
				frame.Series = append(frame.Series, charts.Series{Name: r.Learner})
			}
			s := &frame.Series[at]
			s.X, s.Y = append(s.X, r.Asked), append(s.Y, r.Ratio)
		}
		return frame
	})
	f.Slider.Middle = true
	f.Alt = fmt.Sprintf("%s. A slider chooses the environment. In each, %s, %s and %s lie lowest, near the lower bound or below; all others that trust a curator lie above them.",
		f.Title, nearest[0], nearest[1], nearest[2])
	return f
}
