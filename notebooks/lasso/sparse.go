// Package lasso holds the experiments on private bandits in many dimensions: functions that a
// notebook and `make reproduce` both call.
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

// Figures lists what can be reproduced.
var Figures = []lab.Figure{{
	Name: "lasso-sparse", What: "SparseJDP in 100 and 1000 dimensions: regret against epsilon, of three recipes",
	Experiments: experiments, Report: report,
}, {
	Name: "lasso-fliphat", What: "FLIPHAT in its paper's setting: public constants, sensitivity corrected, accounted exactly",
	Experiments: func(s lab.Scale) []*simulate.Experiment { return []*simulate.Experiment{FLIPHAT(s)} }, Report: fliphatReport,
}, {
	Name: "lasso-printed", What: "PrivateThresholdedLASSO as printed: regret beside random arms, up to epsilon = 1e8",
	Experiments: func(s lab.Scale) []*simulate.Experiment { return []*simulate.Experiment{Print(s)} }, Report: printedReport,
}, {
	Name: "lasso-local", What: "a local learner by randomised bits: regret grows with the dimension",
	Experiments: locals, Report: localReport,
}}

// Sparsity and Delta are those of all experiments.
const (
	Sparsity = 5
	Delta    = 1e-5
)

// Epsilons are the budgets compared; +Inf is the same learner without noise.
var Epsilons = []float64{math.Inf(1), 10, 2, 1, 0.5}

// The recipes of SparseJDP.
const (
	Plain   = "plain"
	Tuned   = "tuned"
	Refined = "refined"
)

// The policies to compare with.
const (
	Random = "random arms"
	Oracle = "ridge regression on the true support"
)

// Recipes makes a learner by the name of its recipe.
var Recipes = map[string]func(privacy.Budget, int) *learner.Private[mechanism.SparseGram]{
	Plain: learner.SparseJDPPlain, Tuned: learner.SparseJDPTuned, Refined: learner.NewSparseJDP,
}

// Name returns the name of a recipe's policy.
func Name(recipe string, epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return recipe + ", not private"
	}
	return fmt.Sprintf("%s, epsilon = %g", recipe, epsilon)
}

// Sparse compares the recipes in so many dimensions, with everything else as
// environment.Sparse has it.
func Sparse(s lab.Scale, dim int) *simulate.Experiment {
	horizon, trials := 16000, 10
	switch {
	case s == lab.Smoke:
		horizon, trials = 2000, 2
	case s == lab.Paper && dim <= 100:
		trials = 100
	case s == lab.Paper:
		trials = 40
	}
	e := &simulate.Experiment{
		Name: fmt.Sprintf("lasso-sparse-d%d", dim), Horizon: horizon, Trials: trials, Seed: 2402,
		Environment: func() bandit.Environment {
			return &environment.Sparse{Dim: dim, Sparsity: Sparsity, Leading: true}
		},
		Policies: []simulate.Policy{
			{Name: Random, New: func() bandit.Learner { return &learner.Random{} }},
			{Name: Oracle, New: func() bandit.Learner {
				return &learner.SupportOracle{Support: []int{0, 1, 2, 3, 4}}
			}},
		},
		Grid:        simulate.LogGrid(horizon, 8),
		Fingerprint: fmt.Sprintf("delta %g", Delta),
	}
	for _, epsilon := range Epsilons {
		for _, recipe := range []string{Plain, Tuned, Refined} {
			e.Policies = append(e.Policies, simulate.Policy{Name: Name(recipe, epsilon), New: func() bandit.Learner {
				return Recipes[recipe](privacy.Budget{Epsilon: epsilon, Delta: Delta}, Sparsity)
			}})
		}
	}
	return e
}

// experiments returns what lasso-sparse runs: at a small scale in few dimensions only.
func experiments(s lab.Scale) []*simulate.Experiment {
	if s == lab.Smoke {
		return []*simulate.Experiment{Sparse(s, 100)}
	}
	return []*simulate.Experiment{Sparse(s, 100), Sparse(s, 1000)}
}

// Golden is a regret with its standard error, which an independent program found.
type Golden struct{ Mean, SE float64 }

// Goldens lists the regret at round 16,000 by policy, in 100 and in 1000 dimensions. Those of the
// refined recipe are the tuned one's, which it has to beat.
var Goldens = map[string][2]Golden{
	Random:                   {{24618, 7}, {24618, 7}},
	Oracle:                   {{7.0, 0.2}, {7.0, 0.2}},
	Name(Plain, math.Inf(1)): {{131, 2}, {245, 8}},
	Name(Plain, 10):          {{596, 6}, {1093, 17}},
	Name(Plain, 2):           {{2353, 22}, {4441, 73}},
	Name(Plain, 1):           {{4427, 42}, {8383, 98}},
	Name(Plain, 0.5):         {{8211, 76}, {15128, 207}},
	Name(Tuned, 10):          {{402, 12}, {691, 24}},
	Name(Tuned, 2):           {{921, 20}, {1347, 63}},
	Name(Tuned, 1):           {{1448, 27}, {2111, 67}},
	Name(Tuned, 0.5):         {{2548, 40}, {3679, 127}},
	Name(Refined, 10):        {{402, 12}, {691, 24}},
	Name(Refined, 2):         {{921, 20}, {1347, 63}},
	Name(Refined, 1):         {{1448, 27}, {2111, 67}},
	Name(Refined, 0.5):       {{2548, 40}, {3679, 127}},
}

// final returns the mean regret of a policy at the last round, and its standard error.
func final(t *simulate.Table, policy string) (mean, se float64, err error) {
	for _, c := range t.Curves {
		if c.Policy == policy {
			k := len(c.Rounds) - 1
			return c.Mean[k], c.SE[k], nil
		}
	}
	return 0, 0, fmt.Errorf("lasso: no policy %q in %s", policy, t.Provenance.Experiment)
}

// report has a row for each policy: its regret in both dimensions, the golden, and the difference
// in combined standard errors.
func report(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy")
	t.Align = "l"
	for _, table := range tables {
		t.Headers = append(t.Headers, table.Provenance.Experiment, "SE", "independent", "SE", "difference in SE")
		t.Align += "rrrrr"
	}
	names := []string{Random, Oracle}
	for _, recipe := range []string{Plain, Tuned, Refined} {
		for _, epsilon := range Epsilons {
			names = append(names, Name(recipe, epsilon))
		}
	}
	for _, name := range names {
		row := []any{name}
		for i, table := range tables {
			mean, se, err := final(table, name)
			if err != nil {
				return nil, err
			}
			row = append(row, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.1f", se))
			g, ok := Goldens[name]
			if !ok || s == lab.Smoke {
				row = append(row, "–", "–", "–")
				continue
			}
			row = append(row, fmt.Sprintf("%.0f", g[i].Mean), fmt.Sprintf("%.1f", g[i].SE), fmt.Sprintf("%+.1f", (mean-g[i].Mean)/math.Hypot(se, g[i].SE)))
		}
		t.Add(row...)
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, at delta = %g. The refined recipe stands beside the tuned one's independent numbers",
		tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, Delta)
	t.Scale = string(s)
	return t, nil
}
