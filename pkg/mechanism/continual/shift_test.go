package continual

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
)

// TestWishartGammaShifted: |h| in the norm of (H + cI)^-1 is at most gamma times the root of
// l/(l+c) for the eigenvalue l in [rho_min, rho_max] where that is greatest: rho_min if the shift
// is down (Claim 20), rho_max if it is up.
func TestWishartGammaShifted(t *testing.T) {
	w := nodes[Nodes](t, Wishart{Budget: budget, Unshifted: true}, exp2)
	b := w.Bounds(0)
	for _, factor := range []float64{-0.99, -0.5, 0, 0.5, 1, 10} {
		shift := factor * b.RhoMin
		worst := 0.0
		for i := range 101 {
			l := b.RhoMin + (b.RhoMax-b.RhoMin)*float64(i)/100
			worst = math.Max(worst, b.Gamma*math.Sqrt(l/(l+shift)))
		}
		expect.Near(t, "gamma", w.Bounds(shift).Gamma, worst, 1e-12)
	}
}
