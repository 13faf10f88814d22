package lasso

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/notebooks/results"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// fliphatGaps releases an episode of 1000 rows, all 0 but the last, whose reward turns over.
func fliphatGaps(lab.Scale) (string, error) {
	const rows, step = 1000, 1.0
	bound := math.Sqrt(2 * math.Log(400))
	release := func(x, y float64, unclipped bool) (float64, error) {
		h := &mechanism.NoisyIHT{Budget: privacy.Budget{Epsilon: math.Inf(1), Delta: FLIPHATDelta}, Calibration: privacy.AsPublished, Unclipped: unclipped,
			Sparsity: 1, L1: FLIPHATNorm, Step: step, Context: bound, Lengths: mechanism.Growing{Least: rows}}
		if err := h.Init(privacy.Setup{Horizon: rows + 1, Dim: 2, Bound: 1}); err != nil {
			return 0, err
		}
		h.Reset(privacy.NewNoise(random.Source(6, 0, "")))
		r := &privacy.Record{X: []float64{0}, Y: []float64{0}}
		for i := range rows {
			if i == rows-1 {
				r.X[0], r.Y[0] = x, y
			}
			if _, err := h.Add(r); err != nil {
				return 0, err
			}
		}
		return h.Release().Theta[0], nil
	}
	hides := step * (2*FLIPHATNorm*bound + math.Sqrt(2*math.Log1p(rows))) / rows
	var times []float64
	for _, at := range []struct {
		x         float64
		unclipped bool
	}{{bound, false}, {10 * bound, false}, {10 * bound, true}} {
		up, err := release(at.x, 1e6, at.unclipped)
		if err != nil {
			return "", err
		}
		down, err := release(at.x, -1e6, at.unclipped)
		if err != nil {
			return "", err
		}
		times = append(times, (up-down)/hides)
	}
	return unless(times[0] > 7 && times[1] == times[0] && times[2] > 5*times[0],
		"%.1f times as far at x_max; at ten times x_max %.1f with contexts clipped, %.1f without", times[0], times[1], times[2])
}

func fliphatPays(lab.Scale) (string, error) {
	table, err := results.Table("lasso-fliphat")
	if err != nil {
		return "", err
	}
	evidence, holds := "30 trials of 40,000 rounds: ", true
	for _, epsilon := range FLIPHATEpsilons {
		of := map[string]float64{}
		for _, name := range []string{PublicCode, Corrected, Accounted, Ranged, Beside} {
			if of[name], _, err = final(table, Name(name, epsilon)); err != nil {
				return "", err
			}
		}
		times := of[Corrected] / of[PublicCode]
		rest := min(of[PublicCode], of[Corrected], of[Accounted], of[Ranged])
		evidence += fmt.Sprintf("%.1f times at ε = %g, and SparseJDP %.2f of the best. ", times, epsilon, of[Beside]/rest)
		holds = holds && times > 3.8 && times < 6 && of[Beside] < rest
	}
	return unless(holds, "%s", evidence)
}

// noiseGrows compares the noise of an entry of X'y with the largest of d Gumbel noises, about the
// scale times ln d.
func noiseGrows(lab.Scale) (string, error) {
	var all, largest [2]float64
	for i, dim := range []int{20, 160} {
		dense := released(dim, 1e-6, 1)
		if err := dense.Init((&environment.Sparse{Dim: dim}).Problem(), 8000); err != nil {
			return "", err
		}
		l := dense.Statistic.(*mechanism.SparseEpisodes)
		l.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
		for range l.Ends()[0] {
			if _, err := l.Add(&privacy.Record{X: make([]float64, dim), Y: []float64{0}}); err != nil {
				return "", err
			}
		}
		all[i] = l.Release().Noise
		top := &mechanism.TopScores{Budget: privacy.Budget{Epsilon: 1, Delta: Delta}, Picks: 10, Scores: mechanism.Signs{Y: 1}}
		if err := top.Init(privacy.Setup{Horizon: 8000, Dim: dim + 1, Bound: 1}); err != nil {
			return "", err
		}
		largest[i] = top.Scale() * math.Log(float64(dim))
	}
	dense, select10 := all[1]/all[0], largest[1]/largest[0]
	return unless(dense > 7 && dense < 9 && select10 < 2, "from d = 20 to 160 the one grows %.1f-fold, the other %.1f-fold", dense, select10)
}

