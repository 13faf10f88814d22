package bandittest

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// turnsEnv pays 1 for one of two arms, and 0 for the other, in turn. Regret is that of the round
// unless Hindsight.
type turnsEnv struct{ Hindsight bool }

type turns struct {
	of    turnsEnv
	round int
}

func (e turnsEnv) Open() (bandit.World, error) {
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}
	return bandit.NewWorld(p, func(*rand.Rand) bandit.Instance { return &turns{of: e} }), nil
}

func (t *turns) Next(v *bandit.View) {
	t.round++
	v.Round, v.Arms, v.Dim, v.X, v.Same = t.round, 2, 0, nil, false
}

func (t *turns) Pull(_ *rand.Rand, arms []int, y []float64) {
	for i, a := range arms {
		y[i] = float64((a + t.round) % 2)
	}
}

func (t *turns) Regret(arms []int) float64 {
	best := 1.0
	if t.of.Hindsight { // the best arm gains in rounds 1, 3, ...: it is always arm 0
		best = float64(t.round % 2)
	}
	return best - float64((arms[0]+t.round)%2)
}

// Regret in hindsight passes as such and not as regret of the round, and the other way round.
func TestHindsight(t *testing.T) {
	for _, of := range []bool{false, true} {
		Environment(t, turnsEnv{of}, EnvironmentOptions{Hindsight: of})
		r := &recorder{TB: t}
		Environment(r, turnsEnv{of}, EnvironmentOptions{Hindsight: !of, RegretIsNotMean: true})
		r.caught(t, "the other regret", "Regret")
	}
}
