package environment_test

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Blind has the arms and the regrets of the environment, and no contexts.
func TestBlind(t *testing.T) {
	open := environment.SphereArms{Arms: 6, Dim: 3}
	blind := environment.Blind{Environment: environment.SphereArms{Arms: 6, Dim: 3}}
	world := runtest.Open(t, blind)
	if p := world.Problem(); p.Dim != 0 || p.ContextNorm != 0 || p.Arms != 6 {
		t.Errorf("%+v", p)
	}
	var seen, hidden bandit.View
	trial := runtest.Open(t, open).Start(random.New(1, 0, "contexts"))
	other := world.Start(random.New(1, 0, "contexts"))
	trial.Next(&seen)
	other.Next(&hidden)
	if hidden.Dim != 0 || hidden.X != nil || hidden.Arms != seen.Arms || len(seen.X) == 0 {
		t.Errorf("%+v, want %+v without contexts", hidden, seen)
	}
	for arm := range 6 {
		if a, b := trial.Regret([]int{arm}), other.Regret([]int{arm}); a != b {
			t.Errorf("arm %d has a regret of %v, want %v", arm, b, a)
		}
	}
	for _, bad := range []environment.Blind{{}, {Environment: environment.SphereArms{}}} {
		if _, err := bad.Open(); err == nil {
			t.Errorf("%+v opens", bad)
		}
	}
}
