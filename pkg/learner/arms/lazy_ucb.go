package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LazyUCB is Anytime-Lazy-UCB (Hu, Huang and Mehta 2021), and DPUCB-MAT for one arm a round. In
// round t it plays the arm with the largest upper confidence bound
//
//	mean + sqrt(Explore ln t/n) + Explore ln t z,
//
// for the mean of the n rewards in [0, 1] of an arm's last batch. z is the scale of the noise in
// it, 1/(epsilon n). Logarithms are natural. An arm's batches have 1, 2, 4, ... rewards.
type LazyUCB struct {
	Explore float64 // > 0; 0 means 3, as published
}

var _ learner.Policy[privacy.Means] = LazyUCB{}

// Private returns Anytime-Lazy-UCB, epsilon-DP in the central model, one reward replaced.
func (l LazyUCB) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}})
}

// Prepare validates.
func (l LazyUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("LazyUCB", "Explore", l.Explore, 3); err != nil {
		return nil, err
	}
	return prepare("LazyUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &lazyUCB{told: newTold(p), race: newRace(p.Arms), explore: checks.Or(l.Explore, 3)}
	})
}

type lazyUCB struct {
	told
	race             race
	explore          float64
	byWidth, byNoise float64
	seen             []float64 // the broadcast that bounds are of
}

// Act appends the arm with the largest upper confidence bound.
func (l *lazyUCB) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	unseen, err := l.unseenIn(broadcast)
	if err != nil || unseen >= 0 {
		return append(dst, max(unseen, 0)), err
	}
	if l.seen = broadcast; !l.ours(broadcast) {
		l.race.forget()
	}
	best := l.race.first(len(l.of), l.fresh, v.Round, l)
	l.fresh = l.fresh[:0]
	return append(dst, best), nil
}

// Explain appends the means, and the upper confidence bounds as indices.
func (l *lazyUCB) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	by := *l
	by.seen = broadcast
	by.at(logarithm(v.Round))
	return l.shown(broadcast, dst, func(a int) (index, above float64) {
		index = by.bound(a)
		return index, index - broadcast[armSize*a+mean]
	})
}

func (l *lazyUCB) at(log float64) { l.byWidth, l.byNoise = math.Sqrt(l.explore*log), l.explore*log }

func (l *lazyUCB) above(a int, x float64) bool { return l.bound(a) > x }

func (l *lazyUCB) bound(a int) float64 {
	of := (*arm)(l.seen[armSize*a:])
	return of[mean] + float64(l.byWidth*of[width]) + float64(l.byNoise*of[noise])
}
