package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/ziggurat"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// BoltzmannGumbel is Boltzmann-Gumbel exploration (Cesa-Bianchi, Gentile, Lugosi, Neu 2017, Section
// 4). In each round it plays the arm with the largest mean + Spread/sqrt(n) Z, for n rewards in
// [0, 1] of an arm. Z is a standard Gumbel draw from the learner's own stream.
type BoltzmannGumbel struct {
	Spread float64 // C, > 0; 0 means 1/2, the subgaussian parameter of such rewards
}

var _ learner.Policy[privacy.Means] = BoltzmannGumbel{}

// Private returns it over blocks of rewards: our own, epsilon-DP in the central model,
// one reward replaced.
func (l BoltzmannGumbel) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}, Remember: true})
}

// Prepare validates.
func (l BoltzmannGumbel) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("BoltzmannGumbel", "Spread", l.Spread, 0.5); err != nil {
		return nil, err
	}
	return ByIndex(p, horizon, BoltzmannGumbel{checks.Or(l.Spread, 0.5)})
}

// Index returns what an arm is chosen by.
func (l BoltzmannGumbel) Index(k Known) float64 {
	return k.Mean + float64(l.Spread/math.Sqrt(float64(k.Count))*ziggurat.Gumbel(k.Own))
}
