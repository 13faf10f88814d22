package suite

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// soundSurvey audits the mechanisms of the survey.
func soundSurvey(e Effort) []audit.Item {
	runs, many := pick(e, 20_000, 100_000, 1_000_000), pick(e, 100_000, 200_000, 1_000_000)
	pure := privacy.Budget{Epsilon: 1}
	return []audit.Item{
		prefixSumItem("vector tree, Laplace", runs, continual.VectorTree{Budget: pure}),
		paddedItem("vector tree, padded", many, continual.VectorTree{Budget: pure, Padded: true}),
		prefixSumItem("vector tree, Laplace as published", runs, continual.VectorTree{Budget: pure, Calibration: privacy.AsPublished}),
		prefixSumItem("vector tree, Gaussian", runs, continual.VectorTree{Budget: Budget}),
		prefixSumItem("square root of vectors", runs, continual.VectorSquareRoot{Budget: Budget}),
		prefixSumItem("BLT of vectors", runs, continual.VectorBLT{Budget: Budget}),
		batchesItem("batches of vectors", runs, continual.VectorBatches{Budget: Budget}, func(b *continual.Batch) []float64 { return b.Of }),
		ftrlItem("DP-FTRL", runs, continual.VectorTree{Budget: pure}),
		ftrlItem("DP-FTRL as published", runs, continual.VectorTree{Budget: pure, Calibration: privacy.AsPublished, Padded: true}),
		stoppingItem("stopping rule", 4, 2*many, mechanism.Stopping{}),
		stoppingItem("stopping rule as published", 1, runs, mechanism.Stopping{Calibration: privacy.AsPublished}), // more numbers show less
		stoppingItem("stopping rule, doubling", 4, 2*many, mechanism.Stopping{Doubling: true}),
		batched(1, "round batches, Laplace", runs, pure),
		batched(2, "round batches, Gaussian", pick(e, 200_000, 500_000, 5_000_000), Budget),
		coreSetItem("core sets", played(e), pure), coreSetItem("core sets, Gaussian", played(e), Budget),
		regressionItem("a regression", runs),
		expertsItem("private experts", many),
		answerItem("answers of a query, Laplace", runs, pure),
		answerItem("answers of a query, Gaussian", pick(e, 200_000, 500_000, 5_000_000), Budget),
	}
}

// expertsItem audits the actions that private experts choose after one round and after three, whose
// losses differ in the first. A world favours the first action or all others, which it then tells
// the most to choose, and is rare.
func expertsItem(name string, runs int) audit.Item {
	const actions = 10
	ready, err := online.Experts{Epsilon: 1}.Open(actions)
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(ready))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: 2, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			// Blocks, prefixes and noise are drawn from one source: nothing but noise depends on losses.
			e := ready.Start(rand.New(source), source)
			losses := slices.Repeat([]float64{1e3 - float64(2e3*float64(world))}, actions)
			losses[0] *= -1
			for t := range 3 {
				if err := e.Update(losses); err != nil {
					return err
				}
				if clear(losses); t == 0 {
					out[0] = float64(e.Choose())
				}
			}
			out[1] = float64(e.Choose())
			return nil
		},
	}
}

// threeRounds is a rule of batches: one of three rounds.
type threeRounds struct{}

func (threeRounds) Length(i int, _ privacy.Setup) int { return []int{3, 0}[min(i, 1)] }

// batched audits the sums of two arms that are played in all rounds of a batch. With one output, it
// is a statistic of Laplace noise that tells the worlds apart best.
func batched(outputs int, name string, runs int, b privacy.Budget) audit.Item {
	run := talliedRun{privacy.Setup{Slots: 2, Horizon: 3}, [][]int{{0, 1}, {0, 1}, {0, 1}}, 1, outputs, func(after int, t privacy.Stream[privacy.Means], out []float64) {
		for arm := 0; after == 2 && arm < 2; arm++ {
			if sum := 3 * t.Release().Of[arm].Mean; outputs == 1 {
				out[0] += tellLaplace(sum)
			} else {
				out[arm] = sum
			}
		}
	}}
	return run.item(name, b.Epsilon, runs, tally.RoundBatches{Budget: b, Lengths: threeRounds{}})
}

