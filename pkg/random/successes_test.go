package random

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestSuccesses compares frequencies with the law by chi-squared, values merged to an eighth of a
// standard deviation and then to an expectation of 20: 9 laws, each below the 1 - 1e-6 quantile
// (false alarm 9e-6; the seed is fixed). A law whose mean is off by 1% of a standard deviation is
// caught in most of them.
func TestSuccesses(t *testing.T) {
	const draws = 200_000
	for _, c := range []struct {
		n int
		p float64
	}{{1, 0.25}, {7, 0.75}, {32, 0.5}, {33, 0.1}, {64, 0.75}, {1000, 0.9}, {3000, 1e-3}, {20_000, 0.28125}, {10_000_000, 0.75}} {
		rng := New(1, 0, fmt.Sprintf("successes of %d", c.n))
		counts := map[int]float64{}
		for range draws {
			z := Successes(rng, c.n, c.p)
			if z < 0 || z > c.n {
				t.Fatalf("Successes(%d, %v) = %d", c.n, c.p, z)
			}
			counts[z]++
		}
		law := distuv.Binomial{N: float64(c.n), P: c.p}
		sd := law.StdDev()
		from, to := int(max(0, law.Mean()-12*sd-20)), int(min(float64(c.n), law.Mean()+12*sd+20))
		width := max(1, int(sd/8))
		chi, cells := 0.0, -1.0
		var seen, want, all float64
		for k := from; k <= to; k += width {
			for i := k; i < min(k+width, to+1); i++ {
				seen += counts[i]
				want += draws * math.Exp(law.LogProb(float64(i)))
			}
			if want >= 20 || k+width > to {
				chi += (seen - want) * (seen - want) / max(want, 1e-9)
				cells++
				all += seen
				seen, want = 0, 0
			}
		}
		if all != draws {
			t.Errorf("Successes(%d, %v): %v of %v draws are in the range", c.n, c.p, all, draws)
		}
		if most := (distuv.ChiSquared{K: cells}).Quantile(1 - 1e-6); chi > most {
			t.Errorf("Successes(%d, %v): chi-squared = %v in %v cells, want <= %v", c.n, c.p, chi, cells+1, most)
		}
	}
}

// TestSuccessesEdges: what is certain draws nothing, and what is not a probability panics.
func TestSuccessesEdges(t *testing.T) {
	rng, twin := New(1, 0, "edges"), New(1, 0, "edges")
	if a, b, c := Successes(rng, 0, 0.5), Successes(rng, 9, 0), Successes(rng, 9, 1); a != 0 || b != 0 || c != 9 {
		t.Errorf("certain numbers of successes: %d, %d, %d", a, b, c)
	}
	if rng.Uint64() != twin.Uint64() {
		t.Error("what is certain takes a draw")
	}
	for _, c := range []struct {
		n int
		p float64
	}{{-1, 0.5}, {5, -0.1}, {5, 1.1}, {5, math.NaN()}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Successes(%d, %v) does not panic", c.n, c.p)
				}
			}()
			Successes(rng, c.n, c.p)
		}()
	}
}

func BenchmarkSuccesses(b *testing.B) {
	rng := New(1, 0, "successes")
	for _, n := range []int{32, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Successes(rng, n, 0.75)
			}
		})
	}
}
