package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaPTT is AdaP-TT (Azize, Jourdan, Al Marjani and Basu 2023). It finds the best arm and stops,
// wrong with a probability of at most Delta. Before it stops it explores, whatever the regret;
// afterwards it plays the arm that it recommends. The round in which it stops, and the arm, follow
// from what was released, and cost no privacy.
//
// It reads the mean m of the n rewards in [0, 1] of an arm's last batch, and the scale z of the
// noise in it, 1/(epsilon n). An arm's batches have 1, 1, 2, 4, ... rewards. When one is full, in
// round t, it chooses two arms, and plays either with probability 1/2, by the learner's own stream:
//
//   - the leader has the largest m + sqrt(ln t/(2 n)) + ln t z;
//   - the challenger j of leader i has the least (m_i - m_j + 1/(1 + sqrt t))/sqrt(1/n_i + 1/n_j).
//
// The authors' program chooses a challenger in every round, by all rewards so far instead of n. It
// stops if the best mean is far enough above all others, by a likelihood-ratio test; see glr.
type AdaPTT struct {
	Delta float64 // probability of a wrong recommendation, in (0, 1), no default
	AsRun bool    // by the threshold of the authors' program, which is smaller and not proved
}

var _ learner.Policy[privacy.Means] = AdaPTT{}

// Private returns AdaP-TT, epsilon-DP in the central model, one reward replaced. delta is the
// probability of a wrong recommendation, not a part of the privacy.
func (l AdaPTT) Private(epsilon, delta float64) learner.Private[privacy.Means] {
	l.Delta = delta
	return learner.New(l, doubling(privacy.Budget{Epsilon: epsilon}))
}

// Prepare validates.
func (l AdaPTT) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checkVerdict("AdaPTT", l.Delta, p); err != nil {
		return nil, err
	}
	return prepare("AdaPTT", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &AdaPTTRule{ucb: newUCB(p), pair: pair{own: own}, test: glr{l.Delta, l.AsRun}}
	})
}

// AdaPTTRule is the rule of [AdaPTT].
type AdaPTTRule struct {
	ucb
	pair
	verdict
	test glr
}

// Learn stops, or chooses the leader and the challenger.
func (l *AdaPTTRule) Learn(r *privacy.Means) ([]float64, error) {
	if l.stopped > 0 {
		return l.tell(l.best, l.best, 0.5)
	}
	l.read(r)
	lead, err := l.follow(r, l)
	leader := int(lead[0])
	if err != nil || l.unseen < len(l.of) {
		return l.tell(leader, leader, 0.5)
	}
	l.best = 0
	for a := range l.of {
		if l.of[a].Mean > l.of[l.best].Mean {
			l.best = a
		}
	}
	if l.test.sure(l.of, l.best) {
		l.stopped = r.Records
		return l.tell(l.best, l.best, 0.5)
	}
	return l.tell(leader, l.challenger(leader, 1/(1+math.Sqrt(float64(l.round)))), 0.5)
}

// Lead returns by how much the best mean is above another, and the threshold for this difference:
// of all other arms, the one for which the threshold is the farthest off. It stops when no lead is
// below its threshold. Until all arms were seen, the lead is 0 and the threshold +Inf.
func (l *AdaPTTRule) Lead() (lead, threshold float64) { return l.test.lead(l.of, l.best) }

// challenger returns the arm that is the least sure to be worse than the leader.
func (l *AdaPTTRule) challenger(leader int, more float64) int {
	best, least := -1, 0.0
	for a := range l.of {
		if a == leader {
			continue
		}
		cost := (l.of[leader].Mean - l.of[a].Mean + more) / math.Sqrt(variance(&l.of[leader], &l.of[a]))
		if best < 0 || cost < least {
			best, least = a, cost
		}
	}
	return best
}

// Explain appends the means and their upper confidence bounds. There are no indices: the leader has
// the largest bound, and a coin says whether its challenger is played.
func (l *AdaPTTRule) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	n, by := len(dst), *l
	dst, err := l.bounds(dst, &by)
	for i := range dst[n:] {
		if !math.IsInf(dst[n+i].Index, 1) {
			dst[n+i].Index = math.NaN()
		}
	}
	return dst, err
}

func (l *AdaPTTRule) at(log float64) { l.byWidth, l.byNoise = math.Sqrt(log/2), log }
