package bound

import (
	"math"
	"testing"
)

// tail returns P(Binomial(n, p) >= k) by adding up the probabilities.
func tail(k, n int, p float64) float64 {
	var sum float64
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// The lower bound is the rate at which k or more of n have probability alpha, the upper one that at
// which k or fewer have.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		k, n  int
		alpha float64
	}{{1, 10, 0.005}, {5, 10, 0.005}, {9, 10, 0.1}, {3, 100000, 0.005}, {50000, 100000, 0.005}, {400, 1000, 1e-6}, {999, 1000, 0.005}, {20, 1000000, 0.005}} {
		if c.k > 0 {
			if got := tail(c.k, c.n, Lower(float64(c.k), float64(c.n), c.alpha)); math.Abs(got/c.alpha-1) > 1e-6 {
				t.Errorf("lower(%d, %d): tail %v, want %v", c.k, c.n, got, c.alpha)
			}
		}
		p := Upper(float64(c.k), float64(c.n), c.alpha)
		if got := tail(c.n-c.k, c.n, 1-p); c.n <= 100000 && math.Abs(got/c.alpha-1) > 1e-5 {
			t.Errorf("upper(%d, %d) = %v: tail %v, want %v", c.k, c.n, p, got, c.alpha)
		}
	}
	// None of n: p <= 1 - alpha^(1/n). All of n: p >= alpha^(1/n).
	if got, want := Upper(0, 1000, 0.005), 1-math.Pow(0.005, 0.001); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("upper(0, 1000) = %v, want %v", got, want)
	}
	if got := Lower(0, 1000, 0.005); got != 0 {
		t.Errorf("lower(0, 1000) = %v, want 0", got)
	}
	if got := Upper(1000, 1000, 0.005); got != 1 {
		t.Errorf("upper(1000, 1000) = %v, want 1", got)
	}
	// Large counts against the normal limit.
	if got, want := Lower(2.5e6, 1e7, 0.005), 0.25-Quantile(0.005)*math.Sqrt(0.25*0.75/1e7); math.Abs(got-want) > 1e-6 {
		t.Errorf("lower(2.5e6, 1e7) = %v, want about %v", got, want)
	}
}

// Half of alpha goes to either bound, and delta is taken off the one on p.
func TestExcludes(t *testing.T) {
	// the bound on p from 1000 of 1000 at alpha = 0.01; on q from none it is 1 - all
	all := math.Pow(0.005, 1.0/1000)
	if got, want := excludes(1000, 0, 1000, 0.1, 0.01), math.Log((all-0.1)/(1-all)); math.Abs(got-want) > 1e-9 {
		t.Errorf("excludes(1000, 0, 1000, 0.1, 0.01) = %v, want %v", got, want)
	}
	p, q := Lower(400, 1000, 0.005), Upper(30, 1000, 0.005)
	if got, want := excludes(400, 30, 1000, 0.1, 0.01), math.Log((p-0.1)/q); math.Abs(got-want) > 1e-12 {
		t.Errorf("excludes(400, 30, 1000, 0.1, 0.01) = %v, want %v", got, want)
	}
	if got := excludes(100, 0, 1000, 0.1, 0.01); !math.IsInf(got, -1) {
		t.Errorf("excludes(100, 0, 1000, 0.1, 0.01) = %v, want -Inf", got)
	}
}

// needed is the least number at which the same rates exclude epsilon, and infinite where they never
// do.
func TestNeeded(t *testing.T) {
	const alpha = 0.01
	for _, c := range []struct{ p, q, epsilon, delta float64 }{
		{0.5, 0.1, 1, 0}, {0.5, 0.1, 1.6, 0}, {0.5, 0, 5, 0}, {0.2, 0.01, 1, 0.1}, {1e-3, 1e-4, 2, 0}, {1, 0, 1, 0.1},
	} {
		n := Needed(c.p, c.q, c.epsilon, c.delta, alpha)
		if at := excludes(c.p*n, c.q*n, n, c.delta, alpha); !(at > c.epsilon) {
			t.Errorf("%+v: %v runs exclude %v only", c, n, at)
		}
		if less := excludes(c.p*n*0.99, c.q*n*0.99, n*0.99, c.delta, alpha); n > 200 && less > c.epsilon {
			t.Errorf("%+v: %v runs are needed, a hundredth fewer exclude %v", c, n, less)
		}
	}
	for _, c := range []struct{ p, q, epsilon, delta float64 }{{0.1, 0.1, 1, 0}, {0.2, 0.1, 1, 0}, {0.1, 0, 1, 0.1}, {0, 0, 1, 0}} {
		if n := Needed(c.p, c.q, c.epsilon, c.delta, alpha); !math.IsInf(n, 1) {
			t.Errorf("%+v: %v runs, want +Inf", c, n)
		}
	}
	if n := Needed(0.2719, 0.1, 1, 0, alpha); !(n > 1e8) || math.IsInf(n, 1) { // e = 2.7183
		t.Errorf("rates hardly beyond the claim: %v runs, want many and finite", n)
	}
}
