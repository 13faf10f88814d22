// Package lasso holds the experiments on private bandits in many dimensions: functions that a
// notebook and `make reproduce` both call.
package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Figures lists what can be reproduced.
var Figures = lab.Figures{{
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
	trials := bySize{2, 10, 100}
	if dim > 100 {
		trials[2] = 40
	}
	e := against(fmt.Sprintf("lasso-sparse-d%d", dim), s, 2402, bySize{2000, 16000, 16000}, trials,
		environment.Sparse{Dim: dim, Sparsity: Sparsity, Leading: true}, fmt.Sprintf("delta %g", Delta))
	for _, epsilon := range Epsilons {
		for _, recipe := range []string{Plain, Tuned, Refined} {
			with(e, recipe, epsilon)
		}
	}
	return e
}

// with adds a recipe at one epsilon.
func with(e *simulate.Experiment, recipe string, epsilon float64) {
	add(e, Name(recipe, epsilon), func() *learner.Private[mechanism.SparseGram] {
		return Recipes[recipe](privacy.Budget{Epsilon: epsilon, Delta: Delta}, Sparsity)
	})
}

// experiments returns what lasso-sparse runs: at a small scale in few dimensions only.
func experiments(s lab.Scale) []*simulate.Experiment {
	if s == lab.Smoke {
		return []*simulate.Experiment{Sparse(s, 100)}
	}
	return []*simulate.Experiment{Sparse(s, 100), Sparse(s, 1000)}
}

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

// goldens returns the numbers for one of the two dimensions.
func goldens(i int) map[string]Golden {
	of := map[string]Golden{}
	for name, g := range Goldens {
		of[name] = g[i]
	}
	return of
}

// report has a row for each policy: its regret in both dimensions, the golden, and the difference
// in combined standard errors.
func report(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("policy")
	t.Align = "l"
	for _, table := range tables {
		t.Headers = append(t.Headers, besideHeaders(table.Provenance.Experiment)...)
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
			row = append(row, beside(s, "%.0f", mean, se, goldens(i), name)...)
		}
		t.Add(row...)
	}
	rest := fmt.Sprintf("at delta = %g. The refined recipe stands beside the tuned one's independent numbers", Delta)
	return finish(t, s, tables[0], "", rest), nil
}
