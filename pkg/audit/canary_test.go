package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

func binomialMass(r, k int, p float64) float64 {
	a, _ := math.Lgamma(float64(r + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(r - k + 1))
	return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(r-k)*math.Log1p(-p))
}

// The p-value is the largest P(W+F >= v) over all laws of F on 0..m with mean 2 m delta: the
// formula against laws of two and three values, and against the binomial's own tail where delta is
// 0.
func TestCanaryP(t *testing.T) {
	const r, m, delta, epsilon = 30, 60, 0.004, 0.7
	right := 1 / (1 + math.Exp(-epsilon))
	above := func(v int) (p float64) { // P(W >= v)
		for k := max(0, v); k <= r; k++ {
			p += binomialMass(r, k, right)
		}
		return p
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for v := 1; v <= r; v++ {
		if got, want := canaryP(v, r, m, epsilon, 0), above(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("delta = 0, v = %d: %v, want %v", v, got, want)
		}
		bound, attained := canaryP(v, r, m, epsilon, delta), above(v)
		mean := 2 * m * delta
		for i := 1; i <= m; i++ { // all mass on 0 and i
			w := min(1, mean/float64(i))
			attained = max(attained, (1-w)*above(v)+w*above(v-i))
		}
		if attained > bound+1e-12 || (bound < 1 && bound > attained+1e-12) {
			t.Errorf("v = %d: the bound is %v, attained is %v", v, bound, attained)
		}
		for range 200 { // three values
			i, j := 1+rng.IntN(m), 1+rng.IntN(m)
			share := rng.Float64()
			wi, wj := share*mean/float64(i), (1-share)*mean/float64(j)
			if wi+wj > 1 {
				continue
			}
			if p := (1-wi-wj)*above(v) + wi*above(v-i) + wj*above(v-j); p > bound+1e-12 {
				t.Errorf("v = %d: %v and %v on %d and %d give %v, above the bound %v", v, wi, wj, i, j, p, bound)
			}
		}
	}
	if p := canaryP(r, r, m, 2000, 0); p != 1 {
		t.Errorf("at epsilon = 2000: p = %v, want 1", p)
	}
}

// gaussians are independent canaries under Gaussian noise of a given mu, audited at a delta.
func gaussians(m int, mu, delta float64, guesses []int) Canaries {
	exact := privacy.GaussianEpsilon(delta, mu)
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
		if right := int(math.Round(f.P * 5)); canaryP(right, 5, 200, 0.5, 0) <= 0.1 {
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
