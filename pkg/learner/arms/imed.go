package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// IMED is indexed minimum empirical divergence (Honda and Takemura 2015) and, for a finite Epsilon,
// DP-IMED (Azize, Wu, Honda, Orabona, Ito, Basu 2025). It plays the arm with the least index
//
//	n d(mean, best mean) + ln n,   d = d_Epsilon,
//
// for n rewards in [0, 1] of an arm; see [DEps] for d. Logarithms are natural.
type IMED struct {
	Epsilon float64 // of the statistic, > 0, no default; +Inf means IMED
}

var _ learner.Policy[privacy.Means] = IMED{}

// Learner returns IMED, which is not private.
func (l IMED) Learner() learner.Private[privacy.Means] {
	l.Epsilon = math.Inf(1)
	return learner.New(l, tally.Counts{})
}

// Private returns DP-IMED over all batches of an arm. After the first of 32/epsilon rewards, each
// makes the number of rewards of the arm ratio times as large; 2 is good. It is epsilon-DP in the
// central model, one reward replaced.
func (l IMED) Private(epsilon, ratio float64) learner.Private[privacy.Means] {
	l.Epsilon = epsilon
	return learner.New(l, cumulative(32, epsilon, ratio))
}

// Prepare validates.
func (l IMED) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checkEpsilon("IMED", l.Epsilon); err != nil {
		return nil, err
	}
	return prepare("IMED", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		rule := newIMED(p, l.Epsilon, false)
		return &rule
	})
}

type imed struct {
	leader
	epsilon  float64
	logs     []float64 // by arm, ln n; see read
	evidence evidence
	byOthers bool // the arms of the best mean are played by the indices of the others
}

// newIMED allocates.
func newIMED(p bandit.Problem, epsilon float64, byOthers bool) imed {
	return imed{newLeader(p), epsilon, make([]float64, p.Arms), newEvidence(p.Arms), byOthers}
}

// Learn chooses the arm with the least index.
func (l *imed) Learn(r *privacy.Means) ([]float64, error) {
	if l.read(r, 1); l.unseen < len(l.of) {
		return l.play(l.unseen)
	}
	arm, _ := l.evidence.first(r.Changed, -1, l)
	return l.play(arm)
}

// Explain appends the means, and minus the index of IMED: the arm with the least evidence against
// it is played. Under TargetIMED the arms of the best mean have none: those of the others say when
// they are played.
func (l *imed) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	best := l.evidence.means.largest()
	return l.means(dst, func(a int) float64 {
		if l.byOthers && clipped(l.of[a].Mean) == best {
			return math.NaN()
		}
		return -l.index(a, best)
	}), nil
}

// read reads the estimates that have changed. The logarithms are multiplied by weight.
func (l *imed) read(r *privacy.Means, weight float64) {
	l.take(r)
	for _, a := range r.Changed {
		l.logs[a] = float64(weight * portable.Log(float64(l.of[a].Count)))
		l.evidence.means.set(a, clipped(l.of[a].Mean))
	}
}

// index returns an arm's index for a best mean.
func (l *imed) index(a int, best float64) float64 {
	of := &l.of[a]
	return float64(float64(of.Count)*bernoulli.DEps(l.epsilon, clipped(of.Mean), best)) + l.logs[a]
}

// bound is not above the index for a best mean or a larger one: d grows with that, but for
// rounding.
func (l *imed) bound(a int, best float64) float64 {
	if best <= clipped(l.of[a].Mean) {
		return l.logs[a]
	}
	x := l.index(a, best)
	return x - float64((x+float64(l.of[a].Count))*0x1p-40)
}
