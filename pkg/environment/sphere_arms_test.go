package environment

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestSphereArms(t *testing.T) {
	for name, e := range map[string]SphereArms{"d=1": {Dim: 1, Arms: 3}, "d=3": {Dim: 3}, "short": {Dim: 5, Arms: 20, Length: 0.1}} {
		t.Run(name, func(t *testing.T) {
			bandittest.Environment(t, e, bandittest.EnvironmentOptions{Seed: 1})
		})
	}
	trial := runtest.Open(t, SphereArms{Dim: 4}).Start(random.New(1, 0, "contexts")).(*sphereArms)
	var v bandit.View
	trial.Next(&v)
	theta := Theta(trial)
	if math.Abs(inner(theta, theta)-0.25) > 1e-12 {
		t.Errorf("|theta|^2 = %v, want 1/4", inner(theta, theta))
	}
	for a := range v.Arms {
		if x := v.Row(a); math.Abs(inner(x, x)-1) > 1e-12 || math.Abs(trial.Regret([]int{a})-(trial.best-inner(x, theta))) > 1e-12 {
			t.Errorf("arm %d: %v with regret %v", a, x, trial.Regret([]int{a}))
		}
	}
	for _, c := range []struct {
		e    SphereArms
		want string
	}{
		{SphereArms{}, "Dim = 0, want >= 1"}, {SphereArms{Dim: 2, Arms: -1}, "Arms = -1"},
		{SphereArms{Dim: 2, Length: 0.6}, "Length = 0.6"}, {SphereArms{Dim: 2, Length: math.NaN()}, "Length = NaN"}, {SphereArms{Dim: 1 << 50}, "SphereArms of"},
	} {
		if err := refusal(c.e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
