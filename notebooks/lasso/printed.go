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
	e := against("lasso-printed", s, 2403, bySize{2000, 16000, 16000}, bySize{2, 8, 40},
		environment.Sparse{Sparsity: Sparsity, Leading: true}, fmt.Sprintf("delta %g", Delta))
	with(e, Plain, math.Inf(1))
	printed := func(which string, epsilon float64) {
		add(e, Name(which, epsilon), func() *learner.Private[mechanism.SparseGram] { return PrintedOf(which, epsilon) })
	}
	for _, epsilon := range PrintedEpsilons {
		printed(Printed, epsilon)
	}
	printed(TwoSided, 1e8)
	printed(Mended, 1)
	printed(Mended, 10)
	return e
}

// PrintedGoldens lists the regret at round 16,000, as a share of that of random arms, by policy.
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
	t := charts.NewTable(append(append([]string{"policy"}, besideHeaders("regret / random")...), "epsilon proved")...)
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
		row := append([]any{p.Name}, beside(s, "%.3f", share, se, PrintedGoldens, p.Name)...)
		t.Add(append(row, fmt.Sprintf("%.4g", claims[p.Name]))...)
	}
	return finish(t, s, tables[0], " as a share of that of random arms", fmt.Sprintf("at delta = %g", Delta)), nil
}
