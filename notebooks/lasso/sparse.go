// Package lasso holds the experiments on private bandits in many dimensions: functions that a
// notebook and `make reproduce` both call.
package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table { return Figures.MustReport(figure) }

// Figures lists what can be reproduced.
var Figures = lab.Figures{{
	Name: "lasso-sparse", What: "SparseJDP in 100 and 1000 dimensions: regret against epsilon, of three recipes",
	Experiments: sparses, Report: report(charts.Beside{Rounds: 16_000}, Goldens, Delta),
}, {
	Name: "lasso-fliphat", What: "FLIPHAT in its paper's setting: public constants, sensitivity corrected, accounted exactly",
	Experiments: func(s cell.Scale) []*simulate.Experiment { return []*simulate.Experiment{FLIPHAT(s)} },
	Report:      report(charts.Beside{Rounds: 40_000}, FLIPHATGoldens, FLIPHATDelta),
}, {
	Name: "lasso-printed", What: "PrivateThresholdedLASSO as printed: share of the regret of random arms, up to epsilon = 1e8",
	Experiments: func(s cell.Scale) []*simulate.Experiment { return []*simulate.Experiment{Print(s)} },
	Report:      report(shares, PrintedGoldens, Delta),
}, {
	Name: "lasso-local", What: "a local learner by randomised bits: regret grows with the dimension",
	Experiments: locals, Report: report(charts.Beside{}, nil, Delta),
}, {
	Name: "lasso-assumptions", What: "Section 2.1 of the private LASSO paper, measured: compatibility, symmetry and balance of six environments",
	Studies: assumptions, Report: lab.Measured(assumptionsCaption),
}, {
	Name: "lasso-selection", What: "Algorithm 2 of the private LASSO paper: false positives beside their bound, errors beside Lemma 3's accuracy",
	Studies: selection, Report: lab.Measured(selectionCaption),
}, {
	Name: "lasso-lemmas", What: "Lemmas 4 to 7 of the private LASSO paper: supports, errors and regrets beside their bounds",
	Studies: lemmas, Report: lab.Measured(lemmasCaption),
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

// Name returns the name of a learner's policy at an epsilon.
func Name(learner string, epsilon float64) string {
	if math.IsInf(epsilon, 1) {
		return learner + ", not private"
	}
	return fmt.Sprintf("%s, epsilon = %g", learner, epsilon)
}

// against returns an experiment on an environment in which random arms and the oracle play. Other
// policies are added to it.
func against(name string, seed uint64, rounds, trials int, env environment.Sparse, fingerprint string) *simulate.Experiment {
	env.Sparsity, env.Leading = Sparsity, true
	e := &simulate.Experiment{
		Name: name, Horizon: rounds, Trials: trials, Seed: seed, Grid: simulate.LogGrid(rounds, 8), Fingerprint: fingerprint,
		Environment: env,
	}
	add(e, Random, learner.Random{})
	add(e, Oracle, sparse.SupportOracle{Support: []int{0, 1, 2, 3, 4}})
	return e
}

func add(e *simulate.Experiment, name string, l bandit.Learner) {
	e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
}

// with adds learners by name at one epsilon.
func with(e *simulate.Experiment, epsilon float64, names ...string) {
	for _, name := range names {
		add(e, Name(name, epsilon), learners[name](epsilon))
	}
}

// Sparse compares the recipes in so many dimensions, with everything else as environment.Sparse has
// it.
func Sparse(s cell.Scale, dim int) *simulate.Experiment {
	trials := 100
	if dim > 100 {
		trials = 40
	}
	e := against(fmt.Sprintf("lasso-sparse-d%d", dim), 2402, cell.Pick(s, 2000, 16000, 16000), cell.Pick(s, 2, 10, trials),
		environment.Sparse{Dim: dim}, fmt.Sprintf("delta %g", Delta))
	for _, epsilon := range Epsilons {
		with(e, epsilon, Plain, Tuned, Refined)
	}
	return e
}

// sparses returns what lasso-sparse runs: at a small scale in few dimensions only.
func sparses(s cell.Scale) (all []*simulate.Experiment) {
	for _, dim := range cell.Pick(s, dims[:1], dims, dims) {
		all = append(all, Sparse(s, dim))
	}
	return all
}

// dims are the dimensions of lasso-sparse, and localDims those of lasso-local.
var (
	dims      = []int{100, 1000}
	localDims = []int{10, 20, 40, 80}
)

// Goldens lists the regret at round 16,000 by policy, in 100 and in 1000 dimensions, that an
// independent program found. Those of the refined recipe are the tuned one's, which it has to beat.
var Goldens = map[string][]charts.Known{
	Random:                   {{Mean: 24618, SE: 7}, {Mean: 24618, SE: 7}},
	Oracle:                   {{Mean: 7.0, SE: 0.2}, {Mean: 7.0, SE: 0.2}},
	Name(Plain, math.Inf(1)): {{Mean: 131, SE: 2}, {Mean: 245, SE: 8}},
	Name(Plain, 10):          {{Mean: 596, SE: 6}, {Mean: 1093, SE: 17}},
	Name(Plain, 2):           {{Mean: 2353, SE: 22}, {Mean: 4441, SE: 73}},
	Name(Plain, 1):           {{Mean: 4427, SE: 42}, {Mean: 8383, SE: 98}},
	Name(Plain, 0.5):         {{Mean: 8211, SE: 76}, {Mean: 15128, SE: 207}},
	Name(Tuned, 10):          {{Mean: 402, SE: 12}, {Mean: 691, SE: 24}},
	Name(Tuned, 2):           {{Mean: 921, SE: 20}, {Mean: 1347, SE: 63}},
	Name(Tuned, 1):           {{Mean: 1448, SE: 27}, {Mean: 2111, SE: 67}},
	Name(Tuned, 0.5):         {{Mean: 2548, SE: 40}, {Mean: 3679, SE: 127}},
	Name(Refined, 10):        {{Mean: 402, SE: 12}, {Mean: 691, SE: 24}},
	Name(Refined, 2):         {{Mean: 921, SE: 20}, {Mean: 1347, SE: 63}},
	Name(Refined, 1):         {{Mean: 1448, SE: 27}, {Mean: 2111, SE: 67}},
	Name(Refined, 0.5):       {{Mean: 2548, SE: 40}, {Mean: 3679, SE: 127}},
}

// The trust models that lasso-local compares, at one epsilon.
const (
	Locally      = "bits, local model"
	Jointly      = "SparseJDP, joint model"
	LocalEpsilon = 4
)

// Local compares the local learner with SparseJDP in so many dimensions.
func Local(s cell.Scale, dim int) *simulate.Experiment {
	e := against(fmt.Sprintf("lasso-local-d%d", dim), 2404, cell.Pick(s, 20_000, 100_000, 100_000), cell.Pick(s, 2, 4, 20),
		environment.Sparse{Dim: dim}, fmt.Sprintf("epsilon %d, delta %g", LocalEpsilon, Delta))
	with(e, math.Inf(1), Plain)
	add(e, Locally, sparse.SparseBits{Budget: privacy.Budget{Epsilon: LocalEpsilon}, Sparsity: Sparsity}.Learner())
	add(e, Jointly, learners[Refined](LocalEpsilon))
	return e
}

// locals returns what lasso-local runs, by dimension.
func locals(s cell.Scale) (all []*simulate.Experiment) {
	for _, dim := range cell.Pick(s, localDims[:2], localDims, localDims) {
		all = append(all, Local(s, dim))
	}
	return all
}

// report lays regrets out beside independent ones, with what is proved of each policy.
func report(b charts.Beside, known map[string][]charts.Known, delta float64) func(cell.Scale, []*simulate.Table) (*charts.Table, error) {
	return func(_ cell.Scale, tables []*simulate.Table) (*charts.Table, error) {
		t := check.Try(b.Regrets(nil, known, tables...))
		t.Headers, t.Align = append(t.Headers, "epsilon proved"), t.Align+"r"
		for i, row := range t.Rows {
			proved := "–" // no claim
			if name := row[0].(string); tables[0].Claims[name] != "" {
				proved = fmt.Sprintf("%.4g", tables[0].Epsilon(name))
			}
			t.Rows[i] = append(row, proved)
		}
		t.Caption += fmt.Sprintf(", delta = %g", delta)
		if b.Of != "" {
			t.Caption += "; shares of the regret of " + b.Of
		}
		return t, nil
	}
}
