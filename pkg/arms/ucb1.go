package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// UCB1 is the policy of Auer, Cesa-Bianchi and Fischer (2002). In round t it plays the arm with the
// largest upper confidence bound
//
//	mean + sqrt(Explore ln t/n),
//
// for n rewards in [0, 1] of an arm. Logarithms are natural. It knows nothing of noise: [AdaPUCB]
// and [LazyUCB] do.
type UCB1 struct {
	// Explore multiplies the logarithm, > 0; 0 means 2, as published. 1/2 is the least for which the
	// regret is logarithmic.
	Explore float64

	ucb
	explore float64
}

var _ learner.Policy[privacy.Means] = (*UCB1)(nil)

// NewUCB1 returns UCB1, which is not private.
func NewUCB1() *learner.Private[privacy.Means] { return learner.New(&UCB1{}, mechanism.Counts{}) }

// Init validates and allocates.
func (l *UCB1) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if err := positive("UCB1", "Explore", l.Explore, 2); err != nil {
		return err
	}
	l.explore = or(l.Explore, 2)
	return l.init("UCB1", p, horizon)
}

// Learn chooses the arm with the largest upper confidence bound.
func (l *UCB1) Learn(r *privacy.Means) ([]float64, error) {
	l.read(r)
	return l.follow(r, l)
}

func (l *UCB1) at(log float64) { l.byWidth = math.Sqrt(l.explore * log) }
