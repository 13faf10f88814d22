// Package own shows what is written outside of the toolkit: policies (Greedy, Hopeful), a statistic
// (Totals), an environment (Seasons). It imports what a module of your own would.
package own

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"gonum.org/v1/gonum/floats"
)

// Greedy plays any arm in a share Explore of the rounds, and else the best by LinUCB's estimate.
type Greedy struct {
	linear.UCB
	Explore float64
}

func (g Greedy) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	ready, err := g.UCB.Prepare(p, horizon, r)
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return &explorer{ready.Begin(own).(*linear.UCBRule), g.Explore, own}
	}), err
}

// explorer is Greedy in a run.
type explorer struct {
	*linear.UCBRule
	share float64
	own   *rand.Rand
}

// Act draws after it has checked, so that a view which it refuses leaves it as it was.
func (g *explorer) Act(ellipsoid []float64, v *bandit.View, dst []int) ([]int, error) {
	if len(ellipsoid) < v.Dim {
		return dst, fmt.Errorf("own: a broadcast of %d numbers in dimension %d", len(ellipsoid), v.Dim)
	}
	best, most, theta := 0, math.Inf(-1), ellipsoid[:v.Dim]
	for a := range v.Arms {
		mean := floats.Dot(v.Row(a), theta)
		if mean-mean != 0 {
			return dst, fmt.Errorf("own: an estimate of %v for arm %d, want finite", mean, a)
		}
		if mean > most {
			best, most = a, mean
		}
	}
	if g.own.Float64() < g.share {
		best = g.own.IntN(v.Arms)
	}
	return append(dst, best), nil
}

// Explain shows the estimates as indices. Those of LinUCB, which it would inherit, are not what it
// chooses by.
func (g *explorer) Explain(ellipsoid []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	n := len(dst)
	dst, err := g.UCBRule.Explain(ellipsoid, v, dst)
	for a := range dst[n:] {
		dst[n+a].Index = dst[n+a].Estimate
	}
	return dst, err
}
