package sparse_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/mechanism/episodes"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestFLIPHATConformance(t *testing.T) {
	for name, change := range map[string]func(h *episodes.NoisyIHT){
		"sound":  func(*episodes.NoisyIHT) {},
		"gumbel": func(h *episodes.NoisyIHT) { h.Gumbel = true },
		"public": func(h *episodes.NoisyIHT) { h.Calibration, h.Unclipped = privacy.AsPublished, true },
	} {
		if testing.Short() && name == "gumbel" {
			continue // calibrated for long
		}
		t.Run(name, func(t *testing.T) {
			l := sparse.FLIPHAT{}.Private(privacy.Budget{Epsilon: 10, Delta: 1e-5}, 2, 1.5)
			h := l.Statistic.(episodes.NoisyIHT)
			h.Lengths, h.Rate = episodes.Growing{Least: 10, Factor: 12}, 0.6 // a later end of an episode allocates
			change(&h)
			l.Statistic = h
			bandittest.Learner(t, l,
				environment.Sparse{Dim: 12, Sparsity: 2, Arms: 4},
				bandittest.LearnerOptions{Seed: 1, Rounds: 150})
		})
	}
}

func TestPrivateThresholdedLassoConformance(t *testing.T) {
	bandittest.Learner(t, sparse.PrivateThresholdedLasso{}.Private(privacy.Budget{Epsilon: 1e6, Delta: 1e-5}, 2),
		environment.Sparse{Dim: 12, Sparsity: 2, Arms: 4},
		bandittest.LearnerOptions{Seed: 1, Rounds: 200})
}

// With little noise both find the arm that is best.
func TestSparseRivalsLearn(t *testing.T) {
	little := privacy.Budget{Epsilon: 1e4, Delta: 0.01}
	hard := sparse.FLIPHAT{}.Private(little, 2, 1.5)
	iht := hard.Statistic.(episodes.NoisyIHT)
	iht.Step = 0.1
	if testing.Short() { // exact accounting takes long
		iht.Calibration = privacy.AsPublished
	}
	hard.Statistic = iht
	printed := sparse.PrivateThresholdedLasso{}.Private(privacy.Budget{Epsilon: 1e9, Delta: 0.01}, 2)
	lasso := printed.Statistic.(episodes.ThresholdedLasso)
	lasso.Repairs.TwoSided = true
	printed.Statistic = lasso
	for name, l := range map[string]bandit.Learner{"FLIPHAT": hard, "printed": printed} {
		regret, chance := late(t, environment.Sparse{Dim: 20, Sparsity: 2}, l, 4000, 2000)
		if !(regret < 0.05*chance) {
			t.Errorf("%s: regret %.1f in the second half, %.1f at random", name, regret, chance)
		}
	}
}

// late plays a learner, and returns its regret in the rounds after a number of them, and that of
// random arms.
func late(t *testing.T, env bandit.Environment, l bandit.Learner, horizon, after int) (regret, chance float64) {
	t.Helper()
	own := random.New(7, 0, "random arms")
	err := simulate.Play(env, l, horizon, 7, func(r *simulate.Round) {
		if r.Round > after {
			regret += r.Trial.Regret(r.Played)
			chance += r.Trial.Regret([]int{own.IntN(r.Arms)})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return regret, chance
}
