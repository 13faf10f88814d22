package privacy

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

func near(t rapid.TB, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s = %v, want %v within a relative %v", what, got, want, relative)
	}
}

func TestGaussianMuGolden(t *testing.T) {
	for _, c := range []struct{ epsilon, delta, mu, tolerance float64 }{
		{1, 1e-5, 0.26805, 2e-5},
		{0.2, 1e-5, 0.061334, 1e-5},
		{10, 1e-5, 2.00045, 3e-6},
		{1, 0.1, 0.92091, 1e-5},
		// sigma/D of the analytic Gaussian
		{5, 0.1, 1 / 0.4250, 2e-4},
		{8, 0.1, 1 / 0.3215, 2e-4},
		{10, 0.1, 1 / 0.2818, 2e-4},
		{8, 1e-5, 1 / 0.6002, 1e-4},
		{10, 1e-5, 1 / 0.4999, 1e-4},
		{20, 1e-5, 1 / 0.2900, 2e-4},
	} {
		mu, err := Budget{c.epsilon, c.delta}.GaussianMu()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mu*"+Budget{c.epsilon, c.delta}.String(), mu, c.mu, c.tolerance)
	}
}

// TestClassicGaussian checks what sigma = D sqrt(2 ln(1.25/delta))/eps is really worth: safe for
// eps <= 1, broken from eps = 8 at delta = 0.1 and from 10 at 1e-5.
func TestClassicGaussian(t *testing.T) {
	for _, c := range []struct{ delta, epsilon, sigma, truth, tolerance float64 }{
		{0.1, 1, 2.2475, 0.00307, 2e-3},
		{0.1, 5, 0.4495, 0.070, 1e-2},
		{0.1, 8, 0.2809, 0.236, 3e-3},
		{0.1, 10, 0.2248, 0.406, 2e-3},
		{1e-5, 8, 0.6056, 8.0e-6, 1e-2},
		{1e-5, 10, 0.4845, 2.3e-5, 2e-2},
		{1e-5, 20, 0.2422, 1.5e-3, 3e-2},
	} {
		sigma := math.Sqrt(2*math.Log(1.25/c.delta)) / c.epsilon
		near(t, "the classic sigma", sigma, c.sigma, 3e-4)
		near(t, "its true delta", account.GaussianDelta(c.epsilon, 1/sigma), c.truth, c.tolerance)
	}
}

// deltaByQuadrature integrates the definition: the privacy loss of a mu-GDP Gaussian is
// mu Z + mu^2/2, so that delta = E (1 - e^(eps - loss))+ is the integral over v > 0 of
// phi(a+v) (1 - e^(-mu v)), a = eps/mu - mu/2. The integrand is positive: nothing cancels. It
// returns the logarithm, which does not underflow.
func deltaByQuadrature(epsilon, mu float64) (logDelta float64) {
	a := epsilon/mu - mu/2
	start := math.Max(a, 0) // factor phi(start) out, and integrate from a over 12 panels
	integrand := func(z float64) float64 {
		return math.Exp((start-z)*(start+z)/2) * -math.Expm1(-mu*(z-a))
	}
	width := 40 / math.Max(1, a) // e^(-a v) or e^(-v^2/2) is below 1e-17 beyond
	end := math.Max(a+width, 12)
	if a > 0 {
		end = a + math.Min(width, 12)
	}
	var sum float64
	const panels = 24
	for i := range panels {
		lo, hi := a+(end-a)*float64(i)/panels, a+(end-a)*float64(i+1)/panels
		sum += quad.Fixed(integrand, lo, hi, 40, quad.Legendre{}, 0)
	}
	return math.Log(sum) - start*start/2 - math.Log(2*math.Pi)/2
}

func TestGaussianDeltaByQuadrature(t *testing.T) {
	worst, at := 0.0, [2]float64{}
	points := 0
	for _, mu := range []float64{1e-3, 3e-3, 0.01, 0.03, 0.1, 0.26805, 0.5, 0.9209, 1, 2, 3, 5, 10} {
		for _, epsilon := range []float64{0, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 0.5, 1, 2, 3, 5, 8, 10, 15, 20, 30, 50} {
			want := deltaByQuadrature(epsilon, mu)
			if want < -700 { // below the smallest normal number
				if got := account.GaussianDelta(epsilon, mu); !(got >= 0 && got < 1e-300) {
					t.Errorf("GaussianDelta(%v, %v) = %v, want about e^%v", epsilon, mu, got, want)
				}
				continue
			}
			points++
			got := math.Log(account.GaussianDelta(epsilon, mu))
			if e := math.Abs(got - want); !(e <= worst) {
				worst, at = e, [2]float64{epsilon, mu}
			}
		}
	}
	t.Logf("worst relative error of %d points: %.2g at epsilon, mu = %v", points, worst, at)
	if !(worst < 1e-10) || points < 100 {
		t.Errorf("worst relative error of %d points = %v at epsilon, mu = %v, want < 1e-10", points, worst, at)
	}
}

