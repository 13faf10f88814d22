package arms

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// GaussianThompson is Thompson sampling with Gaussian draws (Agrawal and Goyal 2013). In each round
// it plays the arm with the largest draw of
//
//	N(S/(n+1), c/(n+1))
//
// for the sum S of the n rewards in [0, 1] of an arm. The draws are the statistic's,
// [tally.PosteriorDraws], which says how private they are without any more noise (Ou, Avella
// Medina, Cummings 2024): sqrt((T-b+1)/(c (b+1)))-GDP after T rounds, if each arm is played b times
// first. For T = 10,000, c = 1 and b = 100 that is 9.9-GDP, or epsilon = 90 at delta = 10^-5. More
// privacy is a larger c or b, and more regret. Over [tally.LimitedDraws] it is DP-TS-UCB.
//
// Over another statistic it plays the arm with the best mean.
type GaussianThompson struct{}

var _ learner.Policy[privacy.Means] = GaussianThompson{}

// Private returns Thompson sampling of draws of a variance c, > 0, after each arm was
// played first times. It is differentially private in the central model, one reward replaced; delta
// is that at which its claim states an epsilon.
func (l GaussianThompson) Private(variance float64, first int, delta float64) learner.Private[privacy.Means] {
	return learner.New(l, tally.PosteriorDraws{Variance: variance, First: first, Delta: delta})
}

// Limited returns DP-TS-UCB (Hu, Huang, Zhang, Lecuyer, Hegde 2025) for an alpha in [0, 1]. It
// makes a limited number of draws of each mean, which is that of an epoch of an arm alone, and then
// takes the largest of them for an upper confidence bound. It is differentially private in the
// central model, one reward replaced.
//
// An arm's first epoch is as long as the budget, with delta > 0, needs. In the paper it has one
// reward, as here at epsilon = +Inf. What the draws then reveal grows with the horizon T as
// T^((1-alpha)/4), but for logarithms, and the regret as (ln T)^(1+alpha).
func (l GaussianThompson) Limited(alpha float64, b privacy.Budget) learner.Private[privacy.Means] {
	return learner.New(l, tally.LimitedDraws{Budget: b, Alpha: alpha})
}

// Prepare validates.
func (GaussianThompson) Prepare(p bandit.Problem, horizon int, _ *privacy.Means) (learner.Prepared[privacy.Means], error) {
	return prepare("GaussianThompson", p, horizon, func(*rand.Rand) learner.Rule[privacy.Means] {
		return &gaussianThompson{newLeader(p), make([]float64, p.Arms)}
	})
}

type gaussianThompson struct {
	leader
	draws []float64
}

// Learn chooses the arm with the largest draw.
func (l *gaussianThompson) Learn(r *privacy.Means) ([]float64, error) {
	if l.unseen < len(l.of) {
		if l.take(r); l.unseen < len(l.of) {
			return l.play(l.unseen)
		}
	}
	best, most := 0, math.Inf(-1)
	for a := range r.Of {
		x := (r.Of[a].Mean - l.problem.RewardMin) * l.scale
		if l.draws[a] = x; x > most {
			best, most = a, x
		}
	}
	return l.play(best)
}

// Explain appends the draws: no other estimate is released.
func (l *gaussianThompson) Explain(_ []float64, _ *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	for a, x := range l.draws {
		of := checks.Unseen()
		switch {
		case l.unseen == len(l.of):
			of.Estimate = l.problem.RewardMin + float64(x/l.scale)
			of.Index = of.Estimate
		case a < l.unseen: // as long as others are played first, nothing is drawn
			of.Index = math.NaN()
		}
		dst = append(dst, of)
	}
	return dst, nil
}