// largest is a query: the largest weight of a batch.
type largest struct{}

func (largest) Dim(privacy.Setup) int { return 1 }

func (largest) Sensitivity(s privacy.Setup, _ int) privacy.Norms {
	return privacy.Norms{L1: s.Hi - s.Lo}
}

func (largest) Answer(s privacy.Setup, records []privacy.Record, dst []float64) ([]float64, error) {
	most := s.Lo
	for _, r := range records {
		most = max(most, r.Y[0])
	}
	return append(dst, most), nil
}

// answerItem audits the answer to a batch of three weights, of which one is beyond its bounds on
// the one side or the other.
func answerItem(name string, runs int, b privacy.Budget) audit.Item {
	of := opened(tally.Additive{Budget: b, Query: largest{}}.Open(privacy.Setup{Arms: 1, Slots: 1, Horizon: 3, Lo: 0, Hi: 1}))
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Exact: b.Epsilon, Outputs: 1, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			run := of.Start(privacy.NewNoise(source))
			for _, y := range []float64{0, []float64{-1e3, 1e3}[world], -5} {
				if _, err := run.Add(&privacy.Record{Arms: []int{0}, Y: []float64{y}}); err != nil {
					return err
				}
			}
			out[0] = run.Release().Of[0]
			return nil
		},
	}
}

// coreSetItem audits the arms that core-set elimination plays, of two opposite ones on the line:
// the one or the other after the only batch, by the sign of a noisy sum.
func coreSetItem(name string, runs int, b privacy.Budget) audit.Item {
	const rounds = 16
	world := func(reward float64) (s audit.Stream) {
		for t := range rounds {
			r := audit.Round{X: []float64{1, -1}, Rewards: []float64{0, 0}}
			if t == 0 {
				r.Rewards = []float64{reward, -reward}
			}
			s = append(s, r)
		}
		return s
	}
	return audit.Learner{
		Name: name + ": actions", Of: linear.CoreSet{}.Private(b),
		Problem: bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: -0.5, RewardMax: 0.5},
		Worlds:  [2]audit.Stream{world(1e3), world(-1e3)}, Horizon: rounds, Runs: runs,
	}
}

// regressionItem audits the equations of a batch of three rounds by their likelihood. The rewards
// are 0 but for the first, which is beyond its bounds, on the one side or the other.
func regressionItem(name string, runs int) audit.Item {
	of := opened(tally.Regression{Budget: Budget, Lengths: threeRounds{}}.Open(
		privacy.Setup{Dim: 3, Context: 1, Arms: 3, Slots: 1, Horizon: 3, Lo: -1, Hi: 1}))
	release := func(world int, noise *privacy.Noise, out []float64) error {
		run := of.Start(noise)
		for arm, x := range [][]float64{{1, 0}, {0, 1}, {0.6, 0.8}} {
			y := 0.0
			if arm == 0 {
				y = []float64{-1e3, 1e3}[world]
			}
			if _, err := run.Add(&privacy.Record{X: x, Arms: []int{arm}, Y: []float64{y}}); err != nil {
				return err
			}
		}
		copy(out, run.Release().U)
		return nil
	}
	shown, loss, err := audit.LinearOf(2, release)
	must(err)
	shown.Name, shown.Runs = name, runs
	shown.Claim, shown.Curve = audit.Claimed(privacy.ClaimOf(of))
	shown.Exact = exactly(loss, shown.Claim.Delta)
	return shown
}

