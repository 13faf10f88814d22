package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AdaCUCB is AdaC-UCB (Azize and Basu 2024). When a batch is full it chooses the arm of the next
// one, that with the largest upper confidence bound
//
//	mean + sqrt((1/(2 n) + 2 s^2) Beta ln t),
//
// for the mean of the n rewards in [0, 1] of an arm's last batch. s is the standard deviation of
// the Gaussian noise in it; s^2 = 1/(2 rho n^2) for rho-zCDP. Logarithms are natural. An arm's
// batches have 1, 1, 2, 4, ... rewards.
type AdaCUCB struct {
	Beta float64 // > 0; 0 means 3.1. The regret bound needs > 3
}

var _ learner.Policy[privacy.Means] = AdaCUCB{}

// Private returns AdaC-UCB, (epsilon, delta)-DP in the central model, one reward replaced, for
// delta > 0. The noise is calibrated exactly, as a reward is in one Gaussian release: mu-GDP, where
// the paper has rho-zCDP with rho = mu^2/2.
func (l AdaCUCB) Private(b privacy.Budget) learner.Private[privacy.Means] {
	return learner.New(l, doubling(b))
}

// Prepare validates.
func (l AdaCUCB) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	if err := positive("AdaCUCB", "Beta", l.Beta, 3.1); err != nil {
		return nil, err
	}
	return prepare("AdaCUCB", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &adaCUCB{timed{newUCB(p), checks.Or(l.Beta, 3.1), 0}}
	})
}

type adaCUCB struct{ timed }

// Learn chooses the arm with the largest upper confidence bound. The Root of Gaussian noise is
// sqrt(2) standard deviations.
func (l *adaCUCB) Learn(r *privacy.Means) ([]float64, error) {
	l.take(r)
	for _, a := range r.Changed {
		of := &l.of[a]
		variance := 0.5/float64(of.Count) + float64(of.Tail.Root*of.Tail.Root)
		l.lines[a] = line{mean: of.Mean, width: math.Sqrt(variance)}
	}
	return l.follow(r, l)
}
