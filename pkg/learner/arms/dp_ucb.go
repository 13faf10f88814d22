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

// DPUCB is DP-UCB (Tossou and Dimitrakakis 2016) over the hybrid mechanism. In round t it plays the
// arm with the largest upper confidence bound
//
//	mean + sqrt(2 ln t/n) + v/n,   v = sqrt(8) ln(4 t^4)/Epsilon,
//
// for n rewards in [0, 1] of an arm. Unless n is a power of 2, v is multiplied by ln n + 1.
// Logarithms are natural. v bounds the noise of the mechanism, generously: [tally.Hybrid]
// has the exact scales.
type DPUCB struct {
	Epsilon float64 // of the statistic, > 0, no default
}

var _ learner.Policy[privacy.Means] = DPUCB{}

// Private returns DP-UCB, epsilon-DP in the central model, one reward replaced.
func (l DPUCB) Private(epsilon float64) learner.Private[privacy.Means] {
	l.Epsilon = epsilon
	return learner.New(l, tally.Hybrid{Epsilon: epsilon})
}

// Prepare validates.
func (l DPUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := checkEpsilon("DPUCB", l.Epsilon); err != nil {
		return nil, err
	}
	return prepare("DPUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &dpUCB{ucb: newUCB(p), epsilon: l.Epsilon}
	})
}

type dpUCB struct {
	ucb
	epsilon float64
}

// Learn chooses the arm with the largest upper confidence bound.
func (l *dpUCB) Learn(r *privacy.Means) ([]float64, error) {
	l.read(r)
	for _, a := range r.Changed {
		n, line := r.Of[a].Count, &l.lines[a]
		if line.noise = 1 / float64(n); n&(n-1) != 0 {
			line.noise *= portable.Log(float64(n)) + 1
		}
	}
	return l.follow(r, l)
}

// Explain appends the means, and the upper confidence bounds as indices: those of the last release.
func (l *dpUCB) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	by := *l
	return l.bounds(dst, &by)
}

func (l *dpUCB) at(log float64) {
	l.byWidth, l.byNoise = math.Sqrt(2*log), math.Sqrt(8)*(2*math.Ln2+float64(4*log))/l.epsilon
}
