package bernoulli

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestBelow: the answer is that of kl itself, wherever the level is not within rounding of it, as
// the mean moves by steps of any size. Mostly it takes no logarithm.
func TestBelow(t *testing.T) {
	r := random.New(1, 0, "means")
	kept := 0
	for range 2000 {
		var b Below
		q := 1 / (1 + math.Exp(12*r.Float64()-6))
		mean := q * r.Float64()
		for range 50 {
			if mean *= 1 + (r.Float64()-0.5)*math.Exp(-12*r.Float64()); mean > 1 {
				mean = q
			}
			level := KL(mean, q) * (1 + (r.Float64()-0.3)*math.Exp(-10*r.Float64()))
			before := b
			got, want := b.At(mean, q, level), mean >= q || KL(mean, q) <= level
			if got == want {
				if want && b == before && mean < q {
					kept++
				}
				continue
			}
			if d := math.Abs(q - mean); !(math.Abs(KL(mean, q)-level) <= 0x1p-50*d) {
				t.Fatalf("mean %v, q %v, level %v, kl %v: %v", mean, q, level, KL(mean, q), got)
			}
		}
	}
	if kept < 30_000 {
		t.Errorf("%d of 100,000 answers took no logarithm", kept)
	}
	for _, c := range []struct {
		mean, q, level float64
		want           bool
	}{
		{0, 0.5, 0.6, false}, {0, 0.5, 0.7, true}, {0.5, 1, 1e9, false}, {1, 1, 0, true}, {0.5, 2, 1e9, false},
		{0.5, math.Inf(-1), 0, true}, {0.4, 0.3, 0, true}, {0.3, 0.4, 0, false}, {0.3, 0.4, math.Inf(1), true},
	} {
		var b Below
		for range 2 {
			if got := b.At(c.mean, c.q, c.level); got != c.want {
				t.Errorf("mean %v, q %v, level %v: %v", c.mean, c.q, c.level, got)
			}
		}
	}
}
