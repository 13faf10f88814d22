package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
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

	leader
	epsilon  float64
	logs     []float64 // by arm, ln n; see read
	evidence evidence
}

var _ learner.Policy[privacy.Means] = (*IMED)(nil)

// NewIMED returns IMED, which is not private.
func NewIMED() *learner.Private[privacy.Means] {
	return learner.New(&IMED{Epsilon: math.Inf(1)}, mechanism.Counts{})
}

// NewDPIMED returns DP-IMED over all batches of an arm. After the first of 32/epsilon rewards, each
// makes the number of rewards of the arm ratio times as large; 2 is good. It is epsilon-DP in the
// central model, one reward replaced.
func NewDPIMED(epsilon, ratio float64) *learner.Private[privacy.Means] {
	return learner.New(&IMED{Epsilon: epsilon}, cumulative(32, epsilon, ratio))
}

// Init validates and allocates.
func (l *IMED) Init(p bandit.Problem, horizon int, _ *privacy.Means) error {
	if err := checkEpsilon("IMED", l.Epsilon); err != nil {
		return err
	}
	if err := l.init("IMED", p, horizon); err != nil {
		return err
	}
	l.epsilon, l.logs = l.Epsilon, make([]float64, p.Arms)
	l.evidence.init(p.Arms, l)
	return nil
}

// Reset forgets everything.
func (l *IMED) Reset(own *rand.Rand) {
	l.leader.Reset(own)
	l.evidence.reset()
}

// Learn chooses the arm with the least index.
func (l *IMED) Learn(r *privacy.Means) ([]float64, error) {
	if l.read(r, 1); l.unseen < len(l.of) {
		return l.play(l.unseen)
	}
	arm, _ := l.evidence.first(r.Changed, -1)
	return l.play(arm)
}

// read reads the estimates that have changed. The logarithms are multiplied by weight.
func (l *IMED) read(r *privacy.Means, weight float64) {
	l.take(r)
	for _, a := range r.Changed {
		l.logs[a] = float64(weight * portable.Log(float64(l.of[a].Count)))
		l.evidence.means.set(a, clipped(l.of[a].Mean))
	}
}

// index returns an arm's index for a best mean.
func (l *IMED) index(a int, best float64) float64 {
	of := &l.of[a]
	return float64(float64(of.Count)*bernoulli.DEps(l.epsilon, clipped(of.Mean), best)) + l.logs[a]
}

// bound is not above the index for a best mean or a larger one: d grows with that, but for
// rounding.
func (l *IMED) bound(a int, best float64) float64 {
	if best <= clipped(l.of[a].Mean) {
		return l.logs[a]
	}
	x := l.index(a, best)
	return x - float64((x+float64(l.of[a].Count))*0x1p-40)
}
