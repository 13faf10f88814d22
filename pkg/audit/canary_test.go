package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/bound"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// gaussians are independent canaries under Gaussian noise of a given mu, audited at a delta.
func gaussians(m int, mu, delta float64, guesses []int) Canaries {
	exact := account.GaussianEpsilon(delta, mu)
	return Canaries{
		Name: "Gaussian canaries", Claim: privacy.Budget{Epsilon: exact, Delta: delta}, Exact: exact, Count: m, Guesses: guesses,
		Release: func(versions []int, source rand.Source, scores []float64) error {
			privacy.NewNoise(source).Gaussian(scores, 1/mu)
			for i, v := range versions {
				scores[i] += float64(v) - 0.5
			}
			return nil
		},
	}
}

// leaks are canaries under randomised response that show, each with probability delta, their
// version: the worst that (epsilon, delta) allows.
func leaks(m int, epsilon, delta float64, guesses []int) Canaries {
	return Canaries{
		Name: "leaks", Claim: privacy.Budget{Epsilon: epsilon, Delta: delta}, Exact: epsilon, Count: m, Guesses: guesses,
		Release: func(versions []int, source rand.Source, scores []float64) error {
			rng, n := rand.New(source), privacy.NewNoise(source)
			for i, v := range versions {
				if rng.Float64() < delta {
					scores[i] = 2 * (2*float64(v) - 1)
				} else {
					scores[i] = 2*float64(n.Response(v, 2, epsilon)) - 1
				}
			}
			return nil
		},
	}
}

// A true claim is excluded in at most alpha of the audits: 300 each at alpha = 0.1; more than 50
// have probability 1e-4 at most. Without the term for delta, the claim of the leaks would be
// excluded in most. With -short there are 100 each, of which more than 23 have that probability; of
// audits that are wrong half of the time, 23 or fewer have probability 1e-7.
func TestCanariesValid(t *testing.T) {
	seeds, most := uint64(300), 50
	if testing.Short() {
		seeds, most = 100, 23
	}
	for _, c := range []Canaries{
		leaks(1000, 1, 0, nil),
		leaks(200, 0.5, 0.02, []int{20}),
		gaussians(1000, 1, 1e-5, nil),
		gaussians(1000, 0.5, 0.01, nil),
	} {
		wrong := 0
		for seed := range seeds {
			f, err := c.Run(context.Background(), Options{Seed: seed, Confidence: 0.9})
			if err != nil {
				t.Fatal(err)
			}
			if f.Excluded() {
				wrong++
			}
		}
		t.Logf("%s, %v: %d of %d excluded", c.Name, c.Claim, wrong, seeds)
		if wrong > most {
			t.Errorf("%s, %v: a true claim excluded in %d of %d audits at alpha = 0.1, want <= %d", c.Name, c.Claim, wrong, seeds, most)
		}
	}
	// The term matters: half of the 20 surest guesses of the leaks are there because they leak.
	alone := 0
	for seed := range seeds {
		f, err := leaks(200, 0.5, 0.02, []int{5}).Run(context.Background(), Options{Seed: seed, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if right := int(math.Round(f.P * 5)); bound.CanaryP(right, 5, 200, 0.5, 0) <= 0.1 {
			alone++
		}
	}
	t.Logf("without the term for delta %d of %d excluded", alone, seeds)
	if alone < int(seeds)/3 {
		t.Errorf("without the term for delta a true claim is excluded in %d of %d audits, want a third: the case does not test it", alone, seeds)
	}
}

// One run says something: fixed seeds, and bounds well under what they give.
func TestCanariesPower(t *testing.T) {
	for _, c := range []struct {
		Canaries
		least float64
	}{
		{leaks(1000, 1, 0, []int{1000}), 0.75},
		{leaks(10000, 1, 0, []int{10000}), 0.9},
		{gaussians(10000, 4, 1e-5, nil), 2.5},
		{gaussians(10000, 1, 1e-5, nil), 1.2},
	} {
		f, err := c.Run(context.Background(), Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: exact %.3g, epsilon >= %.3g: %s", f.Name, f.Exact, f.Epsilon, f.Event)
		if f.Epsilon < c.least || f.Epsilon > f.Exact {
			t.Errorf("%s, %v: epsilon >= %v, want in [%v, %v]", f.Name, f.Claim, f.Epsilon, c.least, f.Exact)
		}
	}
	broken := leaks(1000, 3, 0, []int{1000})
	broken.Claim.Epsilon = 1
	f, err := broken.Run(context.Background(), Options{Seed: 1})
	if err != nil || !f.Excluded() || f.Needed > 1000 {
		t.Errorf("err %v, want the claim excluded\n%v", err, f)
	}
}
