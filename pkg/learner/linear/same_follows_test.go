package linear

import (
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestFollows: only the view of the round after the last choice, of as many arms and with the same
// last context, is taken at its word.
func TestFollows(t *testing.T) {
	x := []float64{1, 0, 0.5, 0.5, 0.5, 0.5}
	for _, c := range []struct {
		name   string
		want   bool
		change func(v *bandit.View)
	}{
		{"next round", true, func(*bandit.View) {}},
		{"not said to be the same", false, func(v *bandit.View) { v.Same = false }},
		{"the same round again", false, func(v *bandit.View) { v.Round-- }},
		{"a round not seen", false, func(v *bandit.View) { v.Round++ }},
		{"fewer arms", false, func(v *bandit.View) { v.Arms-- }},
		{"another last context", false, func(v *bandit.View) { v.X = []float64{1, 0, 0.5, 0.5, 0.5, 0.4} }},
		{"other memory for the contexts", true, func(v *bandit.View) { v.X = append([]float64(nil), v.X...) }},
	} {
		run := runtest.Run(t, learner.New(UCB{}, nil), bandit.Problem{Arms: 3, Dim: 2, Slots: 1, ContextNorm: 1, RewardMax: 1}, 10, nil, rand.NewPCG(1, 2))
		run.Select(&bandit.View{Round: 4, Arms: 3, Dim: 2, X: x}, nil)
		v := bandit.View{Round: 5, Arms: 3, Dim: 2, X: x, Same: true}
		c.change(&v)
		if got := run.Run.(*learner.PrivateRun[privacy.Sums]).Rule().(*UCBRule).optimist.Memory.Follows(&v); got != c.want {
			t.Errorf("%s: follows = %v, want %v", c.name, got, c.want)
		}
	}
}
