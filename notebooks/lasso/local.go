package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The trust models that are compared, at one epsilon.
const (
	Locally = "bits, local model"
	Jointly = "SparseJDP, joint model"
)

// LocalEpsilon is the budget of the local learner, and of SparseJDP beside it.
const LocalEpsilon = 4

// Local compares the local learner with SparseJDP in so many dimensions.
func Local(s lab.Scale, dim int) *simulate.Experiment {
	horizon, trials := 100_000, 4
	switch s {
	case lab.Smoke:
		horizon, trials = 20_000, 2
	case lab.Paper:
		trials = 20
	}
	return &simulate.Experiment{
		Name: fmt.Sprintf("lasso-local-d%d", dim), Horizon: horizon, Trials: trials, Seed: 2404,
		Environment: func() bandit.Environment {
			return &environment.Sparse{Dim: dim, Sparsity: Sparsity, Leading: true}
		},
		Policies: []simulate.Policy{
			{Name: Random, New: func() bandit.Learner { return &learner.Random{} }},
			{Name: Locally, New: func() bandit.Learner {
				return learner.NewSparseBits(privacy.Budget{Epsilon: LocalEpsilon}, Sparsity)
			}},
			{Name: Jointly, New: func() bandit.Learner {
				return learner.NewSparseJDP(privacy.Budget{Epsilon: LocalEpsilon, Delta: Delta}, Sparsity)
			}},
		},
		Grid:        simulate.LogGrid(horizon, 8),
		Fingerprint: fmt.Sprintf("epsilon %d, delta %g", LocalEpsilon, Delta),
	}
}

// locals returns what lasso-local runs, by dimension.
func locals(s lab.Scale) (all []*simulate.Experiment) {
	dims := []int{10, 20, 40, 80}
	if s == lab.Smoke {
		dims = dims[:2]
	}
	for _, d := range dims {
		all = append(all, Local(s, d))
	}
	return all
}

// localReport has a row for each dimension: the regret of each policy.
func localReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable("experiment", Random, Locally, "SE", "by d ln 2d", Jointly, "SE")
	t.Align = "lrrrrrr"
	for i, e := range locals(s) {
		var cells [3]Golden
		for j, name := range []string{Random, Locally, Jointly} {
			mean, se, err := final(tables[i], name)
			if err != nil {
				return nil, err
			}
			cells[j] = Golden{mean, se}
		}
		d := float64(e.Environment().Problem().Dim)
		t.Add(e.Name, fmt.Sprintf("%.0f", cells[0].Mean), fmt.Sprintf("%.0f", cells[1].Mean), fmt.Sprintf("%.0f", cells[1].SE),
			fmt.Sprintf("%.0f", cells[1].Mean/(d*math.Log(2*d))), fmt.Sprintf("%.0f", cells[2].Mean), fmt.Sprintf("%.0f", cells[2].SE))
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, at epsilon = %d", tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, LocalEpsilon)
	t.Scale = string(s)
	return t, nil
}
