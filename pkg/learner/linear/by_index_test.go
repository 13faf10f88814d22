package linear_test

import (
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// upper is LinUCB by its formula.
type upper struct{ linear.UCB }

func (l upper) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	return linear.ByIndex(l.UCB, p, horizon, r, l)
}

func (upper) Index(k linear.Known) float64 { return k.Mean + k.Width }

// TestByIndex: LinUCB's formula plays what LinUCB plays, over exact and noisy sums, and a formula
// that draws keeps the promises of a learner.
func TestByIndex(t *testing.T) {
	env := environment.UnitFeatures{Dim: 4, Arms: 12}
	tree := continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}}
	for _, sums := range []privacy.Accumulator{nil, tree} {
		want, _ := learnertest.Choices(t, env, learner.New(linear.UCB{}, sums), 2000, true)
		if got, _ := learnertest.Choices(t, env, learner.New(upper{}, sums), 2000, true); !slices.Equal(got, want) {
			t.Errorf("over %T: the formula of LinUCB plays other arms", sums)
		}
	}
	bandittest.Learner(t, learner.New(perturbed{Scale: 0.1}, tree), env, bandittest.LearnerOptions{Seed: 1, Rounds: 100})
	privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{Policy: perturbed{Scale: 0.1}, Statistic: tree, Problem: env.Problem()})
}
