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

// The noise of FLIPHAT, by its calibration.
const (
	PublicCode = "FLIPHAT, public constants"
	Corrected  = "FLIPHAT, sensitivity corrected"
	Accounted  = "FLIPHAT, accounted exactly"
	Ranged     = "FLIPHAT, Gumbel and Gaussian noise"
	Beside     = "SparseJDP, plain"
)

// FLIPHATDelta is the delta of FLIPHAT's experiments, and FLIPHATEpsilons are its budgets.
const FLIPHATDelta = 0.01

var FLIPHATEpsilons = []float64{1, 5, 10}

// FLIPHATNorm is the bound on |theta|_1 that FLIPHAT is told: the mean of the true norm, of five
// coordinates in [0.5, 1]. Its paper's code is told the true norm.
const FLIPHATNorm = 3.75

// FLIPHATOf returns FLIPHAT with the constants of its experiments.
func FLIPHATOf(noise string, epsilon float64) *learner.Private[mechanism.SparseTheta] {
	h := &mechanism.NoisyIHT{Budget: privacy.Budget{Epsilon: epsilon, Delta: FLIPHATDelta}, Sparsity: 2 * Sparsity, L1: FLIPHATNorm}
	switch noise {
	case PublicCode:
		h.Calibration, h.Unclipped = privacy.AsPublished, true
	case Corrected:
		h.Calibration = privacy.AsPublished
	case Ranged:
		h.Gumbel = true
	}
	return learner.New(&learner.FLIPHAT{}, h)
}

// besideFLIPHAT returns plain SparseJDP for rewards of the setting, which are clipped at 2.5.
func besideFLIPHAT(epsilon float64) *learner.Private[mechanism.SparseGram] {
	l := learner.SparseJDPPlain(privacy.Budget{Epsilon: epsilon, Delta: FLIPHATDelta}, Sparsity)
	phase := &l.Statistic.(*mechanism.SparseEpisodes).Phases[0]
	phase.Reward, phase.Scores = 2.5, mechanism.Correlations{X: 2, Y: 2.5}
	return l
}

// FLIPHAT compares the calibrations of FLIPHAT in the setting of its paper: 3 arms in 400
// dimensions of which 5 matter, AR(1) contexts with coefficient 0.1, noise of standard deviation
// 0.1, theta not normalised.
func FLIPHAT(s lab.Scale) *simulate.Experiment {
	e := against("lasso-fliphat", s, 2405, bySize{2000, 40000, 40000}, bySize{2, 6, 30}, environment.Sparse{Arms: 3, Dim: 400,
		Sparsity: Sparsity, Design: environment.Autoregressive, Correlation: 0.1, Noise: 0.1, Raw: true, Leading: true},
		fmt.Sprintf("delta %g", FLIPHATDelta))
	beside := func(epsilon float64) {
		add(e, Name(Beside, epsilon), func() *learner.Private[mechanism.SparseGram] { return besideFLIPHAT(epsilon) })
	}
	beside(math.Inf(1))
	for _, epsilon := range FLIPHATEpsilons {
		for _, noise := range []string{PublicCode, Corrected, Accounted, Ranged} {
			add(e, Name(noise, epsilon), func() *learner.Private[mechanism.SparseTheta] { return FLIPHATOf(noise, epsilon) })
		}
		beside(epsilon)
	}
	return e
}

// FLIPHATGoldens lists the regret at round 40,000 by policy.
var FLIPHATGoldens = map[string]Golden{
	Random:               {56846, 0},
	Name(PublicCode, 1):  {7575, 215},
	Name(PublicCode, 5):  {2045, 84},
	Name(PublicCode, 10): {1427, 64},
	Name(Corrected, 1):   {45409, 0},
	Name(Corrected, 5):   {11538, 0},
	Name(Corrected, 10):  {6058, 0},
	Name(Accounted, 1):   {28655, 896},
	Name(Accounted, 5):   {9372, 253},
	Name(Accounted, 10):  {5813, 165},
	Name(Beside, 1):      {3962, 0},
	Name(Beside, 5):      {945, 0},
	Name(Beside, 10):     {538, 0},
}

// fliphatReport has a row for each policy: its regret, the golden, and what its claim proves.
func fliphatReport(s lab.Scale, tables []*simulate.Table) (*charts.Table, error) {
	t := charts.NewTable(append(append([]string{"policy"}, besideHeaders("regret")...), "epsilon proved")...)
	t.Align = "lrrrrrr"
	claims, err := proved(FLIPHAT(s))
	if err != nil {
		return nil, err
	}
	names := []string{Random, Oracle, Name(Beside, math.Inf(1))}
	for _, noise := range []string{PublicCode, Corrected, Accounted, Ranged, Beside} {
		for _, epsilon := range FLIPHATEpsilons {
			names = append(names, Name(noise, epsilon))
		}
	}
	for _, name := range names {
		mean, se, err := final(tables[0], name)
		if err != nil {
			return nil, err
		}
		proved := "–"
		if e := claims[name]; e > 0 {
			proved = fmt.Sprintf("%.4g", e)
		}
		t.Add(append(append([]any{name}, beside(s, "%.0f", mean, se, FLIPHATGoldens, name)...), proved)...)
	}
	return finish(t, s, tables[0], "", fmt.Sprintf("at delta = %g", FLIPHATDelta)), nil
}
