package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LazyThompson is Lazy-DP-TS (Hu and Hegde 2022). In round t it plays the arm with the largest draw
// of
//
//	Beta(1 + n m, 1 + n (1 - m)),   m = mean + 3 ln t z, moved into [0, 1],
//
// for the mean of the n rewards in [0, 1] of an arm's last batch. z is the scale of the noise in
// it, 1/(epsilon n). Logarithms are natural. An arm's batches have 1, 2, 4, ... rewards. The draws
// are from the learner's own stream.
type LazyThompson struct {
	Boost float64 // multiplies ln t z, > 0; 0 means 3, as published
}

var _ learner.Policy[privacy.Means] = LazyThompson{}

// Private returns Lazy-DP-TS, epsilon-DP in the central model, one reward replaced.
func (l LazyThompson) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}})
}

// Prepare validates.
func (l LazyThompson) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("LazyThompson", "Boost", l.Boost, 3); err != nil {
		return nil, err
	}
	return prepare("LazyThompson", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &lazyThompson{newPosterior(p, own), checks.Or(l.Boost, 3)}
	})
}

type lazyThompson struct {
	posterior
	boost float64
}

// Act appends the arm with the largest draw.
func (l *lazyThompson) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	return l.largest(broadcast, l.boost, v.Round, dst)
}

// Explain appends the means, and the draws as indices.
func (l *lazyThompson) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.explain(broadcast, l.boost, v.Round, dst)
}
