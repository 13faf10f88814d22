package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// gdp returns the canaries of gaussians, with their curve claimed.
func gdp(m int, mu float64, independent bool, guesses []int) Canaries {
	c := gaussians(m, mu, 1e-5, guesses)
	c.Mu, c.Independent = mu, independent
	return c
}

// A curve says more than its point at delta = 1e-5: of Gaussian canaries both tests of it exclude a
// larger mu than the one that Steinke's epsilon is of, and the one for independent canaries
// excludes the most. None exceeds the true mu. The seeds are fixed.
func TestCurvePower(t *testing.T) {
	for _, c := range []struct {
		mu, any, independent float64 // at least these shares of mu
	}{{1, 0.5, 0.9}, {0.5, 0.5, 0.8}, {3, 0.5, 0.9}} {
		var found [2]Finding
		for i := range found {
			f, err := gdp(10000, c.mu, i == 1, nil).Run(context.Background(), Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			found[i] = f
		}
		// The mu whose epsilon at delta = 1e-5 is what Steinke's bound excludes.
		steinke := 0.0
		for step := 1.0; step > 1e-4; {
			if account.GaussianEpsilon(1e-5, steinke+step) < found[0].Epsilon {
				steinke += step
			} else {
				step /= 2
			}
		}
		t.Logf("mu = %v: Steinke %.3f, any %.3f, independent %.3f", c.mu, steinke, found[0].Mu, found[1].Mu)
		if !(found[0].Mu > 1.2*steinke && found[1].Mu > found[0].Mu) {
			t.Errorf("mu = %v: Steinke's point is that of %v, the curves exclude %v and %v, want ever more", c.mu, steinke, found[0].Mu, found[1].Mu)
		}
		if found[0].Mu < c.any*c.mu || found[1].Mu < c.independent*c.mu || found[1].Mu > c.mu {
			t.Errorf("mu = %v: %v and %v are excluded", c.mu, found[0].Mu, found[1].Mu)
		}
	}
	// Twice the claimed mu is caught by the curve, and not by the point.
	c := gdp(2000, 1, false, nil)
	c.Mu, c.Claim.Epsilon = 0.45, account.GaussianEpsilon(1e-5, 0.45)
	f, err := c.Run(context.Background(), Options{Seed: 1})
	if err != nil || !f.Excluded() || f.Epsilon > f.Claim.Epsilon {
		t.Errorf("err %v, want excluded by the curve alone\n%v", err, f)
	}
}

// together is a mechanism that answers all coins by randomised response of a large epsilon with a
// probability that mu-GDP allows for, and else shows nothing. Each coin is mu-GDP, given the
// others.
func together(m int, mu, share, epsilon float64) Canaries {
	return Canaries{
		Name: "together", Claim: privacy.Budget{Epsilon: 20}, Mu: mu, Count: m, Guesses: []int{m},
		Release: func(versions []int, source rand.Source, scores []float64) error {
			rng, n := rand.New(source), privacy.NewNoise(source)
			loud := rng.Float64() < share
			for i, v := range versions {
				if scores[i] = 2*float64(rng.IntN(2)) - 1; loud {
					scores[i] = 2*float64(n.Response(v, 2, epsilon)) - 1
				}
			}
			return nil
		},
	}
}

// A true curve is excluded in at most alpha of the audits, 200 each at alpha = 0.1, of which half
// is the curve's; more than 23 have probability 1e-4 at most. The canaries that answer together are
// mu-GDP and not independent: the test for independent ones is wrong about them in a fifth of the
// runs, and the other is not.
func TestCurveValid(t *testing.T) {
	const mu, share, epsilon = 1, 0.2, 1
	// share of the runs with the loss epsilon is within the curve: delta of the mixture at any e is
	// share (1 - e^(e-epsilon))/(1+e^-epsilon)
	for e := 0.0; e < epsilon; e += 0.01 {
		if d := share * (1 - math.Exp(e-epsilon)) / (1 + math.Exp(-epsilon)); d > account.GaussianDelta(e, mu) {
			t.Fatalf("at epsilon = %v: delta = %v, want <= %v: the case is no mu-GDP", e, d, account.GaussianDelta(e, mu))
		}
	}
	count := func(c Canaries) (wrong int) {
		for seed := range uint64(200) {
			f, err := c.Run(context.Background(), Options{Seed: seed, Confidence: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			if f.Mu > f.ClaimedMu {
				wrong++
			}
		}
		return wrong
	}
	for _, c := range []Canaries{
		gdp(400, 1, false, nil), gdp(400, 1, true, []int{100}), gdp(400, 2, true, []int{40}), gdp(400, 0.3, true, []int{400}),
		together(2000, mu, share, epsilon),
	} {
		wrong := count(c)
		t.Logf("%s, mu = %v, independent %v: %d of 200 excluded", c.Name, c.Mu, c.Independent, wrong)
		if wrong > 23 {
			t.Errorf("%s, mu = %v: a true curve is excluded in %d of 200 audits, want <= 23", c.Name, c.Mu, wrong)
		}
	}
	wrongly := together(2000, mu, share, epsilon)
	wrongly.Independent = true
	if wrong := count(wrongly); wrong < 25 {
		t.Errorf("canaries that are not independent: %d of 200 excluded, want 25: the case does not test the difference", wrong)
	}
}
