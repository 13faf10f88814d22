package suite

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// sparseRows is the number of rows of each episode that the audits of sparse models attack, in
// three dimensions. All are the same but for the last, which raises the score of one coordinate and
// lowers that of another in one world, and the other way round in the other.
const sparseRows = 8

// soundSparse audits the statistics of sparse linear models, and the local device.
func soundSparse(e Effort) []audit.Item {
	runs := pick(e, 40_000, 200_000, 1_000_000)
	lengths := episodes.Growing{Least: sparseRows, Factor: 1}
	value := func(of []float64) float64 {
		if len(of) == 0 {
			return 0
		}
		return of[0]
	}
	first := func(of []int) float64 {
		if len(of) == 0 {
			return -1
		}
		return float64(of[0])
	}
	hard := func(r *episodes.SparseTheta, out []float64) { out[0], out[1] = first(r.Support), value(r.Theta) }
	gram := func(r *episodes.SparseGram, out []float64) {
		out[0], out[1], out[2] = first(r.Support), value(r.Gram), value(r.Cross)
	}
	// Its step is so small that no estimate is at the end of its range.
	iht := func(h episodes.NoisyIHT) episodes.NoisyIHT {
		h.Budget, h.Sparsity, h.L1, h.Step, h.Rate, h.Lengths = Budget, 1, 1, 1e-3, 0.6, lengths
		return h
	}
	return []audit.Item{
		chosen("sparse episodes", runs, 4, 2, episodes.SparseEpisodes{Budget: Budget, Lengths: lengths,
			Phases: []episodes.Phase{{Picks: 1, Share: 0.5, Norm: 1, Reward: 1}}}, gram),
		sparseItem("sparse episodes, refined by residuals", runs, 2, 4, 3, episodes.SparseEpisodes{Budget: Budget, Lengths: lengths, Refine: true,
			Phases: []episodes.Phase{{Picks: 1, Share: 0.5, Norm: 1, Reward: 1}, {Norm: 1, Reward: 0.5}}}, gram),
		chosen("top scores", runs, 4, 0, episodes.TopScores{Budget: Budget, Picks: 1, Lengths: lengths}, func(r *episodes.Support, out []float64) { out[0] = first(r.Of) }),
		chosen("hard thresholding", runs, 4, 1, iht(episodes.NoisyIHT{}), hard),
		chosen("hard thresholding by the published lemma", runs, 4, 1, iht(episodes.NoisyIHT{Calibration: privacy.AsPublished}), hard),
		chosen("hard thresholding under Gumbel noise", runs, 4, 1, iht(episodes.NoisyIHT{Gumbel: true}), hard),
		lastRowOfLasso(sparseItem("thresholded LASSO, mended", runs/5, 1, 0, 3, mendedLasso(), gram)),
		sparseBitsItem(runs),
	}
}

// sparseItem audits what a statistic releases after some episodes. numbers writes a release. The
// first lean rows of an episode favour coordinate 1: where a choice is all that is shown, the rare
// one tells more than an even one.
func sparseItem[R any](name string, runs, episodes, lean, outputs int, statistic privacy.Statistic[R],
	numbers func(r *R, out []float64)) audit.Item {
	of := opened(statistic.Open(sparseSetup(episodes)))
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			return addSparse(of.Start(privacy.NewNoise(source)), world, episodes, lean, numbers, out)
		},
	}
}

// chosen audits by its likelihood what a statistic releases after an episode: a coordinate, and so
// many values.
func chosen[R any](name string, runs, lean, values int, statistic privacy.Statistic[R], numbers func(r *R, out []float64)) audit.Item {
	setup := sparseSetup(1)
	of := opened(statistic.Open(setup))
	return choice{candidates: setup.Dim - 1, values: values, release: func(world int, noise *privacy.Noise, out []float64) error {
		return addSparse(of.Start(noise), world, 1, lean, numbers, out)
	}}.item(name, privacy.ClaimOf(of), runs)
}

// sparseSetup is that of some episodes.
func sparseSetup(episodes int) privacy.Setup {
	return privacy.Setup{Dim: 4, Horizon: episodes*sparseRows + 1}
}

// addSparse adds the rows of a world, and writes the last release to out.
func addSparse[R any](m privacy.Stream[R], world, episodes, lean int, numbers func(r *R, out []float64), out []float64) error {
	// Rows of two equal coordinates give both the same score, far from 0, so that no sign is lost.
	y := []float64{1e3}
	background, leaning := privacy.Record{X: []float64{1e3, 1e3, 0}, Y: y}, privacy.Record{X: []float64{0, 1e3, 0}, Y: y}
	far := [2]privacy.Record{{X: []float64{1e3, -1e3, 0}, Y: y}, {X: []float64{-1e3, 1e3, 0}, Y: y}}
	for i := range episodes * sparseRows {
		row := &background
		if i%sparseRows < lean {
			row = &leaning
		}
		if i == episodes*sparseRows-1 {
			row = &far[world]
		}
		if _, err := m.Add(row); err != nil {
			return err
		}
	}
	numbers(m.Release(), out)
	return nil
}

// lastRowOfLasso says what there is to see of the last row: it comes after the last fit, so that
// only the tree of Wishart noise holds it.
func lastRowOfLasso(item audit.Item) audit.Item {
	m := item.(audit.Mechanism)
	l := opened(mendedLasso().Open(privacy.Setup{Dim: 4, Horizon: sparseRows + 1}))
	plan := privacy.PlanOf(l, privacy.All)
	for _, release := range plan.Cases[0] {
		if release.Law.Kind == "Wishart" {
			plan.Cases = [][]privacy.Release{{release}}
			m.AtMost = exactly(plan.Event(), m.Claim.Delta)
			return m
		}
	}
	panic("suite: the thresholded LASSO releases nothing under Wishart noise")
}

func mendedLasso() episodes.ThresholdedLasso {
	return episodes.ThresholdedLasso{Budget: Budget, Sparsity: 1, Reward: 1, Row: 1, Repairs: episodes.Repairs{
		Sensitivity: true, Threshold: true, Screen: true, Bound: true, Freedom: true, Split: true, TwoSided: true,
	}}
}

// sparseBitsItem audits an answer of the local device.
func sparseBitsItem(runs int) audit.Item {
	problem := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	d, err := sparse.SparseBitsDevice{Bits: sparse.SparseBits{Budget: privacy.Budget{Epsilon: 1}, Sparsity: 1, Signal: 1}}.Open(problem, 1000)
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(d))
	return audit.Mechanism{
		Name: "sparse bits", Claim: claim, Curve: curve, Exact: 1, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			m, err := d.Start().Report([]float64{1, 0}, []float64{0, []float64{1, -1}[world]}, 1, privacy.NewNoise(source), nil)
			if err == nil {
				out[0] = m[0]
			}
			return err
		},
	}
}
