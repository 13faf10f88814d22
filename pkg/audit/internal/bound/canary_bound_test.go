package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
		if got, want := CanaryP(v, r, m, epsilon, 0), above(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("delta = 0, v = %d: %v, want %v", v, got, want)
		}
		bound, attained := CanaryP(v, r, m, epsilon, delta), above(v)
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
	if p := CanaryP(r, r, m, 2000, 0); p != 1 {
		t.Errorf("at epsilon = 2000: p = %v, want 1", p)
	}
}

// The bound on any canaries is attained where it can be compared: with one canary, P(right) = tau
// is possible up to Phi(mu/2); and it excludes no law of the counts that a mechanism has, such as
// the binomial of independent canaries.
func TestGaussianExcludes(t *testing.T) {
	for _, mu := range []float64{0.3, 1, 2} {
		most := normal(mu / 2)
		if gaussianExcludes(1, 1, 1, mu, most-1e-9) || !gaussianExcludes(1, 1, 1, mu, most+1e-9) {
			t.Errorf("mu = %v: one guess, right with probability %v, is not the bound", mu, most)
		}
		for _, m := range []int{5, 50, 500} {
			for v := 1; v <= m; v += max(1, m/25) {
				tau := portable.RegIncBeta(float64(v), float64(m-v)+1, most)
				if gaussianExcludes(v, m, m, mu, tau*(1-1e-6)) {
					t.Errorf("mu = %v: %d of %d right, which has probability %v, is excluded", mu, v, m, tau)
				}
				if !newIndependent(v, m, m).excludes(mu, tau*(1+1e-6)) {
					t.Errorf("mu = %v: %d of %d right has probability %v if independent, and is not excluded above it", mu, v, m, tau)
				}
			}
		}
	}
}
