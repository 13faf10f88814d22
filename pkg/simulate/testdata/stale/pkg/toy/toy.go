// Package toy has an environment and a learner whose regret depends on code of many places.
package toy

import (
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/ignored"
	"github.com/dpbandits/dpbandits/pkg/linked"
	"github.com/dpbandits/dpbandits/pkg/nested"
	"github.com/dpbandits/dpbandits/pkg/toy/helper"

	"example.org/dep"
)

// World is an environment of two arms, of which the second is worse.
type World struct {
	Gap  float64
	Data []float64
}

// Open opens the environment.
func (w World) Open() (bandit.World, error) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	return bandit.NewWorld(p, func(*rand.Rand) bandit.Instance { return &trial{World: w} }), nil
}

type trial struct {
	World
	round int
}

func (t *trial) Next(v *bandit.View) {
	t.round++
	*v = bandit.View{Round: t.round, Arms: 2}
}

func (t *trial) Pull(_ *rand.Rand, _ []int, y []float64) { y[0] = 0 }

func (t *trial) Regret(arms []int) float64 {
	if arms[0] == 0 {
		return 0
	}
	sum := t.Gap
	for _, x := range t.Data {
		sum += x
	}
	return sum + helper.Bonus() + dep.Bonus() + ignored.Bonus() + linked.Bonus() + nested.Bonus() + tagged
}

// Learner plays the second arm once in a Period, of 2 if it is 0, or as Hook says.
type Learner struct {
	Period int
	Hook   func() int
}

// Open opens the learner.
func (l Learner) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	if l.Hook != nil {
		l.Period = l.Hook()
	}
	if l.Period == 0 {
		l.Period = 2
	}
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run { return run{l.Period} }), nil
}

type run struct{ period int }

func (r run) Select(v *bandit.View, dst []int) ([]int, error) {
	if v.Round%r.period == 0 { // edit: policy
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

func (run) Update(*bandit.View, []int, []float64) error { return nil }
