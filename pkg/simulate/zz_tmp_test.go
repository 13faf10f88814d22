package simulate_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestZZ(t *testing.T) {
	env := func() bandit.Environment { return &environment.DecisionSets{Dim: 4, Arms: 10, Gap: 0.1} }
	t.Run("env", func(t *testing.T) { bandittest.Environment(t, env) })
	t.Run("envg", func(t *testing.T) {
		bandittest.Environment(t, func() bandit.Environment {
			return &environment.DecisionSets{Dim: 4, Arms: 10, Gap: 0.1, Reward: environment.Gaussian, Fixed: true}
		}, bandittest.EnvironmentOptions{UnboundedRewards: true})
	})
	lin := func() bandit.Learner { return &learner.LinUCB{} }
	priv := func() bandit.Learner {
		return &learner.LinUCB{Sums: &mechanism.Tree{Noise: &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}}}
	}
	t.Run("lin", func(t *testing.T) { bandittest.Learner(t, lin, env, bandittest.LearnerOptions{Equivariant: true}) })
	t.Run("priv", func(t *testing.T) { bandittest.Learner(t, priv, env, bandittest.LearnerOptions{Equivariant: true}) })
	for _, w := range []int{1, 2} {
		e := &simulate.Experiment{Name: "x", Environment: env, Policies: []simulate.Policy{{Name: "lin", New: lin}, {Name: "priv", New: priv}}, Horizon: 100000, Trials: 8, Seed: 1, Workers: w, Progress: simulate.NewTerminal(nil)}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Curves() {
			n := len(c.Mean) - 1
			t.Log(c.Policy, c.Mean[n], c.SE[n], r.Provenance.Wall, r.Provenance.RoundsPerSecond, r.Policies)
			break
		}
		t.Log(r.Policies[0].Warnings, r.Policies[1].Warnings)
	}
}
