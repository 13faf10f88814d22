package own

import (
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

func (g *Greedy) Act(ellipsoid []float64, v *bandit.View, dst []int) ([]int, error) {
	best, theta := g.own.IntN(v.Arms), ellipsoid[:v.Dim]
	if g.own.Float64() >= g.Explore {
		for a := range v.Arms {
			if floats.Dot(v.Row(a), theta) > floats.Dot(v.Row(best), theta) {
				best = a
			}
		}
	}
	return append(dst, best), nil
}