func selectionsPay(s lab.Scale) (string, error) {
	rounds, n, budget := cell.Pick(s, 3000, 6000, 16_000), cell.Pick(s, 1, 2, 10), privacy.Budget{Epsilon: 2, Delta: Delta}
	of, err := shares(sparse(100, Sparsity), rounds, n,
		func() bandit.Learner { return released(10, 0.3, 2) },
		func() bandit.Learner { return released(100, 1e-6, 2) },
		func() bandit.Learner {
			return learner.New(&learner.FLIPHAT{}, &mechanism.NoisyIHT{Budget: budget, Sparsity: 10, L1: 2.24, Sd: 0.3, Gumbel: true})
		},
		func() bandit.Learner { return learner.New(&learner.LinUCB{Sigma: 0.3}, &mechanism.BLT{Budget: budget}) })
	if err != nil {
		return "", err
	}
	return unless(slices.IsSorted(of), "%.2f, %.2f, %.2f and %.2f of a random arm's regret at ε = 2, %d trials of %d rounds", of[1], of[2], of[3], of[4], n, rounds)
}

func localGrows(lab.Scale) (string, error) {
	var local, joint [2]float64
	for i, dim := range []int{10, 80} {
		table, err := results.Table(fmt.Sprintf("lasso-local-d%d", dim))
		if err != nil {
			return "", err
		}
		if local[i], _, err = final(table, Locally); err != nil {
			return "", err
		}
		if joint[i], _, err = final(table, Jointly); err != nil {
			return "", err
		}
	}
	grows, slowly := local[1]/local[0], joint[1]/joint[0]
	return unless(grows > 8 && grows < 80*math.Log(160)/(10*math.Log(20)) && slowly < 2,
		"%.1f-fold and %.1f-fold; %.0f and %.0f times the joint learner's regret, 20 trials of 100,000 rounds", grows, slowly, local[0]/joint[0], local[1]/joint[1])
}

// assumptionsHold measures the four designs in 40 dimensions. The margin of independent contexts is
// 1/sqrt(pi); it is a share of 4000 rounds or more, with a standard error of 0.025.
func assumptionsHold(s lab.Scale) (string, error) {
	rounds, evidence, holds := cell.Pick(s, 4000, 8000, 8000), "", true
	for _, e := range designs(0.7) {
		e.Dim, e.Leading = 40, true
		a, length := Measure(&e, rounds), math.Sqrt(40)
		evidence += fmt.Sprintf("%s: C = %.2f, least eigenvalue %.2f, |x| up to %.1f. ", e.Design, a.Margin, a.All, a.Norm)
		holds = holds && a.Margin > 0.3 && a.Margin < 0.7 && min(a.All, a.Best) > 0.1
		switch e.Design {
		case environment.Spherical:
			holds = holds && a.Norm < length+1e-9
		case environment.Independent:
			holds = holds && math.Abs(a.Margin-1/math.Sqrt(math.Pi)) < 0.1 && a.Norm > 1.3*length
		default:
			holds = holds && a.Norm > 1.3*length
		}
	}
	return unless(holds, "%d rounds: %s", rounds, evidence)
}

func theoremsVacuous(lab.Scale) (string, error) {
	table, err := results.Table("lasso-sparse-d100")
	if err != nil {
		return "", err
	}
	regret, _, err := final(table, Name(Refined, 0.5))
	if err != nil {
		return "", err
	}
	evidence, holds := "", true
	for i, at := range Bounds(100, 16_000) {
		for _, horizon := range []float64{1e3, 16_000, 1e6, 1e8} {
			holds = holds && Bounds(100, horizon)[i] > RandomArm*horizon
		}
		evidence += fmt.Sprintf("Theorem %d: %.0f times. ", i+2, at/regret)
		holds = holds && at > 100_000*regret
	}
	return unless(holds, "%s(refined, ε = 0.5, 100 trials: %.0f)", evidence, regret)
}
