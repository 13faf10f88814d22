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
	horizon, trials := 40000, 6
	switch s {
	case lab.Smoke:
		horizon, trials = 2000, 2
	case lab.Paper:
		trials = 30
	}
	e := &simulate.Experiment{
		Name: "lasso-fliphat", Horizon: horizon, Trials: trials, Seed: 2405,
		Environment: func() bandit.Environment {
			return &environment.Sparse{Arms: 3, Dim: 400, Sparsity: Sparsity, Design: environment.Autoregressive,
				Correlation: 0.1, Noise: 0.1, Raw: true, Leading: true}
		},
		Policies:    []simulate.Policy{{Name: Random, New: func() bandit.Learner { return &learner.Random{} }}},
		Grid:        simulate.LogGrid(horizon, 8),
		Fingerprint: fmt.Sprintf("delta %g", FLIPHATDelta),
	}
	for _, epsilon := range FLIPHATEpsilons {
		for _, noise := range []string{PublicCode, Corrected, Accounted, Ranged} {
			e.Policies = append(e.Policies, simulate.Policy{Name: Name(noise, epsilon), New: func() bandit.Learner {
				return FLIPHATOf(noise, epsilon)
			}})
		}
		e.Policies = append(e.Policies, simulate.Policy{Name: Name(Beside, epsilon), New: func() bandit.Learner {
			return besideFLIPHAT(epsilon)
		}})
	}
	return e
}

// FLIPHATGoldens lists the regret at round 40,000 by policy. An SE of 0 means that none is known.
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
	t := charts.NewTable("policy", "regret", "SE", "independent", "SE", "difference in SE", "epsilon proved")
	t.Align = "lrrrrrr"
	claims, err := proved(FLIPHAT(s))
	if err != nil {
		return nil, err
	}
	names := []string{Random}
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
		row := []any{name, fmt.Sprintf("%.0f", mean), fmt.Sprintf("%.0f", se)}
		g, ok := FLIPHATGoldens[name]
		switch {
		case !ok || s == lab.Smoke:
			row = append(row, "–", "–", "–")
		case g.SE == 0:
			row = append(row, fmt.Sprintf("%.0f", g.Mean), "–", fmt.Sprintf("%+.1f of ours", (mean-g.Mean)/se))
		default:
			row = append(row, fmt.Sprintf("%.0f", g.Mean), fmt.Sprintf("%.0f", g.SE), fmt.Sprintf("%+.1f", (mean-g.Mean)/math.Hypot(se, g.SE)))
		}
		proved := "–"
		if e := claims[name]; e > 0 {
			proved = fmt.Sprintf("%.4g", e)
		}
		t.Add(append(row, proved)...)
	}
	t.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, at delta = %g", tables[0].Provenance.Rounds, tables[0].Curves[0].Trials, FLIPHATDelta)
	t.Scale = string(s)
	return t, nil
}

// proved returns the epsilon that each private policy of an experiment claims; +Inf is none.
func proved(e *simulate.Experiment) (map[string]float64, error) {
	claims := map[string]float64{}
	for _, p := range e.Policies {
		l := p.New()
		if _, private := l.(privacy.Planner); !private {
			continue
		}
		if err := l.Init(e.Environment().Problem(), e.Horizon); err != nil {
			return nil, fmt.Errorf("lasso: %s: %w", p.Name, err)
		}
		claims[p.Name] = privacy.ClaimOf(l).Epsilon()
	}
	return claims, nil
}
