package bernoulli

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestKLSeries compares an index with bisection while the level and the mean go on by steps of any
// size, and where either is at an end of its range. Before rounding, it is exact.
func TestKLSeries(t *testing.T) {
	root := func(mean, level float64) float64 {
		lo, hi := mean, 1.0
		for {
			q := lo + (hi-lo)/2
			switch {
			case q <= lo || q >= hi:
				return lo
			case mean*math.Log1p(-(q-mean)/q)+(1-mean)*math.Log1p((q-mean)/(1-q)) <= level:
				lo = q
			default:
				hi = q
			}
		}
	}
	r := random.New(1, 0, "levels")
	kept := 0
	for range 2000 {
		k := Upper{}
		mean, level := 1/(1+math.Exp(35*r.Float64()-10)), math.Exp(12*r.Float64()-9)
		for range 50 {
			factor := 1 + math.Exp(-20*r.Float64())
			switch r.IntN(4) {
			case 0:
				mean = min(mean*factor, (1+mean)/2)
			case 1:
				level /= factor
			default:
				level *= factor
			}
			before := k
			got, want := k.At(mean, level), root(mean, level)
			if k == before {
				kept++
			}
			if d := math.Abs(got - want); !(d <= 0x1p-35+1e-14) {
				t.Fatalf("mean %v, level %v: index %v, want %v", mean, level, got, want)
			}
			if k.q == nearOne {
				continue
			}
			if exact := k.at(level - k.level); !(math.Abs(exact-want) <= 1e-14) {
				t.Fatalf("mean %v, level %v: index %v before rounding, want %v", mean, level, exact, want)
			}
		}
	}
	if kept < 10_000 {
		t.Errorf("the series held in %d of 100,000 steps", kept)
	}
	for _, c := range []struct{ mean, level, want float64 }{
		{0.3, 0, 0.3}, {0.3, 1e-300, 0.3}, {0.3, math.Inf(1), 1}, {0.3, 1e300, 1}, {0.3, 30, 1}, {0, 0, 0}, {0, math.Ln2, 0.5}, {1e-300, math.Ln2, 0.5},
		{1e-14, 1, 1 - 1/math.E}, {1, 0, 1}, {1, 1, 1}, {1 - 0x1p-53, 1, 1}, {0.5, 1e-20, 0.5 + math.Sqrt(1e-20/2)},
	} {
		k := Upper{}
		for i := range 3 { // from where the first has left it, too
			if got := k.At(c.mean, c.level*(1-float64(i)*1e-15)); !(math.Abs(got-c.want) <= 0x1p-34) {
				t.Errorf("mean %v, level %v: index %v, want %v", c.mean, c.level, got, c.want)
			}
		}
	}
}
