package amplified_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/amplified"
)

// TestAmplifiedBounds: never above the local guarantee, never below what an adversary gets who adds
// the messages up, nor, for two messages, below the truth.
func TestAmplifiedBounds(t *testing.T) {
	for _, n := range []int{1, 2, 20, 500, 5000} {
		for _, mu := range []float64{0.1, 0.5, 1, 3} {
			for _, epsilon := range []float64{0, 0.05, 0.5, 2} {
				got := amplified.MixedDelta(epsilon, mu, n)
				if local := account.GaussianDelta(epsilon, mu); got > local {
					t.Errorf("n = %d, mu = %v, epsilon = %v: delta = %v, locally %v", n, mu, epsilon, got, local)
				}
				if sum := account.GaussianDelta(epsilon, mu/math.Sqrt(float64(n))); got < sum*(1-1e-9) {
					t.Errorf("n = %d, mu = %v, epsilon = %v: delta = %v, of the sum alone %v", n, mu, epsilon, got, sum)
				}
			}
		}
	}
	// Two messages, N(0 or mu, 1) and N(m, 1), in random order: by quadrature.
	normal := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	const mu, h = 1.5, 0.05
	for _, m := range []float64{0, mu / 2, mu} {
		for _, epsilon := range []float64{0.1, 0.5, 1} {
			truth := 0.0
			for a := -6.0; a < 8; a += h {
				for b := -6.0; b < 8; b += h {
					p := (normal(a)*normal(b-m) + normal(b)*normal(a-m)) / 2
					q := (normal(a-mu)*normal(b-m) + normal(b-mu)*normal(a-m)) / 2
					truth += math.Max(0, p-math.Exp(epsilon)*q) * h * h
				}
			}
			if got := amplified.MixedDelta(epsilon, mu, 2); got < truth-1e-3 {
				t.Errorf("the other at %v, epsilon = %v: delta = %v, truly %v", m, epsilon, got, truth)
			}
		}
	}
}

// TestAmplifiedMu: nothing at a batch of 20, more from several hundred on; what is returned fits
// and 1% more does not.
func TestAmplifiedMu(t *testing.T) {
	for _, b := range []privacy.Budget{{Epsilon: 0.2, Delta: 0.1}, {Epsilon: 1, Delta: 0.1}, {Epsilon: 1, Delta: 1e-5}, {Epsilon: 10, Delta: 0.1}} {
		local, err := b.GaussianMu()
		if err != nil {
			t.Fatal(err)
		}
		last := 0.0
		for _, n := range []int{1, 20, 200, 1000, 5000} {
			mu, err := b.AmplifiedMu(n)
			if err != nil {
				t.Fatal(err)
			}
			if mu < last*(1-1e-6) || mu < local {
				t.Errorf("%v: mu = %v for %d, %v for fewer, %v for one", b, mu, n, last, local)
			}
			last = mu
			if n <= 20 && mu > local*(1+1e-6) {
				t.Errorf("%v: a batch of %d has mu = %v, one message %v", b, n, mu, local)
			}
			if n == 5000 && b.Epsilon <= 1 && mu < 1.3*local {
				t.Errorf("%v: a batch of 5000 has mu = %v, one message %v", b, mu, local)
			}
			if amplified.MixedDelta(b.Epsilon, mu, n) > b.Delta*(1+1e-9) || amplified.MixedDelta(b.Epsilon, 1.01*mu, n) <= b.Delta {
				t.Errorf("%v: mu = %v for %d is not the largest", b, mu, n)
			}
			if epsilon := amplified.MixedEpsilon(b.Delta, mu, n); math.Abs(epsilon-b.Epsilon) > 1e-3*b.Epsilon {
				t.Errorf("%v: mu = %v for %d buys epsilon = %v", b, mu, n, epsilon)
			}
		}
	}
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0.1}).AmplifiedMu(0); err == nil {
		t.Error("no messages are accepted")
	}
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0}).AmplifiedMu(10); err == nil {
		t.Error("delta = 0 is accepted")
	}
}
