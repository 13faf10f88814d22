package arms

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// EXP3IX is [EXP3] with implicit exploration (Neu 2015). A loss of the arm played is divided by its
// probability plus gamma, so that no estimate is too large, and the regret in hindsight is small
// with high probability, not in expectation alone. In round n
//
//	eta = 2 gamma = sqrt(ln K/(K n)),
//
// for which the regret is below 4 sqrt(n K ln K) + (2 sqrt(n K/ln K) + 1) ln(2/d) with probability
// 1 - d.
type EXP3IX struct {
	// Rounds is a number of rounds n, >= 1, to fix eta = 2 gamma = sqrt(2 ln K/(K n)) for; 0 means the
	// eta above, which needs none.
	Rounds int
}

var _ learner.Policy[privacy.Means] = EXP3IX{}

// Learner returns EXP3-IX, which is not private.
func (l EXP3IX) Learner() learner.Private[privacy.Means] { return learner.New(l, eachRound()) }

// Prepare validates.
func (l EXP3IX) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepareWeights("EXP3IX", p, horizon, l.Rounds, func(w weights) learner.Rule[privacy.Means] { return &exp3IX{w} })
}

type exp3IX struct{ weights }

// Learn sets the chances of the next round.
func (l *exp3IX) Learn(r *privacy.Means) ([]float64, error) { return l.follow(r, l) }

func (l *exp3IX) learn(arm int, loss float64, _ privacy.Tail) {
	l.losses[arm] += loss / (l.chances[arm] + float64(l.rate.at(l.n)/2))
	l.exponential(l.rate.at(l.n + 1))
}
