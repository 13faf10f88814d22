package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// HTINF is [TsallisINF] for losses that noise takes beyond [0, 1] (Huang, Dai and Huang 2022, with
// alpha = 2). Of n releases so far, the next arm is i with probability
//
//	w_i = (s sqrt(n+1)/(L_i - x))^2,
//
// where x makes them sum to 1, and s^2 bounds the mean square of a loss, noise and all: 1 and the
// variance of the noise, which the release states. L_i is the sum of losses over probabilities, as
// there, with one exception. A loss that is beyond theta s sqrt(n w_i) either way, for theta = 1 -
// 2^(-1/3), counts as 0: few do, and an arm that is hardly ever played cannot take a large step on
// noise alone.
type HTINF struct{}

var _ learner.Policy[privacy.Means] = HTINF{}

// Private returns HTINF over noisy means of batches, epsilon-DP in the central model, one
// reward replaced: the conversion of Asi, Raman and Talwar (2025), whose expected regret in
// hindsight is O(sqrt(KT/epsilon)) for epsilon <= 1. At epsilon = +Inf there is no noise, and a
// batch is one round.
//
// A batch is b = sqrt(2)/epsilon rounds of one arm, rounded up. Its mean has the sensitivity 1/b in
// units of the range of rewards, and so Laplace noise of scale 1/(b epsilon). HTINF has a regret of
// s sqrt(K T/b) batches, up to a constant, and so s sqrt(K T b) rounds. With s^2 = 1 + 2/(b
// epsilon)^2 that is least at this b, where s^2 = 2.
func (l HTINF) Private(epsilon float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.RoundBatches{Budget: privacy.Budget{Epsilon: epsilon}, Lengths: batchFor(epsilon)})
}

// batchFor returns the number of rounds of a batch. An epsilon that is none is for the statistic to
// refuse.
func batchFor(epsilon float64) tally.EqualRounds {
	b := math.Ceil(math.Sqrt2 / epsilon)
	if !(b >= 1) {
		b = 1
	}
	return tally.EqualRounds(min(b, 1<<52))
}

// Prepare validates.
func (l HTINF) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepare("HTINF", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return &htINF{bets: newBets(p, own), theta: 1 - portable.Pow(2, -1./3)}
	})
}

type htINF struct {
	bets
	theta float64
	noise float64 // variance, the most of all releases
}

// Learn sets the chances of the next round.
func (l *htINF) Learn(r *privacy.Means) ([]float64, error) { return l.follow(r, l) }

func (l *htINF) learn(arm int, loss float64, noise privacy.Tail) {
	// Laplace noise has the scale Linear, and Gaussian noise the variance Root^2/2.
	variance := float64(2*noise.Linear*noise.Linear) + float64(noise.Root*noise.Root/2)
	l.noise = max(l.noise, variance)
	s, w := math.Sqrt(1+l.noise), l.chances[arm]
	if math.Abs(loss) <= l.theta*s*math.Sqrt(float64(l.n)*w) {
		l.losses[arm] += loss / w
	}
	l.tsallis(s * math.Sqrt(float64(l.n+1)))
}
