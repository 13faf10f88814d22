package continual

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Experiment 2 of the JDP paper.
var (
	exp2   = privacy.Setup{Dim: 6, Horizon: 50_000_000, Bound: math.Sqrt2, Alpha: 1.0 / 50_000_000}
	budget = privacy.Budget{Epsilon: 1, Delta: 0.1}
)

func TestGaussianOfExperiment2(t *testing.T) {
	published := nodes[*gaussian](t, Gaussian{Budget: budget, Calibration: privacy.AsPublished}, exp2)
	sound := nodes[*gaussian](t, Gaussian{Budget: budget}, exp2)
	expect.Near(t, "published s", published.SD(), 153.3, 1e-3)
	expect.Near(t, "sound s", sound.SD(), 11.07, 1e-3)
	expect.Near(t, "published Upsilon", published.Shift()/2, 91545, 1e-3)
	// with ln(4n/alpha); ours has ln(8n/alpha), so that the union adds up
	expect.Near(t, "sound Upsilon", sound.Shift()/2, 938, 0.01)
	if e := privacy.ClaimOf(published).Epsilon(); e != 0 {
		t.Errorf("published noise at delta = 0.1: epsilon = %v, want 0: the total variation distance is below delta", e)
	}
	expect.Near(t, "sound epsilon", privacy.ClaimOf(sound).Epsilon(), 1, 1e-9)
	b := published.Bounds(published.Shift())
	expect.Near(t, "rho_max / rho_min", b.RhoMax/b.RhoMin, 3, 1e-12)
}

func TestGaussianTable(t *testing.T) {
	for _, c := range []struct {
		n                    int
		eps, delta           float64
		paper, analytic, eff float64
	}{
		{1_000_000, 1, 1e-6, 557, 37.8, .056},
		{20_000, 1, 1e-5, 413, 28.9, .055},
		{20_000, 10, .1, 11.8, 2.18, .52},
	} {
		s := privacy.Setup{Dim: 6, Horizon: c.n, Bound: math.Sqrt2, Alpha: 1 / float64(c.n)}
		b := privacy.Budget{Epsilon: c.eps, Delta: c.delta}
		published := nodes[*gaussian](t, Gaussian{Budget: b, Calibration: privacy.AsPublished}, s)
		sound := nodes[*gaussian](t, Gaussian{Budget: b}, s)
		expect.Near(t, "published s", published.SD(), c.paper, 5e-3)
		expect.Near(t, "sound s", sound.SD(), c.analytic, 5e-3)
		expect.Near(t, "what the published noise buys", privacy.ClaimOf(published).Epsilon(), c.eff, 0.02)
	}
}

func TestWishartOfExperiment2(t *testing.T) {
	freedom := map[privacy.Calibration]int{}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		w := nodes[*wishart](t, Wishart{Budget: budget, Calibration: c}, exp2)
		freedom[c] = w.Freedom()
		t.Logf("%v: k = %d, shift %.4g, bounds %+v, claim %.4g", c, w.Freedom(), w.Shift(), w.Bounds(w.Shift()), privacy.ClaimOf(w).Epsilon())
		if e := privacy.ClaimOf(w).Epsilon(); e > 1 {
			t.Errorf("%v: claims epsilon = %v, want <= 1", c, e)
		}
	}
	if k := freedom[privacy.AsPublished]; k != 139115 {
		t.Errorf("published k = %d, want 139115", k)
	}
	if freedom[privacy.Sound] >= freedom[privacy.AsPublished] {
		t.Errorf("k = %v: the composition solved exactly should need fewer degrees of freedom than the rule of thumb", freedom)
	}
}
