package jdp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// perMap returns the mean over the maps, by epsilon, number of features and trial, of numbers by
// policy and trial. The policies are by epsilon, then by number of features, then by map.
func perMap(finals [][]float64, epsilons, features int) (mean [][][]float64) {
	maps := len(finals) / (epsilons * features)
	for range epsilons {
		var row [][]float64
		for range features {
			one := make([]float64, len(finals[0]))
			for _, final := range finals[:maps] {
				for i, v := range final {
					one[i] += v / float64(maps)
				}
			}
			row, finals = append(row, one), finals[maps:]
		}
		mean = append(mean, row)
	}
	return mean
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
// epsilon adds to the first one's, trial by trial. finals holds the last regret by policy and
// trial. The policies are by epsilon, then by number of features, then by map.
func FeaturesTable(finals [][]float64, epsilons []float64, features []int) *charts.Table {
	means := perMap(finals, len(epsilons), len(features))
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
		row(cell.Epsilon(epsilon), func(f int) []float64 { return means[e][f] })
	}
	for e := 1; e < len(epsilons); e++ {
		row(fmt.Sprintf("what ε = %s adds", cell.Epsilon(epsilons[e])), func(f int) []float64 { return minus(means[e][f], means[0][f]) })
	}
	t.Caption = fmt.Sprintf("Regret of LinUCB over BLT on D features: mean and standard error of %d functions, %d maps each",
		len(finals[0]), len(finals)/len(epsilons)/len(features))
	return t
}

// claimFeatures compares what privacy costs with few features and with many, function by function,
// and what few cannot express. At smoke scale the runs are too short for the latter to show. The
// same goes for the price of the smallest epsilon.
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
	regret := perMap(lasts(e), len(epsilons), len(features))
	evidence, free := "", regret[0]
	for i, epsilon := range epsilons[1:] {
		mean, se := spread(minus(minus(regret[i+1][2], free[2]), minus(regret[i+1][0], free[0])))
		check.That(mean > 2*se || s == cell.Smoke && epsilon < 1, "privacy at epsilon = %g costs %.0f ± %.0f more with 32 features than with 4", epsilon, mean, se)
		evidence += fmt.Sprintf("ε = %g costs %.0f ± %.0f more with 32 features than with 4; ", epsilon, mean, se)
	}
	mean, se := spread(minus(free[0], free[1]))
	check.That(s == cell.Smoke || mean > 2*se, "without privacy 4 features less 8 have %.0f ± %.0f", mean, se)
	e.Policies = []simulate.Policy{{Name: "raw", Learner: learner.New(linear.UCB{}, nil)}}
	raw, _ := spread(lasts(e)[0])
	smooth, _ := spread(free[1])
	check.That(raw > 2*smooth, "LinUCB has %.0f on raw contexts and %.0f on 8 features", raw, smooth)
	return evidence + fmt.Sprintf("without privacy 4 features less 8: %.0f ± %.0f; %.0f on 8 features and %.0f on raw contexts", mean, se, smooth, raw), nil
}

// lasts runs an experiment, and returns the last regret by policy and trial.
func lasts(e *simulate.Experiment) (finals [][]float64) {
	r := check.Try(e.Run(context.Background()))
	for _, p := range e.Policies {
		finals = append(finals, check.Try(r.Final(p.Name)))
	}
	return finals
}
