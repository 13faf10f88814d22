package arms

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TopTwo finds the best arm and stops, wrong with a probability of at most Delta. Until then it
// explores, whatever the regret; afterwards it plays the arm that it recommends. When it stops, and
// with which arm, follows from what was released, and costs no privacy.
//
// It plays one of two arms: the leader i with the best mean, and the challenger j of the least W(i,
// j) + ln n_j, where W is the evidence that i is better (see transport) and n_j the rewards in j's
// mean. The leader's probability, by the learner's own stream, is the share of W that is of i (You,
// Qin, Wang, Yang 2023). It stops if, for the leader i and each other arm j,
//
//	W - ln(1 + W) >= ln((K-1)/Delta) + ln(b_i (b_i+1)) + ln(b_j (b_j+1)),
//
// with b for how often an arm was looked at: when its first batch is full, and then each time that
// its rewards are a fifth more. If two arms are the best, it may never stop.
//
// Leader, challenger and sums that keep their noise are those of DP-TT (Jourdan and Azize 2025),
// Algorithm 1 of which is on their poster. DP-TT chooses in every round, and plays the leader every
// other time. Its first batch is one reward, and its threshold a sum of ln(1/Delta) + ln n ln(1 +
// epsilon n/ln n) for both arms, up to constants that the poster leaves open. The exponents in W
// and the threshold here are our own, with this proof.
//
// Let i be worse than the best arm j. The rewards of an arm and its noise do not depend on the
// other's, and the counts n at which it is looked at are fixed. So after b and b' looks the
// exponents D_i at the mean of i and D_j at that of j are independent, and by Chernoff's inequality
// each exceeds x with probability exp(-x) at most. As D_i decreases in u and D_j increases, W is at
// most their sum, and exceeds c with probability (1 + c) exp(-c) at most. Hence the test is passed
// after these looks with probability Delta/((K-1) b (b+1) b' (b'+1)) at most, and the sum over all
// b and b' and the K-1 arms i is Delta.
//
// DP-TT is proved to stop within 8 times [BestArmBound] as Delta falls: 2 for its threshold, 2 for
// batches that double, and 2 for equal shares of the two arms. Of these the threshold here has 1,
// and the shares too if they settle, which is not proved.
type TopTwo struct {
	Epsilon float64 // of the statistic, > 0, no default; +Inf means that its means have no noise
	Delta   float64 // probability of a wrong recommendation, in (0, 1), no default
}

var _ learner.Policy[privacy.Means] = TopTwo{}

// Private returns TopTwo over all batches of an arm. The first has 32/epsilon rewards, and each
// later one doubles the number of rewards of the arm. It is epsilon-DP in the central model, one
// reward replaced. delta is the probability of a wrong recommendation, not a part of the privacy.
func (l TopTwo) Private(epsilon, delta float64) learner.Private[privacy.Means] {
	l.Epsilon, l.Delta = epsilon, delta
	return learner.New(l, cumulative(32, epsilon, 2))
}

// Local returns TopTwo in the local model: each user's device sends one randomised bit, as
// in [KLUCB.Local]. The bits of the best arm have the best mean.
func (l TopTwo) Local(epsilon, delta float64) learner.Private[privacy.Means] {
	l.Epsilon, l.Delta = math.Inf(1), delta
	return learner.New(l, tally.Response{Epsilon: epsilon})
}

// Prepare validates.
func (l TopTwo) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := errors.Join(checkEpsilon("TopTwo", l.Epsilon), checkVerdict("TopTwo", l.Delta, p)); err != nil {
		return nil, err
	}
	return prepare("TopTwo", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &topTwoRule{estimates: newEstimates(p), pair: pair{own: own}, epsilon: l.Epsilon,
			log: portable.Log(float64(p.Arms-1)) - portable.Log(l.Delta), at: make([]look, p.Arms)}
	})
}

// look is what a rule has looked at of an arm.
type look struct {
	looked
	draws, number float64 // of releases, and of looks
	next          int     // count at which it looks again
}

// topTwoRule is the rule of [TopTwo].
type topTwoRule struct {
	estimates
	pair
	verdict
	epsilon, log float64 // log: ln((K-1)/Delta)
	at           []look
}

// Learn stops, or chooses the leader and the challenger.
func (l *topTwoRule) Learn(r *privacy.Means) ([]float64, error) {
	if l.stopped > 0 || !l.look(r) {
		return l.told[:], nil
	}
	if l.unseen < len(l.of) {
		return l.tell(l.unseen, l.unseen, 0.5)
	}
	for a := range l.at {
		if l.at[a].mean > l.at[l.best].mean {
			l.best = a
		}
	}
	leader, sure := &l.at[l.best], true
	challenger, share, least := l.best, 0.5, math.Inf(1)
	for a := range l.at {
		if a == l.best {
			continue
		}
		other := &l.at[a]
		w, part := transport(l.epsilon, &leader.looked, &other.looked)
		if cost := w + portable.Log(other.count); cost < least {
			challenger, share, least = a, part, cost
		}
		sure = sure && w-portable.Log1p(w) >= l.log+leader.union()+other.union()
	}
	if sure {
		l.stopped = r.Records
		return l.tell(l.best, l.best, 0.5)
	}
	return l.tell(l.best, challenger, share)
}

// look looks at the arms whose turn it is, and reports whether there is one. Before the first
// record there is none, and the first arm is played.
func (l *topTwoRule) look(r *privacy.Means) (any bool) {
	l.take(r)
	for _, a := range r.Changed {
		of, at := &l.of[a], &l.at[a]
		if at.draws++; of.Count < at.next {
			continue
		}
		at.number++
		at.looked = looked{of.Mean, float64(of.Count), at.draws}
		at.next = of.Count + 1 + of.Count/5
		any = true
	}
	return any
}

// union returns ln(b (b+1)).
func (l *look) union() float64 { return portable.Log(float64(l.number * (l.number + 1))) }

// Explain appends the means. There are no indices: the leader has the best mean, and a coin says
// whether its challenger is played.
func (l *topTwoRule) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return l.means(dst, func(int) float64 { return math.NaN() }), nil
}
