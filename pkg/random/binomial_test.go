package random

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestBinomial compares frequencies with the law by chi-squared, cells of an expectation below 20 merged: 7 laws, each below the 1 - 1e-6 quantile (false alarm 7e-6;
// the seed is fixed).
func TestBinomial(t *testing.T) {
	const draws = 200000
	for _, c := range []struct {
		n int64
		p float64
	}{{1, 0.25}, {7, 0.25}, {116, 0.25}, {20000, 0.25}, {30, 0.9}, {50, 1e-3}, {40000000, 0.25}} {
		b, err := NewBinomial(c.n, c.p)
		if err != nil {
			t.Fatal(err)
		}
		src := Source(1, 0, "binomial")
		counts := map[int64]float64{}
		for range draws {
			z := b.Rand(src)
			if z < 0 || z > c.n {
				t.Fatalf("Binomial(%d, %v): drew %d", c.n, c.p, z)
			}
			counts[z]++
		}
		law := distuv.Binomial{N: float64(c.n), P: c.p}
		chi, cells := 0.0, -1.0
		var seen, want float64
		sd := math.Sqrt(float64(c.n) * c.p * (1 - c.p))
		from, to := int64(max(0, law.Mean()-12*sd-20)), int64(min(float64(c.n), law.Mean()+12*sd+20))
		width := max(1, int64(sd/8))
		for k := from; k <= to; k += width {
			for i := k; i < min(k+width, to+1); i++ {
				seen += counts[i]
				want += draws * math.Exp(law.LogProb(float64(i)))
			}
			if want >= 20 || k+width > to {
				chi += (seen - want) * (seen - want) / max(want, 1e-9)
				cells++
				seen, want = 0, 0
			}
		}
		if cells == 0 {
			continue
		}
		if most := (distuv.ChiSquared{K: cells}).Quantile(1 - 1e-6); chi > most {
			t.Errorf("Binomial(%d, %v): chi-squared = %v in %v cells, want <= %v", c.n, c.p, chi, cells+1, most)
		}
	}
}

// TestBinomialTable: the table's law is the binomial one to 1e-13 in total variation, cell by cell.
func TestBinomialTable(t *testing.T) {
	for _, n := range []int64{0, 1, 116, 20000} {
		b, err := NewBinomial(n, 0.25)
		if err != nil {
			t.Fatal(err)
		}
		mass := make([]float64, len(b.keep))
		for i, k := range b.keep {
			share := float64(k) / (1 << 64)
			mass[i] += share / float64(len(mass))
			mass[b.other[i]] += (1 - share) / float64(len(mass))
		}
		law := distuv.Binomial{N: float64(n), P: 0.25}
		distance := 0.0
		for i, m := range mass {
			want := math.Exp(law.LogProb(float64(b.low) + float64(i)))
			if n == 0 {
				want = 1
			}
			distance += math.Abs(m-want) / 2
		}
		if distance > 1e-10 { // the oracle's logarithms of factorials lose digits
			t.Errorf("Binomial(%d, 1/4): total variation %v", n, distance)
		}
	}
}

func TestBinomialRefuses(t *testing.T) {
	for _, c := range []struct {
		n int64
		p float64
	}{{-1, 0.5}, {5, -0.1}, {5, 1.1}, {5, math.NaN()}, {1 << 60, 0.5}} {
		if _, err := NewBinomial(c.n, c.p); err == nil {
			t.Errorf("NewBinomial(%d, %v) is accepted", c.n, c.p)
		}
	}
	for _, p := range []float64{0, 1} {
		b, err := NewBinomial(9, p)
		if err != nil || b.Rand(Source(1, 0, "x")) != int64(9*p) {
			t.Errorf("NewBinomial(9, %v): %v", p, err)
		}
	}
}

func BenchmarkBinomial(b *testing.B) {
	law, err := NewBinomial(1000, 0.25)
	if err != nil {
		b.Fatal(err)
	}
	src := Source(1, 0, "binomial")
	b.ReportAllocs()
	for b.Loop() {
		law.Rand(src)
	}
}
