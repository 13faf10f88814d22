package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestGaussianThompson: it plays each arm so often first, then mostly the best one, and claims what
// its draws reveal. More variance is more privacy and more regret: of 10 trials each, means are
// several standard errors apart, and the first is several below half of that of playing at random.
func TestGaussianThompson(t *testing.T) {
	for i, a := range play(t, arms.NewGaussianThompson(1, 25, 1e-5), four, 100, func(arm, _ int) float64 { return float64(arm) / 4 }) {
		if a != i/25 {
			t.Fatalf("round %d plays arm %d, want %d", i+1, a, i/25)
		}
	}
	const horizon, first = 4000, 10
	var before, spread, epsilon float64
	for _, variance := range []float64{0.5, 5, 50} {
		l := arms.NewGaussianThompson(variance, first, 1e-5)
		mean, se := regret(t, l, c2, horizon, 10, 1)
		c := privacy.ClaimOf(opened(t, l, bandit.Problem{Arms: 5, Slots: 1, RewardMax: 1}, horizon))
		t.Logf("variance %v: a regret of %.0f (%.0f), epsilon = %.4g", variance, mean, se, c.Epsilon())
		if want := account.GaussianEpsilon(1e-5, math.Sqrt((horizon-first+1)/(variance*(first+1)))); math.Abs(c.Epsilon()-want) > 1e-9*want {
			t.Errorf("variance %v: claims epsilon = %v, want %v", variance, c.Epsilon(), want)
		}
		if c.Model() != privacy.Central || !(c.Epsilon() < epsilon || epsilon == 0) {
			t.Errorf("variance %v: claims %v, and %v of less variance", variance, c, epsilon)
		}
		if !(mean-before > 4*math.Hypot(se, spread)) {
			t.Errorf("variance %v: a regret of %.0f (%.0f), want more than %.0f (%.0f)", variance, mean, se, before, spread)
		}
		if random := 0.25 * horizon; before == 0 && !(mean < random/2) {
			t.Errorf("a regret of %.0f, and %.0f at random", mean, random)
		}
		before, spread, epsilon = mean, se, c.Epsilon()
	}
}
