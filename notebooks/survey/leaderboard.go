package survey

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/catalogue"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/judge"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Epsilons are the budgets of the leaderboard.
var Epsilons = []float64{0.1, 0.3, 1, 3}

// leaderboardSeed is the seed of the leaderboard's experiments.
const leaderboardSeed = 55

// Delta is that of the learners that need one.
const Delta = 1e-5

func budget(epsilon float64) privacy.Budget { return privacy.Budget{Epsilon: epsilon, Delta: Delta} }

// Contestants lists the learners of the leaderboard. Those for an adversary race elsewhere.
var Contestants = slices.DeleteFunc(catalogue.Learners(), func(e catalogue.Entry) bool { return e.For == catalogue.AnyRewards })

// notPrivate is the model of a learner that promises nothing.
const notPrivate = "not private"

func model(e catalogue.Entry) string {
	if !e.Private {
		return notPrivate
	}
	return e.Model.String()
}

// budgets returns the epsilons that a learner runs at.
func budgets(e catalogue.Entry) []float64 {
	if !e.Private {
		return []float64{math.Inf(1)}
	}
	return Epsilons
}

// Environments lists those of the leaderboard.
var Environments = check.Try(catalogue.Named("two", "close", "spread", "pair", "many", "linear", "logistic", "kernel", "lists"))

// place is an environment of the leaderboard, or the same whose learners do not see the contexts.
type place struct {
	catalogue.World
	hidden bool
}

// places lists a place for each environment, and a second one for linear arms. Both have the same
// arms and rewards.
func places() (all []place) {
	for _, e := range Environments {
		all = append(all, place{e, false})
		if e.Hideable {
			all = append(all, place{e, true})
		}
	}
	return all
}

// Leaderboard returns an experiment for each place.
func Leaderboard(s cell.Scale) (all []*simulate.Experiment) {
	horizon := cell.Pick(s, 2_000, 20_000, 100_000)
	for _, at := range places() {
		key, env := at.Key, at.Environment
		if at.hidden {
			key, env = key+"-blind", environment.Blind{Environment: env}
		}
		e := &simulate.Experiment{
			Name: "leaderboard-" + key, Horizon: horizon, Trials: cell.Pick(s, 2, 10, 50), Seed: leaderboardSeed,
			Environment: env, Grid: simulate.LogGrid(horizon, 2), Fingerprint: fmt.Sprintf("delta %g", Delta),
		}
		problem := check.Try(bandit.OpenWorld(env)).Problem()
		for _, c := range Contestants {
			if !c.Plays(at.World) {
				continue
			}
			for _, epsilon := range budgets(c) {
				if l, _, err := c.Enter(problem, budget(epsilon), horizon); err == nil { // others play elsewhere
					e.Policies = append(e.Policies, simulate.Policy{Name: Name(c.Name, epsilon), Learner: l})
				}
			}
		}
		all = append(all, e)
	}
	return all
}

// Row is a line of the leaderboard.
type Row struct {
	Environment, Learner, Model string
	For                         string  // rewards that the learner is made for; empty if these are the environment's
	Asked                       float64 // epsilon; +Inf for a learner that is not private
	Proved                      float64 // epsilon at the learner's delta
	Audited                     float64 // epsilon that an audit excludes; NaN if there is none
	Regret, Within              float64 // mean, and half the width of its 95% interval
	Ratio                       float64 // to the lower bound; NaN where there is none
	Rounds, Trials              int
}

