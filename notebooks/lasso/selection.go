package lasso

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// A Selection has the constants of the paper's Algorithm 2 and of its Lemma 3, for SelectionRounds
// rounds and delta = Delta, with the bounds that the toolkit sets by hand: rewards to 1.5, entries
// to 1, phi = 0.5.
type Selection struct {
	Xi    float64 // scale of the threshold's noise; a value has noise of twice that
	Gamma float64 // Γ√s̄
	// Alpha is the accuracy of Lemma 3 with the epsilon and delta of all, as printed, and Each with
	// those that a selection gets.
	Alpha, Each float64
}

// SelectionRounds is the horizon, and SelectionDraws how many selections of one value a trial
// makes.
const (
	SelectionRounds = 16_000
	SelectionDraws  = 1000
)

// NewSelection returns the constants at an epsilon.
func NewSelection(epsilon float64) Selection {
	const reward, context, phi = 1.5, 1, 0.5
	sBar := FromMeasured(phi*phi, reward, context)
	least := 1 + 4*reward*context/(phi*phi)
	episodes := math.Ceil(math.Log2(SelectionRounds))
	delta1 := Delta / (2 * episodes)
	epsilon1 := epsilon / (2 * episodes * math.Log(1/delta1))
	each := epsilon1 / math.Sqrt(8*sBar*math.Log(1/delta1))
	s := Selection{Xi: math.Sqrt(32*math.Log(1/delta1)) / each}
	s.Gamma = (s.Xi*math.Log((1-Delta)/epsilon)-1)/math.Sqrt(math.Log(100)*math.Log(SelectionRounds)) - 1
	alpha := func(epsilon, delta float64) float64 {
		return 128 * sBar / epsilon * math.Log(1/delta) * math.Log(2*SelectionRounds*math.Pow(Sparsity, 1.5)*least*sBar)
	}
	s.Alpha, s.Each = alpha(epsilon, Delta), alpha(epsilon1, delta1)
	return s
}

// Misses returns the probability that a value is not selected that is above the threshold by a
// distance: that of Lap(ξ) - Lap(2ξ) beyond it.
func (s Selection) Misses(distance float64) float64 {
	a := distance / s.Xi
	return (4*math.Exp(-a/2) - math.Exp(-a)) / 6
}

// What a study of the selection measures, after so many rows of random arms.
const (
	selectionRows = 4096

	FalsePositives = "false positives over their bound, φ² = 0.2"
	MissedScreen   = "coordinates that matter and are not in S₀"
	NeededAlpha    = "accuracy needed over Lemma 3's α, ε = 1"
	MissedPrinted  = "a value α above the threshold is missed, ε = 1"
	MissedEach     = "the same, α with the selection's own ε and δ"
)

// selection measures the two thresholds of Algorithm 2 beside their bounds.
func selection(s cell.Scale) []*lab.Study {
	rows, draws := cell.Pick(s, 256, selectionRows, selectionRows), SelectionDraws
	constants := NewSelection(1)
	return []*lab.Study{{
		Name: "lasso-selection", Seed: 2407, Trials: cell.Pick(s, 2, 10, 100), Rounds: rows,
		What: []string{FalsePositives, MissedScreen, NeededAlpha, MissedPrinted, MissedEach},
		Trial: func(trial int) []float64 {
			estimate, theta := screened(rows, trial)
			penalty := 0.1 * math.Sqrt(2*math.Log(float64(rows))*math.Log(float64(len(theta)))/float64(rows))
			noise := privacy.NewNoise(random.Source(2407, trial, "noise"))
			selects := func(value, threshold float64) bool {
				var z [2]float64
				noise.Laplace(z[:1], constants.Xi)
				noise.Laplace(z[1:], 2*constants.Xi)
				return value+z[1] > threshold+z[0]
			}
			extra, missed, needed := 0.0, 0.0, 0.0
			threshold := 4 * penalty * constants.Gamma
			for j, v := range estimate {
				switch in := math.Abs(v) > 4*penalty; {
				case !in && theta[j] != 0:
					missed++
				case !in:
				default:
					if theta[j] == 0 {
						extra++
					}
					if selects(v, threshold) {
						needed = max(needed, threshold-v)
					} else {
						needed = max(needed, v-threshold)
					}
				}
			}
			var above [2]float64
			for range draws {
				for i, alpha := range []float64{constants.Alpha, constants.Each} {
					if !selects(alpha, 0) {
						above[i] += 1 / float64(draws)
					}
				}
			}
			return []float64{extra / (FromMeasured(0.2, 1.5, 1) - 1), missed, needed / constants.Alpha, above[0], above[1]}
		},
	}}
}

// screened returns the LASSO's estimate of Algorithm 2, line 2, from rows of random arms, and
// theta.
func screened(rows, trial int) (estimate, theta []float64) {
	world := check.Try(bandit.OpenWorld(environment.Sparse{RewardClip: 1.5}))
	round := world.Start(random.New(2407, trial, "contexts"))
	rewards, arms := random.New(2407, trial, "rewards"), random.New(2407, trial, "arms")
	solver := check.Try(lasso.Regression{Dim: world.Problem().Dim, Fold: 256}.Open())
	var v bandit.View
	var y [1]float64
	for range rows {
		round.Next(&v)
		arm := arms.IntN(v.Arms)
		round.Pull(rewards, []int{arm}, y[:])
		check.OK(solver.Add(v.Row(arm), y[0]))
	}
	n := float64(rows)
	penalty := 0.1 * math.Sqrt(2*math.Log(n)*math.Log(float64(v.Dim))/n)
	return check.Try(solver.Fit(penalty / 2)), environment.Theta(round) // half: its loss is half the paper's
}

var selectionCaption = fmt.Sprintf("Algorithm 2 as printed, after rows of random arms in 100 dimensions, %d of which matter", Sparsity)
