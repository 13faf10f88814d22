package privacytest_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// fives is a rule of batches: three of five rounds.
type fives struct{}

func (fives) Length(i int, _ privacy.Setup) int {
	if i < 3 {
		return 5
	}
	return 0
}

func batches() map[string]privacytest.Case[privacy.Means] {
	all := make(map[string]privacytest.Case[privacy.Means])
	for name, b := range map[string]privacy.Budget{"Laplace": pure, "Gaussian": approximate} {
		c := weights(tally.RoundBatches{Budget: b, Lengths: fives{}}, false)
		all[name] = c
	}
	return all
}

func TestRoundBatches(t *testing.T) {
	for name, c := range batches() {
		t.Run(name, func(t *testing.T) { privacytest.Statistic(t, c) })
		t.Run(name+", probed", func(t *testing.T) { privacytest.Probe(t, c) })
	}
}

// TestCoreSet: core-set elimination chooses by broadcast and view, and keeps its claim.
func TestCoreSet(t *testing.T) {
	problem := bandit.Problem{Arms: 6, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -0.5, RewardMax: 0.5}
	for name, b := range map[string]privacy.Budget{"Laplace": {Epsilon: 50}, "Gaussian": {Epsilon: 50, Delta: 0.01}} {
		t.Run(name, func(t *testing.T) {
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Means]{
				Policy:    linear.CoreSet{},
				Statistic: tally.RoundBatches{Budget: b, Lengths: linear.CoreSetBatches{}},
				Problem:   problem, Rounds: 200,
			})
		})
	}
	privacytest.Learner(t, privacytest.LearnerCase{
		Learner: linear.CoreSet{}.Private(pure), Problem: problem,
	})
}
