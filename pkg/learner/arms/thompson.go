package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Thompson is Thompson sampling with Beta posteriors (Thompson 1933; Agrawal and Goyal 2012). In
// each round it plays the arm with the largest draw of
//
//	Beta(1 + n mean, 1 + n (1 - mean))
//
// for n rewards in [0, 1] of an arm: the posterior of a uniform prior, if rewards are 0 or 1. The
// draws are from the learner's own stream.
type Thompson struct{}

var _ learner.Policy[privacy.Means] = Thompson{}

// Learner returns Thompson sampling, which is not private.
func (l Thompson) Learner() learner.Private[privacy.Means] {
	return learner.New(l, tally.Counts{})
}

// Prepare validates.
func (Thompson) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepare("Thompson", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &thompson{newPosterior(p, own)}
	})
}

type thompson struct{ posterior }

// Act appends the arm with the largest draw.
func (l *thompson) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	return l.largest(broadcast, 0, v.Round, dst)
}

// Explain appends the means, and the draws as indices.
func (l *thompson) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.explain(broadcast, 0, v.Round, dst)
}
