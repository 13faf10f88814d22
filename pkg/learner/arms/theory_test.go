package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestDEps compares the closed form with a search for the infimum, which is convex in z.
func TestDEps(t *testing.T) {
	kl := func(p, q float64) (sum float64) {
		if p > 0 {
			sum += p * math.Log(p/q)
		}
		if p < 1 {
			sum += (1 - p) * math.Log((1-p)/(1-q))
		}
		return sum
	}
	r := random.New(1, 0, "divergences")
	for range 2000 {
		eps, x, y := math.Exp(8*r.Float64()-6), r.Float64(), r.Float64()
		lo, hi := x, y
		for range 200 {
			a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
			if eps*math.Abs(a-x)+kl(a, y) < eps*math.Abs(b-x)+kl(b, y) {
				hi = b
			} else {
				lo = a
			}
		}
		want := eps*math.Abs(lo-x) + kl(lo, y)
		got := arms.DEps(eps, x, y)
		if !(math.Abs(got-want) <= 1e-12+1e-9*want) {
			t.Errorf("d_%v(%v, %v) = %v, want %v", eps, x, y, got, want)
		}
		if other := arms.DEps(eps, 1-x, 1-y); !(math.Abs(got-other) <= 1e-12+1e-9*got) {
			t.Errorf("d_%v(%v, %v) = %v, and with 0 and 1 exchanged %v", eps, x, y, got, other)
		}
		if !(got <= kl(x, y)*(1+1e-9) && got <= eps*math.Abs(x-y)*(1+1e-9)) {
			t.Errorf("d_%v(%v, %v) = %v, want <= kl = %v and <= eps |x-y| = %v", eps, x, y, got, kl(x, y), eps*math.Abs(x-y))
		}
	}
	for _, c := range []struct{ eps, x, y, want float64 }{
		{math.Inf(1), 0.3, 0.6, kl(0.3, 0.6)}, {1, 0.4, 0.4, 0}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1e300, 0, 1, 1e300},
		{math.Inf(1), 0, 1, math.Inf(1)}, {0.5, 0, 0.5, -math.Log(0.5 + 0.5*math.Exp(-0.5))},
		{0, 0.5, 0.5, math.NaN()}, {1, -0.1, 0.5, math.NaN()}, {1, 0.1, 1.5, math.NaN()}, {math.NaN(), 0.1, 0.5, math.NaN()},
	} {
		got := arms.DEps(c.eps, c.x, c.y)
		if !(math.Abs(got-c.want) <= 1e-14 || got == c.want || math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("d_%v(%v, %v) = %v, want %v", c.eps, c.x, c.y, got, c.want)
		}
	}
}

// TestLowerBounds computes bounds by hand.
func TestLowerBounds(t *testing.T) {
	ln := math.Log(1e7)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		// kl(1/2, 3/4) = ln(2/sqrt 3)
		{"Lai and Robbins", arms.DEpsBound(math.Inf(1), []float64{0.75, 0.5, 0.75}, 1e7), 0.25 / math.Log(2/math.Sqrt(3)) * ln},
		// the infimum is linear for small epsilon: -eps/2 - ln(1/4 + 3/4 e^-eps)
		{"d_eps", arms.DEpsBound(0.1, []float64{0.75, 0.5}, 1e7), 0.25 / (-0.05 - math.Log(0.25+0.75*math.Exp(-0.1))) * ln},
		{"no gap", arms.DEpsBound(0.1, []float64{0.5, 0.5}, 1e7), 0},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-12*c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	for _, x := range []float64{
		arms.DEpsBound(0, []float64{0.5}, 10), arms.DEpsBound(1, []float64{1.5}, 10), arms.DEpsBound(1, []float64{math.NaN()}, 10),
		arms.DEpsBound(math.Inf(1), []float64{0.5}, 0),
	} {
		if !math.IsNaN(x) {
			t.Errorf("a bound out of its range is %v, want NaN", x)
		}
	}
}
