package arms

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// KLUCB is KL-UCB (Garivier and Cappé 2011) and, for a finite Epsilon, DP-KLUCB (Azize, Wu, Honda,
// Orabona, Ito, Basu 2025). It plays the arm with the largest index
//
//	max{q <= 1: n d(mean, q) <= ln t},   d = d_Epsilon,
//
// for n rewards in [0, 1] of an arm; see [DEps] for d. Logarithms are natural. An index is exact to
// 2^-34 and rounded to a multiple of it, so that equal estimates tie.
type KLUCB struct {
	Epsilon float64 // of the statistic, > 0, no default; +Inf means KL-UCB
}

var _ learner.Policy[privacy.Means] = KLUCB{}

// Learner returns KL-UCB, which is not private.
func (l KLUCB) Learner() learner.Private[privacy.Means] {
	l.Epsilon = math.Inf(1)
	return learner.New(l, tally.Counts{})
}

// Private returns DP-KLUCB over all batches of an arm. After the first of 16/epsilon rewards,
// each makes the number of rewards of the arm ratio times as large; near 1.2 is good. It is
// epsilon-DP in the central model, one reward replaced.
func (l KLUCB) Private(epsilon, ratio float64) learner.Private[privacy.Means] {
	l.Epsilon = epsilon
	return learner.New(l, cumulative(16, epsilon, ratio))
}

// Local returns KL-UCB in the local model (Ren, Zhou, Liu, Shroff 2020): each user's device
// sends one randomised bit. It is epsilon-DP, one user's reward replaced.
func (l KLUCB) Local(epsilon float64) learner.Private[privacy.Means] {
	l.Epsilon = math.Inf(1)
	return learner.New(l, tally.Response{Epsilon: epsilon})
}

// Prepare validates.
func (l KLUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checkEpsilon("KLUCB", l.Epsilon); err != nil {
		return nil, err
	}
	return prepare("KLUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		rule := &klUCB{leader: newLeader(p), epsilon: l.Epsilon, upper: make([]bernoulli.Upper, p.Arms)}
		rule.race.top = 1
		return rule
	})
}

type klUCB struct {
	leader
	epsilon, log float64
	upper        []bernoulli.Upper
	below        bernoulli.Below
}

// Learn chooses the arm with the largest index.
func (l *klUCB) Learn(r *privacy.Means) ([]float64, error) {
	l.take(r)
	return l.follow(r, l)
}

// Explain appends the means, and the indices in the unit of rewards: those of the last release.
func (l *klUCB) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	by := *l
	by.upper = slices.Clone(l.upper)
	return l.bounds(dst, &by)
}

func (l *klUCB) at(log float64) { l.log = log }

// above goes by kl, which is not less than d.
func (l *klUCB) above(a int, x float64) bool {
	of := &l.of[a]
	return l.below.At(clipped(of.Mean), x, l.log/float64(of.Count))
}

func (l *klUCB) bound(a int) float64 {
	of := &l.of[a]
	return bernoulli.UpperDEps(&l.upper[a], l.epsilon, clipped(of.Mean), l.log/float64(of.Count))
}
