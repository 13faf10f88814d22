// Package own shows what is written outside of the toolkit: policies (Greedy, Hopeful), a statistic
// (Totals), an environment (Seasons). It imports what a module of your own would.
package own

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"gonum.org/v1/gonum/floats"
)

// Greedy plays any arm in a share Explore of the rounds, and else the best by LinUCB's estimate.
type Greedy struct {
	learner.LinUCB
	Explore float64
	own     *rand.Rand
}

func (g *Greedy) Reset(own *rand.Rand) { g.own = own; g.LinUCB.Reset(own) }

// Act draws after it has checked, so that a view which it refuses leaves it as it was.
func (g *Greedy) Act(ellipsoid []float64, v *bandit.View, dst []int) ([]int, error) {
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
	if g.own.Float64() < g.Explore {
		best = g.own.IntN(v.Arms)
	}
	return append(dst, best), nil
}
