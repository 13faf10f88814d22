package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
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

	told
	explore float64
}

var _ learner.Policy[privacy.Means] = (*LazyUCB)(nil)

// NewLazyUCB returns Anytime-Lazy-UCB, epsilon-DP in the central model, one reward replaced.
func NewLazyUCB(epsilon float64) *learner.Private[privacy.Means] {
	return learner.New(&LazyUCB{}, &mechanism.Blocks{Budget: privacy.Budget{Epsilon: epsilon}})
}

// Init validates and allocates.
func (l *LazyUCB) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if err := positive("LazyUCB", "Explore", l.Explore, 3); err != nil {
		return err
	}
	l.explore = or(l.Explore, 3)
	return l.init("LazyUCB", p, horizon)
}

// Act appends the arm with the largest upper confidence bound.
func (l *LazyUCB) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	unseen, err := l.receive(broadcast)
	if err != nil || unseen >= 0 {
		return append(dst, max(unseen, 0)), err
	}
	log := l.explore * logarithm(v.Round)
	best, most := 0, math.Inf(-1)
	for a := range l.of {
		of := (*arm)(broadcast[armSize*a:])
		if x := of[mean] + math.Sqrt(log/of[count]) + float64(log*of[noise]); x > most {
			best, most = a, x
		}
	}
	return append(dst, best), nil
}