// ftrlItem audits the predictions of DP-FTRL on the line, over four rounds. Its rate is so small
// that no prediction is at the end of the line. The first loss is beyond its bound, one way or the
// other; the others are 0.
func ftrlItem(name string, runs int, sums continual.VectorTree) audit.Item {
	const rounds = 4
	ready, err := online.FTRL{Gradient: 1, Rate: 1e-6, Sums: sums}.Open(1, rounds)
	must(err)
	claim, curve := audit.Claimed(privacy.ClaimOf(ready))
	return audit.Mechanism{
		Name: name, Claim: claim, Curve: curve, Outputs: rounds - 1, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			l := ready.Start(nil, source)
			loss := []float64{[]float64{-1e3, 1e3}[world]}
			for t := range rounds {
				if t > 0 {
					out[t-1] = l.Predict()[0] * 1e6
				}
				if err := l.Update(loss); err != nil {
					return err
				}
				loss[0] = 0
			}
			return nil
		},
	}
}

// prefixSumItem audits the releases of five vectors in the plane by their likelihood. All are 0 but
// for the first, which is beyond its bound, and points one way or the other.
func prefixSumItem(name string, runs int, statistic privacy.Statistic[continual.Total]) audit.Item {
	return batchesItem(name, runs, statistic, func(t *continual.Total) []float64 { return t.Of })
}

func batchesItem[R any](name string, runs int, statistic privacy.Statistic[R], show func(*R) []float64) audit.Item {
	const dim, vectors = 2, 5
	of := opened(statistic.Open(privacy.Setup{Dim: dim, Horizon: vectors + 1, Bound: 1}))
	release := func(world int, noise *privacy.Noise, out []float64) error {
		return addPrefixes(of.Start(noise), show, dim, world, out)
	}
	shown, loss, err := audit.LinearOf(dim*vectors, release)
	must(err)
	shown.Name, shown.Runs = name, runs
	shown.Claim, shown.Curve = audit.Claimed(privacy.ClaimOf(of))
	shown.Exact = exactly(loss, shown.Claim.Delta)
	return shown
}

// paddedItem audits the two releases of two numbers under the noise of a padded tree. A release is
// under the noise of two nodes, of which it shows the sum z: its density is that of 1 + |z| times
// that of a node. The second number is 0, and the first is in both releases; their ratio nears all
// of epsilon where z is large.
func paddedItem(name string, runs int, statistic privacy.Statistic[continual.Total]) audit.Item {
	const numbers = 2
	of := opened(statistic.Open(privacy.Setup{Dim: 1, Horizon: numbers + 1, Bound: 1}))
	show := func(t *continual.Total) []float64 { return t.Of }
	scale := 0.0 // as it is drawn
	var at [2][]float64
	for w := range at {
		at[w] = make([]float64, numbers)
		must(addPrefixes(of.Start(privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
			clear(dst)
			scale = law.Scale
		})), show, 1, w, at[w]))
	}
	claim, curve := audit.Claimed(privacy.ClaimOf(of))
	return audit.Likelihood{
		Name: name, Claim: claim, Curve: curve, Exact: claim.Epsilon, Runs: runs, Outputs: numbers,
		Density: func(world int, out []float64) (sum float64) {
			for i, v := range out {
				z := math.Abs(v-at[world][i]) / scale
				sum += portable.Log1p(z) - z
			}
			return sum
		},
		Release: func(world int, source rand.Source, out []float64) error {
			return addPrefixes(of.Start(privacy.NewNoise(source)), show, 1, world, out)
		},
	}
}

// addPrefixes adds the vectors of a world, and writes the releases to out.
func addPrefixes[R any](m privacy.Stream[R], show func(*R) []float64, dim, world int, out []float64) error {
	r := privacy.Record{X: make([]float64, dim)}
	for i := range r.X {
		r.X[i] = 1e3 * float64(1-2*world)
	}
	for ; len(out) > 0; out = out[dim:] {
		if _, err := m.Add(&r); err != nil {
			return err
		}
		copy(out, show(m.Release()))
		r.X = make([]float64, dim)
	}
	return nil
}
