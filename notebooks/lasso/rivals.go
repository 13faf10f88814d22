package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// The algorithm as it is printed, and with some of its defects mended.
const (
	Printed  = "as printed"
	TwoSided = "as printed, but |w_j| tested"
	Mended   = "all defects mended"
)

// FLIPHAT by its noise, and SparseJDP in its setting.
const (
	PublicCode = "FLIPHAT, public constants"
	Corrected  = "FLIPHAT, sensitivity corrected"
	Accounted  = "FLIPHAT, accounted exactly"
	Ranged     = "FLIPHAT, Gumbel and Gaussian noise"
	Beside     = "SparseJDP, plain"
)

// learners makes the learners of all experiments by name.
var learners = map[string]func(epsilon float64) bandit.Learner{
	Plain:   recipe(sparse.SparseJDP{}.Plain),
	Tuned:   recipe(sparse.SparseJDP{}.Tuned),
	Refined: recipe(sparse.SparseJDP{}.Private),

	Printed:  printed(episodes.Repairs{}),
	TwoSided: printed(episodes.Repairs{TwoSided: true}),
	Mended: printed(episodes.Repairs{Sensitivity: true, Threshold: true, Screen: true, Bound: true,
		Freedom: true, Split: true, TwoSided: true, Gamma: true}),

	PublicCode: fliphat(episodes.NoisyIHT{Calibration: privacy.AsPublished, Unclipped: true}),
	Corrected:  fliphat(episodes.NoisyIHT{Calibration: privacy.AsPublished}),
	Accounted:  fliphat(episodes.NoisyIHT{}),
	Ranged:     fliphat(episodes.NoisyIHT{Gumbel: true}),
	Beside:     besideFLIPHAT,
}

// recipe makes SparseJDP by a recipe.
func recipe(make func(privacy.Budget, int) learner.Private[episodes.SparseGram]) func(float64) bandit.Learner {
	return func(epsilon float64) bandit.Learner {
		return make(privacy.Budget{Epsilon: epsilon, Delta: Delta}, Sparsity)
	}
}

// printed makes PrivateThresholdedLASSO with some repairs.
func printed(mended episodes.Repairs) func(float64) bandit.Learner {
	return func(epsilon float64) bandit.Learner {
		l := sparse.PrivateThresholdedLasso{}.Private(privacy.Budget{Epsilon: epsilon, Delta: Delta}, Sparsity)
		s := l.Statistic.(episodes.ThresholdedLasso)
		s.Repairs = mended
		l.Statistic = s
		return l
	}
}

// PrintedEpsilons are the budgets of the printed algorithm.
var PrintedEpsilons = []float64{1, 10, 1e4, 1e8}

// Print compares the printed algorithm at several budgets with random arms, in 100 dimensions.
func Print(s cell.Scale) *simulate.Experiment {
	e := against("lasso-printed", 2403, cell.Pick(s, 2000, 16000, 16000), cell.Pick(s, 2, 8, 40),
		environment.Sparse{}, fmt.Sprintf("delta %g", Delta))
	with(e, math.Inf(1), Plain)
	for _, epsilon := range PrintedEpsilons {
		with(e, epsilon, Printed)
	}
	with(e, 1e8, TwoSided)
	with(e, 1, Mended)
	with(e, 10, Mended)
	return e
}

// shares compares regrets as shares of those of random arms.
var shares = charts.Beside{Of: Random, Rounds: 16_000}

// PrintedGoldens lists the regret at round 16,000, as a share of that of random arms, by policy.
var PrintedGoldens = map[string][]charts.Known{
	Name(Printed, 1):    {{Mean: 0.984, SE: 0.018}},
	Name(Printed, 10):   {{Mean: 0.987}},
	Name(Printed, 1e4):  {{Mean: 0.820, SE: 0.013}},
	Name(Printed, 1e8):  {{Mean: 0.367, SE: 0.028}},
	Name(TwoSided, 1e8): {{Mean: 0.036}},
}

// FLIPHATDelta is the delta of FLIPHAT's experiments, and FLIPHATEpsilons are its budgets.
const FLIPHATDelta = 0.01

var FLIPHATEpsilons = []float64{1, 5, 10}

// FLIPHATNorm is the bound on |theta|_1 that FLIPHAT is told: the mean of the true norm, of five
// coordinates in [0.5, 1]. Its paper's code is told the true norm.
const FLIPHATNorm = 3.75

// fliphat makes FLIPHAT with the constants of its experiments, and a kind of noise.
func fliphat(noise episodes.NoisyIHT) func(float64) bandit.Learner {
	return func(epsilon float64) bandit.Learner {
		h := noise
		h.Budget, h.Sparsity, h.L1 = privacy.Budget{Epsilon: epsilon, Delta: FLIPHATDelta}, 2*Sparsity, FLIPHATNorm
		return learner.New(sparse.FLIPHAT{}, h)
	}
}

// besideFLIPHAT makes plain SparseJDP for rewards of the setting, which are clipped at 2.5.
func besideFLIPHAT(epsilon float64) bandit.Learner {
	l := sparse.SparseJDP{}.Plain(privacy.Budget{Epsilon: epsilon, Delta: FLIPHATDelta}, Sparsity)
	phase := &l.Statistic.(episodes.SparseEpisodes).Phases[0]
	phase.Reward, phase.Scores = 2.5, episodes.Correlations{X: 2, Y: 2.5}
	return l
}

// FLIPHAT compares the calibrations of FLIPHAT in the setting of its paper: 3 arms in 400
// dimensions of which 5 matter, AR(1) contexts with coefficient 0.1, noise of standard deviation
// 0.1, theta not normalised.
func FLIPHAT(s cell.Scale) *simulate.Experiment {
	e := against("lasso-fliphat", 2405, cell.Pick(s, 2000, 40000, 40000), cell.Pick(s, 2, 6, 30),
		environment.Sparse{Arms: 3, Dim: 400, Design: environment.Autoregressive, Correlation: 0.1, Noise: 0.1, Raw: true},
		fmt.Sprintf("delta %g", FLIPHATDelta))
	with(e, math.Inf(1), Beside)
	for _, epsilon := range FLIPHATEpsilons {
		with(e, epsilon, PublicCode, Corrected, Accounted, Ranged, Beside)
	}
	return e
}

// FLIPHATGoldens lists the regret at round 40,000 by policy.
var FLIPHATGoldens = map[string][]charts.Known{
	Random:               {{Mean: 56846}},
	Name(PublicCode, 1):  {{Mean: 7575, SE: 215}},
	Name(PublicCode, 5):  {{Mean: 2045, SE: 84}},
	Name(PublicCode, 10): {{Mean: 1427, SE: 64}},
	Name(Corrected, 1):   {{Mean: 45409}},
	Name(Corrected, 5):   {{Mean: 11538}},
	Name(Corrected, 10):  {{Mean: 6058}},
	Name(Accounted, 1):   {{Mean: 28655, SE: 896}},
	Name(Accounted, 5):   {{Mean: 9372, SE: 253}},
	Name(Accounted, 10):  {{Mean: 5813, SE: 165}},
	Name(Beside, 1):      {{Mean: 3962}},
	Name(Beside, 5):      {{Mean: 945}},
	Name(Beside, 10):     {{Mean: 538}},
}
