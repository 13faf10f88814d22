package arms

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// EXP3 is exponential weights for rewards that an adversary may have fixed (Auer, Cesa-Bianchi,
// Freund and Schapire 2002, in the form of Bubeck and Cesa-Bianchi 2012, Theorem 3.1). Round n+1
// plays arm i with a probability proportional to
//
//	exp(-eta L_i),   eta = sqrt(ln K/(K n)),
//
// where L_i is the sum, over n rounds, of the losses of arm i, each over the probability with which
// it was played: a loss is 1 less a reward in [0, 1], and 0 where another arm was played.
// Logarithms are natural. The expected regret in hindsight is at most 2 sqrt(n K ln K).
//
// Noise makes losses negative, and then nothing is proved: over noise, [HTINF] is the one to take.
type EXP3 struct {
	// Rounds is a number of rounds n, >= 1, to fix eta = sqrt(2 ln K/(K n)) for, which takes a factor
	// of sqrt(2) off the bound; 0 means the eta above, which needs none.
	Rounds int
}

var _ learner.Policy[privacy.Means] = EXP3{}

// Learner returns EXP3, which is not private.
func (l EXP3) Learner() learner.Private[privacy.Means] { return learner.New(l, eachRound()) }

// eachRound is the rewards themselves, round by round, without noise.
func eachRound() privacy.Tally {
	return tally.RoundBatches{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Lengths: tally.EqualRounds(1)}
}

// Prepare validates.
func (l EXP3) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepareWeights("EXP3", p, horizon, l.Rounds, func(w weights) learner.Rule[privacy.Means] { return &exp3{w} })
}

// weights are the bets of exponential weights.
type weights struct {
	bets
	rate rate
}

// prepareWeights prepares a rule of exponential weights that is tuned for so many rounds.
func prepareWeights(
	who string, p bandit.Problem, horizon, rounds int, rule func(weights) learner.Rule[privacy.Means],
) (learner.Prepared[privacy.Means], error) {
	if rounds < 0 {
		return nil, fmt.Errorf("arms: %s.Rounds = %d, want >= 1, or 0 for any number", who, rounds)
	}
	return prepare(who, p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		return rule(weights{newBets(p, own), newRate(p.Arms, rounds)})
	})
}

// rate is the learning rate of exponential weights.
type rate struct {
	root  float64 // sqrt(ln K/K)
	fixed float64 // 0: it falls with the round
}

func newRate(arms, rounds int) rate {
	k := float64(arms)
	r := rate{root: math.Sqrt(portable.Log(k) / k)}
	if rounds > 0 {
		r.fixed = r.root * math.Sqrt(2/float64(rounds))
	}
	return r
}

// at returns the rate of round n >= 1.
func (r rate) at(n int) float64 {
	if r.fixed > 0 {
		return r.fixed
	}
	return r.root / math.Sqrt(float64(n))
}

type exp3 struct{ weights }

// Learn sets the chances of the next round.
func (l *exp3) Learn(r *privacy.Means) ([]float64, error) { return l.follow(r, l) }

func (l *exp3) learn(arm int, loss float64, _ privacy.Tail) {
	l.losses[arm] += loss / l.chances[arm]
	l.exponential(l.rate.at(l.n))
}

// exponential sets chances proportional to exp(-eta loss).
func (b *bets) exponential(eta float64) {
	least := b.least()
	for a, loss := range b.losses {
		b.chances[a] = portable.Exp(-eta * (loss - least))
	}
	b.weigh()
}
