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

// The trust models that are compared, at one epsilon.
const (
	Locally = "bits, local model"
	Jointly = "SparseJDP, joint model"
)

// LocalEpsilon is the budget of the local learner, and of SparseJDP beside it.
const LocalEpsilon = 4

// Local compares the local learner with SparseJDP in so many dimensions.
func Local(s lab.Scale, dim int) *simulate.Experiment {
	e := against(fmt.Sprintf("lasso-local-d%d", dim), s, 2404, bySize{20_000, 100_000, 100_000}, bySize{2, 4, 20},
		environment.Sparse{Dim: dim, Sparsity: Sparsity, Leading: true}, fmt.Sprintf("epsilon %d, delta %g", LocalEpsilon, Delta))
	with(e, Plain, math.Inf(1))
	add(e, Locally, func() *learner.Local { return learner.NewSparseBits(privacy.Budget{Epsilon: LocalEpsilon}, Sparsity) })
	add(e, Jointly, func() *learner.Private[mechanism.SparseGram] {
		return Recipes[Refined](privacy.Budget{Epsilon: LocalEpsilon, Delta: Delta}, Sparsity)
	})
	return e
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
	noiseless := Name(Plain, math.Inf(1))
	t := charts.NewTable("experiment", Random, Oracle, noiseless, Locally, "SE", "by d ln 2d", Jointly, "SE")
	t.Align = "lrrrrrrrr"
	for i, e := range locals(s) {
		var cells [5]Golden
		for j, name := range []string{Random, Oracle, noiseless, Locally, Jointly} {
			mean, se, err := final(tables[i], name)
			if err != nil {
				return nil, err
			}
			cells[j] = Golden{mean, se}
		}
		d := float64(e.Environment().Problem().Dim)
		whole := func(v float64) string { return fmt.Sprintf("%.0f", v) }
		t.Add(e.Name, whole(cells[0].Mean), whole(cells[1].Mean), whole(cells[2].Mean), whole(cells[3].Mean), whole(cells[3].SE),
			whole(cells[3].Mean/(d*math.Log(2*d))), whole(cells[4].Mean), whole(cells[4].SE))
	}
	return finish(t, s, tables[0], "", fmt.Sprintf("at epsilon = %d", LocalEpsilon)), nil
}
