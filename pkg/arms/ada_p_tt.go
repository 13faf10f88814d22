package arms

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
// The authors' program chooses a challenger in every round, by all rewards so far instead of n.
//
// It stops if the best mean m_i is far enough above each other mean m_j of K arms:
//
//	(m_i - m_j)^2/(2 w) >= c + (z_i + z_j)^2 l^2/w,   w = 1/n_i + 1/n_j,
//	c = 2 x + 2 ln x + 2 ln(4 + ln n_i) + 2 ln(4 + ln n_j),   x = ln((K-1) pi^2/6 k^2/Delta)/2,
//	l = ln(2 K pi^2/6 k^2/Delta),   k = 2 + log2 max(n_i, n_j).
//
// Of the two arms, k is the larger number of batches. The program compares the leader's mean, which
// need not be the best. If two arms are the best, it may never stop. Logarithms are natural.
//
// The threshold is proved, for these batches and Laplace noise. To stop at an arm i worse than the
// best arm j, noise and sample must have moved m_i - m_j by D, D^2 = 2 w c + 2 (z_i + z_j)^2 l^2.
// The noise in an arm's b-th batch is over l z with probability Delta/(2 K pi^2/6 b^2) at most, as
// k >= b, which makes Delta/2 for all arms and batches. Otherwise the sample has moved m_i - m_j by
// u >= sqrt(w c), as (u + v)^2 <= 2 u^2 + 2 v^2. The lengths of batches are fixed, so that
// Hoeffding's inequality bounds that by exp(-2 c), and the sum over all i and all pairs of batches
// is far below Delta/2: c is meant for rewards of variance 1, and theirs is at most 1/4.
type AdaPTT struct {
	Delta float64 // probability of a wrong recommendation, in (0, 1), no default
	// AsRun stops by the threshold of the authors' program, which is smaller and not proved: l =
	// ln(1/Delta) and c = l + ln(1 + ln n_i) + ln(1 + ln n_j). false means the proved one.
	AsRun bool

	ucb
	own     *rand.Rand
	pair    [2]float64 // leader and challenger: what users' devices are told
	best    int
	stopped int // records that were read when it stopped; 0 before
}

var _ learner.Policy[privacy.Means] = (*AdaPTT)(nil)

// NewAdaPTT returns AdaP-TT, epsilon-DP in the central model, one reward replaced. delta is the
// probability of a wrong recommendation, not a part of the privacy.
func NewAdaPTT(epsilon, delta float64) *learner.Private[privacy.Means] {
	return learner.New(&AdaPTT{Delta: delta}, doubling(privacy.Budget{Epsilon: epsilon}))
}

// Init validates and allocates.
func (l *AdaPTT) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if !(l.Delta > 0 && l.Delta < 1) {
		return fmt.Errorf("arms: AdaPTT.Delta = %v, want in (0, 1)", l.Delta)
	}
	if err := l.init("AdaPTT", p, horizon); err != nil {
		return err
	}
	if p.Arms < 2 {
		return fmt.Errorf("arms: AdaPTT compares arms: Problem.Arms = %d, want >= 2", p.Arms)
	}
	return nil
}

// Reset forgets everything.
func (l *AdaPTT) Reset(own *rand.Rand) {
	l.ucb.Reset(own)
	l.own, l.best, l.stopped = own, 0, 0
}

// Stopped returns the round after which it stopped, and whether it has.
func (l *AdaPTT) Stopped() (round int, ok bool) { return l.stopped, l.stopped > 0 }

// Recommend returns the arm with the best mean when it stopped or, before, of now. It is arm 0
// until all arms were seen.
func (l *AdaPTT) Recommend() int { return l.best }

// Learn stops, or chooses the leader and the challenger.
func (l *AdaPTT) Learn(r *privacy.Means) ([]float64, error) {
	if l.stopped > 0 {
		return l.pair[:], nil
	}
	l.read(r)
	lead, err := l.follow(r, l)
	l.pair = [2]float64{lead[0], lead[0]}
	if err != nil || l.unseen < len(l.of) {
		return l.pair[:], err
	}
	l.best = 0
	for a := range l.of {
		if l.of[a].Mean > l.of[l.best].Mean {
			l.best = a
		}
	}
	if l.sure() {
		l.stopped, l.pair = r.Records, [2]float64{float64(l.best), float64(l.best)}
	} else {
		l.pair[1] = float64(l.challenger(int(lead[0]), 1/(1+math.Sqrt(float64(l.round)))))
	}
	return l.pair[:], nil
}

// Act appends the leader or the challenger.
func (l *AdaPTT) Act(pair []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(pair) != 2 {
		return dst, fmt.Errorf("a broadcast of %d numbers, want the leader and the challenger", len(pair))
	}
	leader, err := armOf(pair[0], v)
	if err != nil {
		return dst, err
	}
	challenger, err := armOf(pair[1], v)
	if err != nil {
		return dst, err
	}
	if l.own.Uint64()>>63 == 0 {
		return append(dst, leader), nil
	}
	return append(dst, challenger), nil
}

// challenger returns the arm that is the least sure to be worse than the leader.
func (l *AdaPTT) challenger(leader int, more float64) int {
	best, least := -1, 0.0
	for a := range l.of {
		if a == leader {
			continue
		}
		cost := (l.of[leader].Mean - l.of[a].Mean + more) / math.Sqrt(l.variance(leader, a))
		if best < 0 || cost < least {
			best, least = a, cost
		}
	}
	return best
}

// variance returns w, that of the difference of two means of rewards of variance 1.
func (l *AdaPTT) variance(i, j int) float64 {
	return 1/float64(l.of[i].Count) + 1/float64(l.of[j].Count)
}

// sure reports whether the best mean is far enough above all others.
func (l *AdaPTT) sure() bool {
	for a := range l.of {
		if a != l.best && !(l.of[l.best].Mean-l.of[a].Mean >= l.distance(l.best, a)) {
			return false
		}
	}
	return true
}

// distance returns the difference of two means at which it stops.
func (l *AdaPTT) distance(i, j int) float64 {
	n, m := float64(l.of[i].Count), float64(l.of[j].Count)
	log, c := -portable.Log(l.Delta), portable.Log(1+portable.Log(n))+portable.Log(1+portable.Log(m))
	if c += log; !l.AsRun {
		arms, k := float64(len(l.of)), float64(1+bits.Len(uint(max(n, m))))
		log += portable.Log(math.Pi * math.Pi / 6 * k * k)
		x := float64((log + portable.Log(arms-1)) / 2)
		c = 2 * (x + portable.Log(x) + portable.Log(4+portable.Log(n)) + portable.Log(4+portable.Log(m)))
		log += portable.Log(2 * arms)
	}
	noise := l.of[i].Tail.Linear + l.of[j].Tail.Linear
	return math.Sqrt2 * portable.Hypot(math.Sqrt(l.variance(i, j)*c), noise*log)
}

func (l *AdaPTT) at(log float64) { l.byWidth, l.byNoise = math.Sqrt(log/2), log }