// rows makes the leaderboard of its tables and of the committed audits.
func rows(tables []*simulate.Table) (rows []Row) {
	excluded := check.Try(readAudits(committedAudits))
	for i, t := range tables {
		e := places()[i]
		for _, c := range Contestants {
			for _, epsilon := range budgets(c) {
				name := Name(c.Name, epsilon)
				m, se, err := t.Final(name)
				if err != nil {
					continue // plays elsewhere
				}
				r := Row{Environment: e.Name, Learner: c.Name, Model: model(c), Asked: epsilon, Proved: t.Epsilon(name),
					Audited: math.NaN(), Regret: m, Within: 1.96 * se, Ratio: math.NaN(),
					Rounds: t.Provenance.Rounds, Trials: t.Curves[0].Trials}
				if found, ok := excluded[name]; ok {
					r.Audited = found
				}
				if !c.Suits(e.World, e.hidden) {
					r.For = c.For.String()
				}
				if e.Means() != nil {
					r.Ratio = m / arms.DEpsBound(epsilon, e.Means(), float64(r.Rounds))
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// Committed returns the leaderboard of the committed tables.
func Committed() (all []Row, err error) {
	defer check.Catch(&err)
	return rows(check.Try(lab.Figure{Experiments: Leaderboard}.Tables())), nil
}

func leaderboardReport(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
	return Board(rows(tables)), nil
}

// committedAudits is what leaderboard-audits found at the paper's scale.
//
//go:embed audits.csv
var committedAudits string

// readAudits returns the epsilon that is audited by policy.
func readAudits(text string) (map[string]float64, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	excluded := map[string]float64{}
	for i, line := range lines[min(1, len(lines)):] {
		epsilon, e := strconv.ParseFloat(line[1], 64)
		found, f := strconv.ParseFloat(line[2], 64)
		if err := errors.Join(e, f); err != nil {
			return nil, fmt.Errorf("survey: audits, line %d: %w", i+2, err)
		}
		excluded[Name(line[0], epsilon)] = found
	}
	return excluded, nil
}

// audited returns the epsilon that the best attack of a learner's report card excludes, or NaN. The
// confidence is 99% for all of the leaderboard together.
//
// What learners of lists release is a ratio of noisy counts, of which the card's attacks see next
// to nothing in hours. The audit suite attacks the counts.
func audited(ctx context.Context, e catalogue.Entry, epsilon float64, s cell.Scale) (float64, error) {
	if !e.Private || e.For == catalogue.Clicks {
		return math.NaN(), nil
	}
	card, err := judge.Learner(ctx, catalogue.Learner{Name: e.Name, Budget: budget(epsilon)}, judge.Options{
		Scale: cell.Pick(s, "smoke", "lecture", "lecture"), Seed: leaderboardSeed, Confidence: 0.9999, Attacks: 1,
		Only: []string{"attacks"},
	})
	if err != nil || len(card.Attacks) == 0 {
		return math.NaN(), err
	}
	best := card.Attacks[0]
	if best.Failed != "" {
		return math.NaN(), fmt.Errorf("survey: %s: %s", best.Name, best.Failed)
	}
	return best.Excluded, nil
}

// auditReport has a row for each learner and epsilon, with all digits, as it is committed.
func auditReport(s cell.Scale, _ []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("learner", "epsilon", "audited")
	for _, e := range Contestants {
		for _, epsilon := range budgets(e) {
			found, err := audited(context.Background(), e, epsilon, s)
			check.That(err == nil, "survey: audit of %s: %w", Name(e.Name, epsilon), err)
			if !math.IsNaN(found) {
				t.Add(e.Name, epsilon, fmt.Sprintf("%.6g", found))
			}
		}
	}
	t.Caption = "The epsilon that audits exclude, with 99% confidence for all of them together"
	return t, nil
}

// Board returns a table of rows whose environment and epsilon the reader chooses, best first.
func Board(rows []Row) *charts.Table {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Regret, b.Regret) })
	t := charts.NewTable("environment", "ε asked", "model", "learner", "ε proved", "ε audited", "regret", "±", "times the optimum")
	t.Align = "lrllrrrrr"
	if len(rows) > 0 {
		t.Caption = fmt.Sprintf("Mean regret after %d rounds and half the width of its 95%% interval, %d trials, seed %d",
			rows[0].Rounds, rows[0].Trials, leaderboardSeed)
		t.Scale = charts.PaperScale("notebooks/results/leaderboard-*.csv")
	}
	for _, e := range Environments {
		for _, epsilon := range append(slices.Clone(Epsilons), math.Inf(1)) {
			for _, r := range rows {
				if r.Environment == e.Name && r.Asked == epsilon {
					if r.For != "" {
						r.Learner = fmt.Sprintf("%s (for %s)", r.Learner, r.For)
					}
					t.Add(r.Environment, charts.Number(r.Asked), r.Model, r.Learner, charts.Number(r.Proved), charts.Number(r.Audited),
						charts.Number(r.Regret), charts.Number(r.Within), charts.Number(r.Ratio))
				}
			}
		}
	}
	return t
}

// tableOnly lists learners that the figure leaves to the table: it has nine styles.
var tableOnly = []string{"Lazy-UCB", "CUCB, tree", "AdaP-UCB", "DPUCB-MAT", "DPTS-MAT", "DP-TS-UCB"}

// Ratios shows the regret over the lower bound by budget, one environment at a time, without the
// learners of tableOnly.
func Ratios(rows []Row) *charts.Figure {
	f := charts.LogLog("Regret over the lower bound, by budget", "ε", "times the optimum")
	f.Marks, f.Scale, f.Height = []charts.Mark{charts.AtY(1, "the lower bound")}, Board(rows).Scale, 560
	f.Caption = fmt.Sprintf("Means of %d trials of %d rounds, seed %d; the table has %d learners more", rows[0].Trials, rows[0].Rounds, leaderboardSeed, len(tableOnly))
	var bounded []string // the bound is for arms without features
	for _, e := range Environments {
		if e.Means() != nil {
			bounded = append(bounded, e.Name)
		}
	}
	f.Slider = charts.Over("environment", bounded, func(place string) (frame charts.Frame) {
		for _, c := range Contestants {
			s := charts.Series{Name: c.Name}
			for _, r := range rows {
				if r.Environment == place && r.Learner == c.Name {
					s.X, s.Y = append(s.X, r.Asked), append(s.Y, r.Ratio)
				}
			}
			if len(s.X) > 1 && !slices.Contains(tableOnly, c.Name) {
				frame.Series = append(frame.Series, s)
			}
		}
		return frame
	})
	f.Slider.Middle = true
	f.Alt = fmt.Sprintf("%s. A slider chooses the environment. In each, %s, %s and %s lie lowest, near the lower bound or below; all others that trust a curator lie above them.",
		f.Title, nearest[0], nearest[1], nearest[2])
	return f
}
