package arms

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
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
}

var _ learner.Policy[privacy.Means] = UCB1{}

// Learner returns UCB1, which is not private.
func (l UCB1) Learner() learner.Private[privacy.Means] { return learner.New(l, tally.Counts{}) }

// Prepare validates.
func (l UCB1) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("UCB1", "Explore", l.Explore, 2); err != nil {
		return nil, err
	}
	return prepare("UCB1", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &timed{newUCB(p), checks.Or(l.Explore, 2), 0}
	})
}
