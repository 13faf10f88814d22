package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TsallisINF is Tsallis-INF with alpha = 1/2 (Zimmert and Seldin 2021): optimal, up to constants,
// for rewards that an adversary has fixed and for rewards of a law, and it need not know which.
// Round n plays arm i with probability
//
//	w_i = 4/(eta (L_i - x))^2,   eta = 2/sqrt(n),
//
// where x makes them sum to 1, and L_i is the sum of the losses of arm i so far, each over the
// probability with which it was played: a loss is 1 less a reward in [0, 1], and 0 where another
// arm was played. The expected regret in hindsight is at most 4 sqrt(K n) + 1.
//
// Noise makes losses negative, and then nothing is proved: over noise, [HTINF] is the one to take.
type TsallisINF struct {
	// Reduced estimates losses with less variance, and learns at eta = 4/sqrt(n): for an arm with w_i
	// >= eta^2, the loss less 1/2 is divided by the probability, and 1/2 is added in all rounds.
	Reduced bool
}

var _ learner.Policy[privacy.Means] = TsallisINF{}

// Learner returns Tsallis-INF of reduced variance, which is not private.
func (l TsallisINF) Learner() learner.Private[privacy.Means] {
	l.Reduced = true
	return learner.New(l, eachRound())
}

// Prepare validates.
func (l TsallisINF) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepare("TsallisINF", p, horizon, func(own *rand.Rand) learner.Rule[privacy.Means] {
		if l.Reduced {
			return &reducedINF{newBets(p, own)}
		}
		return &tsallisINF{newBets(p, own)}
	})
}

type tsallisINF struct{ bets }

// Learn sets the chances of the next round.
func (l *tsallisINF) Learn(r *privacy.Means) ([]float64, error) { return l.follow(r, l) }

func (l *tsallisINF) learn(arm int, loss float64, _ privacy.Tail) {
	l.losses[arm] += loss / l.chances[arm]
	l.tsallis(math.Sqrt(float64(l.n + 1)))
}

type reducedINF struct{ bets }

// Learn sets the chances of the next round.
func (l *reducedINF) Learn(r *privacy.Means) ([]float64, error) { return l.follow(r, l) }

func (l *reducedINF) learn(arm int, loss float64, _ privacy.Tail) {
	square := 16 / float64(l.n) // of eta
	for a, w := range l.chances {
		base := 0.0
		if w >= square {
			base = 0.5
		}
		if l.losses[a] += base; a == arm {
			l.losses[a] += (loss - base) / w
		}
	}
	l.tsallis(math.Sqrt(float64(l.n+1)) / 2)
}

// tsallis sets the chances to (c/(L_i - x))^2, with the x < min L for which they sum to 1.
//
// It is Newton's method for y = min L - x in [c, c sqrt(K)] on S^(-1/2) = 1, where S is the sum.
// The left side is concave in y, so that steps from c never go too far.
func (b *bets) tsallis(c float64) {
	const steps = 60 // 5 or so are enough
	least, y := b.least(), c
	for range steps {
		sum, cubes := 0.0, 0.0
		for a, loss := range b.losses {
			inverse := 1 / (loss - least + y)
			root := c * inverse
			w := float64(root * root)
			b.chances[a] = w
			sum += w
			cubes += float64(w * inverse)
		}
		step := (math.Sqrt(sum) - 1) * sum / cubes
		if !(step > 1e-14*y) {
			break
		}
		y += step
	}
	b.weigh()
}