// TestGaussianDeltaPrinted compares with the formula as it is printed, where that is not subject to
// cancellation.
func TestGaussianDeltaPrinted(t *testing.T) {
	phi := distuv.UnitNormal.CDF
	for _, mu := range []float64{0.5, 1, 2, 5} {
		for _, epsilon := range []float64{-3, -1, 0, 0.5, 1, 2} {
			near(t, "delta", account.GaussianDelta(epsilon, mu), phi(mu/2-epsilon/mu)-math.Exp(epsilon)*phi(-mu/2-epsilon/mu), 1e-10)
		}
	}
}

func TestGaussianLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"delta(1, 0)", account.GaussianDelta(1, 0), 0},
		{"delta(-1, 0)", account.GaussianDelta(-1, 0), 1 - math.Exp(-1)},
		{"delta(0, 2)", account.GaussianDelta(0, 2), math.Erf(1 / math.Sqrt2)}, // total variation
		{"delta(0, inf)", account.GaussianDelta(0, inf), 1},
		{"delta(1, inf)", account.GaussianDelta(1, inf), 1},
		{"delta(inf, 1)", account.GaussianDelta(inf, 1), 0},
		{"delta(-inf, 1)", account.GaussianDelta(-inf, 1), 1},
		{"epsilon(0.1, 0)", account.GaussianEpsilon(0.1, 0), 0},
		{"epsilon(0.1, 0.2), below the total variation", account.GaussianEpsilon(0.1, 0.2), 0},
		{"epsilon(0, 1)", account.GaussianEpsilon(0, 1), inf},
		{"epsilon(0.1, inf)", account.GaussianEpsilon(0.1, inf), inf},
	} {
		if !(c.got == c.want || math.Abs(c.got-c.want) < 1e-14) { // rounded up
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
	if e := account.GaussianEpsilon(0.1, math.NaN()); !math.IsInf(e, 1) {
		t.Errorf("epsilon(0.1, NaN) = %v, want +Inf", e)
	}
	if mu, err := (Budget{inf, 0}).GaussianMu(); err != nil || !math.IsInf(mu, 1) {
		t.Errorf("mu*(inf, 0) = %v, %v, want +Inf", mu, err)
	}
	if _, err := (Budget{1, 0}).GaussianMu(); err == nil {
		t.Error("mu*(1, 0): no error, want one: Gaussian noise is not pure")
	}
}

// logUniform draws from [lo, hi], uniform in the logarithm.
func logUniform(t *rapid.T, lo, hi float64, label string) float64 {
	return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, label))
}

func TestGaussianDeltaMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon, mu := logUniform(t, 1e-3, 50, "epsilon"), logUniform(t, 1e-3, 10, "mu")
		more := 1 + logUniform(t, 1e-3, 1, "more")
		delta := account.GaussianDelta(epsilon, mu)
		if delta < 0 || delta > 1 {
			t.Fatalf("delta(%v, %v) = %v, want in [0, 1]", epsilon, mu, delta)
		}
		if d := account.GaussianDelta(epsilon*more, mu); d > delta {
			t.Fatalf("delta(%v, %v) = %v, but %v at epsilon = %v: want it to fall", epsilon, mu, delta, d, epsilon*more)
		}
		if d := account.GaussianDelta(epsilon, mu*more); d < delta {
			t.Fatalf("delta(%v, %v) = %v, but %v at mu = %v: want it to grow", epsilon, mu, delta, d, mu*more)
		}
	})
}

func TestGaussianInverses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon, mu := logUniform(t, 1e-2, 50, "epsilon"), logUniform(t, 1e-2, 10, "mu")
		delta := account.GaussianDelta(epsilon, mu)
		if delta < 1e-290 || delta > 0.99 {
			t.Skip()
		}
		near(t, "epsilon(delta(epsilon, mu), mu)", account.GaussianEpsilon(delta, mu), epsilon, 1e-9)
		root, err := Budget{epsilon, delta}.GaussianMu()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "mu*(epsilon, delta(epsilon, mu))", root, mu, 1e-9)
		if account.GaussianDelta(epsilon, root) > delta {
			t.Fatalf("mu* = %v spends delta = %v of %v: want it on the safe side", root, account.GaussianDelta(epsilon, root), delta)
		}
	})
}
