package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaPUCB is AdaP-UCB (Azize and Basu 2022). When a batch is full it chooses the arm of the next
// one, that with the largest upper confidence bound
//
//	mean + sqrt(Alpha ln t/(2 n)) + Alpha ln t z,
//
// for the mean of the n rewards in [0, 1] of an arm's last batch. z is the scale of the noise in
// it, 1/(epsilon n). Logarithms are natural. An arm's batches have 1, 1, 2, 4, ... rewards.
type AdaPUCB struct {
	Alpha float64 // > 0; 0 means 3.1. The regret bound needs > 3
}

var _ learner.Policy[privacy.Means] = AdaPUCB{}

// Private returns AdaP-UCB, epsilon-DP in the central model, one reward replaced.
func (l AdaPUCB) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, doubling(privacy.Budget{Epsilon: epsilon}))
}

// doubling returns batches that double the number of an arm's rewards, of which the last counts.
func doubling(b privacy.Budget) tally.Batches {
	return tally.Batches{Budget: b, Lengths: tally.Geometric{First: 1, Ratio: 2}}
}

// Prepare validates.
func (l AdaPUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("AdaPUCB", "Alpha", l.Alpha, 3.1); err != nil {
		return nil, err
	}
	return prepare("AdaPUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		alpha := checks.Or(l.Alpha, 3.1)
		return &timed{newUCB(p), alpha / 2, alpha}
	})
}
