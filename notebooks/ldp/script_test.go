package ldp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestScriptClaims: the public script's noise is worth less than it says, by itself and in batches,
// and the claims say so.
func TestScriptClaims(t *testing.T) {
	for epsilon, want := range map[float64]float64{1: 3.7145, 10: 218.45} {
		l := scriptLDP(1)(privacy.Budget{Epsilon: epsilon, Delta: Delta})
		if err := l.Init(scriptArms.Problem(), Horizon); err != nil {
			t.Fatal(err)
		}
		if c := privacy.ClaimOf(l); !(math.Abs(c.Epsilon()/want-1) < 1e-3) || c.Calibration() != privacy.Given {
			t.Errorf("asked for %v: claims\n%v\nwant %v", epsilon, c, want)
		}
		s := scriptSDP(1)(privacy.Budget{Epsilon: epsilon, Delta: Delta})
		if err := s.Init(scriptArms.Problem(), Horizon); err != nil {
			t.Fatal(err)
		}
		if of, c := privacy.ClaimOf(l), privacy.ClaimOf(s); !(c.Epsilon() > of.Epsilon()) || c.Model() != privacy.Local {
			t.Errorf("asked for %v in batches: claims\n%v\nwant more than\n%v", epsilon, c, of)
		}
	}
}
