package learner_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

func TestConformance(t *testing.T) {
	for name, sums := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t,
				learner.New(linear.UCB{}, sums),
				environment.DecisionSets{Dim: 4, Arms: 12, Gap: 0.1},
				bandittest.LearnerOptions{Seed: 1, Equivariant: true, Rounds: 150})
		})
	}
	for name, l := range map[string]linear.UCB{
		"d=12": {}, "optimal shift": {OptimalShift: true}, "rho_min": {RhoMin: 3, Alpha: 0.01, Sigma: 2, ThetaNorm: 3}, "shrink": {Shrink: true},
	} {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t,
				learner.New(l, nil),
				environment.DecisionSets{Dim: 12, Arms: 5, Reward: environment.Gaussian, Fixed: true},
				bandittest.LearnerOptions{Seed: 1, Equivariant: true, Rounds: 150})
		})
	}
}
