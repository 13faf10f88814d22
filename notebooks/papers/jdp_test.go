package papers

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestAuthorsWishart: k and gamma are those of the authors' code in Experiment 2, gamma on both
// sides of the natural shift, and the claim says what k buys.
func TestAuthorsWishart(t *testing.T) {
	w := &authorsWishart{mechanism.Wishart{Budget: JDPBudget, Calibration: privacy.AsPublished}}
	if err := w.Init(privacy.Setup{Dim: 6, Horizon: JDPHorizon, Bound: math.Sqrt2, Alpha: 1. / JDPHorizon}); err != nil {
		t.Fatal(err)
	}
	if w.Freedom() != 239278 {
		t.Errorf("k = %d, want 239278", w.Freedom())
	}
	b := w.Bounds(0)
	for _, rho := range []float64{1e4, 1e6, 4e7} {
		if got, want := w.Bounds(rho-b.RhoMin).Gamma, b.Gamma*math.Sqrt(b.RhoMin/rho); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("gamma = %v at rho_min = %v, want %v", got, rho, want)
		}
	}
	if c := privacy.ClaimOf(w); !(c.Epsilon() < JDPBudget.Epsilon) || c.Calibration() != privacy.Given {
		t.Errorf("claims\n%v\nwant noise that is given and more than enough", c)
	}
}

// TestScriptClaims: the public script's noise is worth less than it says, by itself and in batches,
// and the claims say so.
func TestScriptClaims(t *testing.T) {
	for epsilon, want := range map[float64]float64{1: 3.7145, 10: 218.45} {
		l := ScriptLDP(LDPBudget(epsilon), 1)
		if err := l.Init(ScriptArms().Problem(), LDPHorizon); err != nil {
			t.Fatal(err)
		}
		if c := privacy.ClaimOf(l); !(math.Abs(c.Epsilon()/want-1) < 1e-3) || c.Calibration() != privacy.Given {
			t.Errorf("asked for %v: claims\n%v\nwant %v", epsilon, c, want)
		}
		s := ScriptSDP(LDPBudget(epsilon), 1)
		if err := s.Init(ScriptArms().Problem(), LDPHorizon); err != nil {
			t.Fatal(err)
		}
		if of, c := privacy.ClaimOf(l), privacy.ClaimOf(s); !(c.Epsilon() > of.Epsilon()) || c.Model() != privacy.Local {
			t.Errorf("asked for %v in batches: claims\n%v\nwant more than\n%v", epsilon, c, of)
		}
	}
}
