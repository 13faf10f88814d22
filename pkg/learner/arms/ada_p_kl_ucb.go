package arms

import (
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaPKLUCB is AdaP-KLUCB (Azize and Basu 2022). When a batch is full it chooses the arm of the
// next one, that with the largest index
//
//	max{q <= 1: n kl(m, q) <= Alpha ln t},   m = mean + Alpha ln t z, moved into [0, 1],
//
// for the mean of the n rewards in [0, 1] of an arm's last batch. z is the scale of the noise in
// it, 1/(epsilon n). Logarithms are natural. An arm's batches have 1, 1, 2, 4, ... rewards.
type AdaPKLUCB struct {
	Alpha float64 // > 0; 0 means 3.1. The regret bound needs > 3
}

var _ learner.Policy[privacy.Means] = AdaPKLUCB{}

// Private returns AdaP-KLUCB, epsilon-DP in the central model, one reward replaced.
func (l AdaPKLUCB) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, doubling(privacy.Budget{Epsilon: epsilon}))
}

// Prepare validates.
func (l AdaPKLUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("AdaPKLUCB", "Alpha", l.Alpha, 3.1); err != nil {
		return nil, err
	}
	return prepare("AdaPKLUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		rule := &adaPKLUCB{leader: newLeader(p), alpha: checks.Or(l.Alpha, 3.1), upper: make([]bernoulli.Upper, p.Arms)}
		rule.race.top = 1
		return rule
	})
}

type adaPKLUCB struct {
	leader
	alpha, level float64
	upper        []bernoulli.Upper
}

// Learn chooses the arm with the largest index.
func (l *adaPKLUCB) Learn(r *privacy.Means) ([]float64, error) {
	l.take(r)
	return l.follow(r, l)
}

// Explain appends the means, and the indices in the unit of rewards: those of the last release.
func (l *adaPKLUCB) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	by := *l
	by.upper = slices.Clone(l.upper)
	return l.bounds(dst, &by)
}

func (l *adaPKLUCB) at(log float64) { l.level = l.alpha * log }

func (l *adaPKLUCB) above(a int, x float64) bool { return l.bound(a) > x }

func (l *adaPKLUCB) bound(a int) float64 {
	of := &l.of[a]
	m := of.Mean + float64(l.level*of.Tail.Linear)
	return l.upper[a].At(clipped(m), l.level/float64(of.Count))
}
