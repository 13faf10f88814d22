package jdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/notebook/check"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// perMap returns each trial's final regret, the mean over the maps, by epsilon and number of
// features. The policies are by epsilon, then by number of features, then by map.
func perMap(r *simulate.Result, epsilons, features int) (regret [][][]float64) {
	maps := len(r.Policies) / (epsilons * features)
	last := len(r.Grid) - 1
	for e := range epsilons {
		regret = append(regret, make([][]float64, features))
		for f := range features {
			mean := make([]float64, len(r.Finished))
			for m := range maps {
				for i, curve := range r.Policies[(e*features+f)*maps+m].Regret {
					mean[i] += curve[last] / float64(maps)
				}
			}
			regret[e][f] = mean
		}
	}
	return regret
}

// spread returns the mean of a sample and its standard error.
func spread(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)) / float64(len(x)-1))
}

func minus(a, b []float64) []float64 {
	off := slices.Clone(a)
	for i := range off {
		off[i] -= b[i]
	}
	return off
}

// FeaturesTable is a table of the regret by epsilon and number of features, and of what each
// epsilon adds to the first one's, trial by trial. The policies are by epsilon, then by number of
// features, then by map.
func FeaturesTable(r *simulate.Result, epsilons []float64, features []int) *charts.Table {
	regret := perMap(r, len(epsilons), len(features))
	t := charts.NewTable("ε")
	for _, d := range features {
		t.Headers = append(t.Headers, fmt.Sprintf("D = %d", d))
	}
	row := func(name string, of func(f int) []float64) {
		cells := []any{name}
		for f := range features {
			mean, se := spread(of(f))
			cells = append(cells, fmt.Sprintf("%.0f ± %.0f", mean, se))
		}
		t.Add(cells...)
	}
	for e, epsilon := range epsilons {
		row(cell.Epsilon(epsilon), func(f int) []float64 { return regret[e][f] })
	}
	for e := 1; e < len(epsilons); e++ {
		row(fmt.Sprintf("what %s adds", cell.Epsilon(epsilons[e])), func(f int) []float64 { return minus(regret[e][f], regret[0][f]) })
	}
	t.Caption = fmt.Sprintf("Regret of LinUCB over BLT on D features after %s rounds: mean and standard error of %d functions, %d maps each",
		cell.Thousands(r.Grid[len(r.Grid)-1]), len(r.Finished), len(r.Policies)/len(epsilons)/len(features))
	return t
}

// claimFeatures compares what privacy costs with few features and with many, function by function,
// and what few cannot express. At smoke scale the runs are too short for the latter to show, and for
// the price at the smallest epsilon.
func claimFeatures(s cell.Scale) (string, error) {
	epsilons, features, maps := []float64{math.Inf(1), 1, 0.1}, []int{4, 8, 32}, 2
	e := &simulate.Experiment{
		Name: "features", Seed: Seed, Environment: environment.Kernel{},
		Horizon: cell.Pick(s, 2_000, 10_000, 20_000), Trials: cell.Pick(s, 4, 16, 24),
	}
	for _, epsilon := range epsilons {
		sums := privacy.Accumulator(continual.BLT{Budget: privacy.Budget{Epsilon: epsilon, Delta: 0.1}})
		for i := range len(features) * maps {
			e.Policies = append(e.Policies, simulate.Policy{
				Name: fmt.Sprintf("ε = %g, %d features, map %d", epsilon, features[i/maps], i%maps),
				Learner: learner.Kernel{
					Learner: learner.New(linear.UCB{}, sums), Features: features[i/maps], Lengthscale: 0.25, Seed: uint64(i % maps),
				},
			})
		}
	}
	regret := perMap(check.Try(e.Run(context.Background())), len(epsilons), len(features))
	evidence, free := "", regret[0]
	for i, epsilon := range epsilons[1:] {
		mean, se := spread(minus(minus(regret[i+1][2], free[2]), minus(regret[i+1][0], free[0])))
		check.That(mean > 2*se || s == cell.Smoke && epsilon < 1, "privacy at epsilon = %g costs %.0f ± %.0f more with 32 features than with 4", epsilon, mean, se)
		evidence += fmt.Sprintf("ε = %g costs %.0f ± %.0f more with 32 features than with 4; ", epsilon, mean, se)
	}
	mean, se := spread(minus(free[0], free[1]))
	check.That(s == cell.Smoke || mean > 2*se, "without privacy 4 features less 8 have %.0f ± %.0f", mean, se)
	e.Policies = []simulate.Policy{{Name: "raw", Learner: learner.New(linear.UCB{}, nil)}}
	raw, _ := spread(perMap(check.Try(e.Run(context.Background())), 1, 1)[0][0])
	smooth, _ := spread(free[1])
	check.That(raw > 2*smooth, "LinUCB has %.0f on raw contexts and %.0f on 8 features", raw, smooth)
	return evidence + fmt.Sprintf("without privacy 4 features less 8: %.0f ± %.0f; %.0f on 8 features and %.0f on raw contexts", mean, se, smooth, raw), nil
}
