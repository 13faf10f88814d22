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
		b := privacy.Budget{Epsilon: epsilon, Delta: Delta}
		l, err := scriptLDP(b, 1).Open(scriptArms.Problem(), Horizon)
		if err != nil {
			t.Fatal(err)
		}
		if c := privacy.ClaimOf(l); !(math.Abs(c.Epsilon()/want-1) < 1e-3) || c.Calibration() != privacy.Given {
			t.Errorf("asked for %v: claims\n%v\nwant %v", epsilon, c, want)
		}
		s, err := scriptSDP(b, 1).Open(scriptArms.Problem(), Horizon)
		if err != nil {
			t.Fatal(err)
		}
		if of, c := privacy.ClaimOf(l), privacy.ClaimOf(s); !(c.Epsilon() > of.Epsilon()) || c.Model() != privacy.Local {
			t.Errorf("asked for %v in batches: claims\n%v\nwant more than\n%v", epsilon, c, of)
		}
	}
}
