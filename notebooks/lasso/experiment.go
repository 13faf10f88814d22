package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// bySize is a number for each scale: smoke, lecture, paper.
type bySize [3]int

func (b bySize) at(s lab.Scale) int { return cell.Pick(s, b[0], b[1], b[2]) }

// against returns an experiment on an environment in which random arms and the oracle play. Other
// policies are added to it.
func against(name string, s lab.Scale, seed uint64, horizon, trials bySize, env environment.Sparse, fingerprint string) *simulate.Experiment {
	rounds := horizon.at(s)
	e := &simulate.Experiment{
		Name: name, Horizon: rounds, Trials: trials.at(s), Seed: seed, Grid: simulate.LogGrid(rounds, 8),
		Environment: func() bandit.Environment { e := env; return &e },
		Policies:    []simulate.Policy{{Name: Random, New: func() bandit.Learner { return &learner.Random{} }}},
		Fingerprint: fingerprint,
	}
	add(e, Oracle, func() *learner.SupportOracle { return &learner.SupportOracle{Support: []int{0, 1, 2, 3, 4}} })
	return e
}

// add adds a policy.
func add[L bandit.Learner](e *simulate.Experiment, name string, make func() L) {
	e.Policies = append(e.Policies, simulate.NewPolicy(name, make))
}

// Golden is a number with its standard error, which an independent program found. An SE of 0 means
// that none is known.
type Golden struct{ Mean, SE float64 }

// apart returns how far a mean is from the golden, in combined standard errors. Where the
// golden has none, it is taken to be as large as ours.
func (g Golden) apart(mean, se float64) float64 {
	if g.SE == 0 {
		g.SE = se
	}
	return (mean - g.Mean) / math.Hypot(se, g.SE)
}

// beside returns five cells of a report: a mean and its standard error, the golden's, and the
// difference in combined standard errors. A short run, or one without a golden, has dashes.
func beside(s lab.Scale, format string, mean, se float64, goldens map[string]Golden, name string) []any {
	cell := func(v float64) string { return fmt.Sprintf(format, v) }
	row := []any{cell(mean), cell(se), "–", "–", "–"}
	g, ok := goldens[name]
	if !ok || s == lab.Smoke {
		return row
	}
	row[2], row[4] = cell(g.Mean), fmt.Sprintf("%+.1f", g.apart(mean, se))
	if g.SE > 0 {
		row[3] = cell(g.SE)
	}
	return row
}

// besideHeaders are the headers of the cells of beside.
func besideHeaders(ours string) []string {
	return []string{ours, "SE", "independent", "SE", "difference in SE"}
}

// finish writes how a report's numbers were made.
func finish(t *charts.Table, s lab.Scale, of *simulate.Table, what, rest string) *charts.Table {
	t.Caption = fmt.Sprintf("Regret after %d rounds%s, %d trials, %s", of.Provenance.Rounds, what, of.Curves[0].Trials, rest)
	t.Scale = string(s)
	return t
}

// final returns the mean regret of a policy at the last round, and its standard error.
func final(t *simulate.Table, policy string) (mean, se float64, err error) {
	c, err := t.Curve(policy)
	if err != nil {
		return 0, 0, err
	}
	k := len(c.Rounds) - 1
	return c.Mean[k], c.SE[k], nil
}

// proved returns the epsilon that each private policy of an experiment claims; +Inf is none.
func proved(e *simulate.Experiment) (map[string]float64, error) {
	claims := map[string]float64{}
	for _, p := range e.Policies {
		l := p.New()
		if _, private := l.(privacy.Planner); !private {
			continue
		}
		if err := l.Init(e.Environment().Problem(), e.Horizon); err != nil {
			return nil, fmt.Errorf("lasso: %s: %w", p.Name, err)
		}
		claims[p.Name] = privacy.ClaimOf(l).Epsilon()
	}
	return claims, nil
}
