package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The algorithm as it is printed, and with some of its defects mended.
const (
	Printed  = "as printed"
	TwoSided = "as printed, but |w_j| tested"
	Mended   = "all defects mended"
)

// PrintedEpsilons are the budgets of the printed algorithm.
var PrintedEpsilons = []float64{1, 10, 1e4, 1e8}

// PrintedOf returns PrivateThresholdedLASSO with or without repairs.
func PrintedOf(which string, epsilon float64) *learner.Private[mechanism.SparseGram] {
	l := learner.NewPrivateThresholdedLasso(privacy.Budget{Epsilon: epsilon, Delta: Delta}, Sparsity)
	repairs := &l.Statistic.(*mechanism.ThresholdedLasso).Repairs
	switch which {
	case TwoSided:
		repairs.TwoSided = true
	case Mended:
		*repairs = mechanism.Repairs{Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true, TwoSided: true, Gamma: true}
	}
	return l
}

// Print compares the printed algorithm at several budgets with random arms, in 100 dimensions.
func Print(s lab.Scale) *simulate.Experiment {
	horizon, trials := 16000, 8
	switch s {
	case lab.Smoke:
		horizon, trials = 2000, 2
	case lab.Paper:
		trials = 40
	}
	e := &simulate.Experiment{
		Name: "lasso-printed", Horizon: horizon, Trials: trials, Seed: 2403,
		Environment: func() bandit.Environment {
			return &environment.Sparse{Sparsity: Sparsity, Leading: true}
		},
		Policies:    []simulate.Policy{{Name: Random, New: func() bandit.Learner { return &learner.Random{} }}},
		Grid:        simulate.LogGrid(horizon, 8),
		Fingerprint: fmt.Sprintf("delta %g", Delta),
	}
	add := func(which string, epsilon float64) {
		e.Policies = append(e.Policies, simulate.Policy{Name: Name(which, epsilon), New: func() bandit.Learner {
			return PrintedOf(which, epsilon)
		}})
	}
	for _, epsilon := range PrintedEpsilons {
		add(Printed, epsilon)
	}
	add(TwoSided, 1e8)
	add(Mended, 1)
	add(Mended, 10)
	return e
}

// PrintedGoldens lists the regret at round 16,000, as a share of that of random arms, by policy. An
// SE of 0 means that none is known.
var PrintedGoldens = map[string]Golden{
	Name(Printed, 1):    {0.984, 0.018},
	Name(Printed, 10):   {0.987, 0},
	Name(Printed, 1e4):  {0.820, 0.013},
	Name(Printed, 1e8):  {0.367, 0.028},
	Name(TwoSided, 1e8): {0.036, 0},
}

// Share returns a policy's regret at the last round as a share of that of random arms, and its
// standard error, without that of random arms, which is small.
func Share(t *simulate.Table, policy string) (share, se float64, err error) {
	random, _, err := final(t, Random)
	if err != nil {
		return 0, 0, err
	}
	mean, se, err := final(t, policy)
	return mean / random, se / random, err
}

// printedReport has a row for each policy: its regret as a share of that of random arms, the
// golden, and what its claim proves.
func printedReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy", "regret / random", "SE", "independent", "SE", "difference in SE", "epsilon proved")
	t.Align = "lrrrrrr"
	e := Print(s)
	claims, err := proved(e)
	if err != nil {
		return nil, err
	}
	for _, p := range e.Policies[1:] {
		share, se, err := Share(tables[0], p.Name)
		if err != nil {
			return nil, err
		}
		row := []any{p.Name, fmt.Sprintf("%.3f", share), fmt.Sprintf("%.3f", se)}
		g, ok := PrintedGoldens[p.Name]
		switch {
		case !ok || s == lab.Smoke:
			row = append(row, "–", "–", "–")
		case g.SE == 0:
			row = append(row, fmt.Sprintf("%.3f", g.Mean), "–", fmt.Sprintf("%+.1f of ours", (share-g.Mean)/se))
		default:
			row = append(row, fmt.Sprintf("%.3f", g.Mean), fmt.Sprintf("%.3f", g.SE), fmt.Sprintf("%+.1f", (share-g.Mean)/math.Hypot(se, g.SE)))
		}
		t.Add(append(row, fmt.Sprintf("%.4g", claims[p.Name]))...)
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds as a share of that of random arms, %d trials, at delta = %g", tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, Delta)
	t.Scale = string(s)
	return t, nil
}
