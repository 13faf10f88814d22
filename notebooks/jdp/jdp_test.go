package jdp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAuthorsWishart: k and gamma are those of the authors' code in Experiment 2, gamma on both
// sides of the natural shift, and the claim says what k buys.
func TestAuthorsWishart(t *testing.T) {
	w, err := authorsWishart{continual.Wishart{Budget: Budget, Calibration: privacy.AsPublished}}.Open(privacy.Setup{Dim: 6, Horizon: Horizon, Bound: math.Sqrt2, Alpha: 1. / Horizon})
	if err != nil {
		t.Fatal(err)
	}
	if k := w.Plan(1).Cases[0][0].Law.Shape; k != 239278 {
		t.Errorf("k = %v, want 239278", k)
	}
	b := w.Bounds(0)
	for _, rho := range []float64{1e4, 1e6, 4e7} {
		if got, want := w.Bounds(rho-b.RhoMin).Gamma, b.Gamma*math.Sqrt(b.RhoMin/rho); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("gamma = %v at rho_min = %v, want %v", got, rho, want)
		}
	}
	if c := privacy.ClaimOf(w); !(c.Epsilon() < Budget.Epsilon) || c.Calibration() != privacy.Given {
		t.Errorf("claims\n%v\nwant noise that is given and more than enough", c)
	}
}
