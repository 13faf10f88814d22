package random

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// checkBinomial compares the frequencies of draws with a binomial law by chi-squared: values are
// merged to an eighth of a standard deviation, and then to an expectation of 20. It accepts the
// 1 - 1e-6 quantile (false alarm 1e-6).
func checkBinomial[N int | int64](t *testing.T, n N, p float64, draw func() N) {
	t.Helper()
	const draws = 200_000
	counts := map[N]float64{}
	for range draws {
		counts[draw()]++
	}
	law := distuv.Binomial{N: float64(n), P: p}
	sd := law.StdDev()
	from, to := N(max(0, law.Mean()-12*sd-20)), N(min(float64(n), law.Mean()+12*sd+20))
	width := max(1, N(sd/8))
	var seen, want []float64 // by cell
	last, all := -1, 0.0
	for k := from; k <= to; k += width {
		if last < 0 || want[last] >= 20 {
			seen, want = append(seen, 0), append(want, 0)
			last++
		}
		for i := k; i < min(k+width, to+1); i++ {
			seen[last] += counts[i]
			want[last] += draws * math.Exp(law.LogProb(float64(i)))
			all += counts[i]
		}
	}
	if want[last] < 20 {
		seen[last-1] += seen[last]
		want[last-1] += want[last]
		last--
	}
	chi := 0.0
	for i := range last + 1 {
		chi += (seen[i] - want[i]) * (seen[i] - want[i]) / want[i]
	}
	if all != draws {
		t.Errorf("binomial(%d, %v): %v of %v draws are in [%d, %d]", n, p, all, draws, from, to)
	}
	if most := (distuv.ChiSquared{K: float64(last)}).Quantile(1 - 1e-6); !(chi <= most) {
		t.Errorf("binomial(%d, %v): chi-squared = %v in %d cells, want <= %v", n, p, chi, last+1, most)
	}
}

// TestBinomial compares frequencies with 7 laws (false alarm 7e-6; the seed is fixed).
func TestBinomial(t *testing.T) {
	for _, c := range []struct {
		n int64
		p float64
	}{{1, 0.25}, {7, 0.25}, {116, 0.25}, {20000, 0.25}, {30, 0.9}, {50, 1e-3}, {40000000, 0.25}} {
		b, err := NewBinomial(c.n, c.p)
		if err != nil {
			t.Fatal(err)
		}
		src := Source(1, 0, "binomial")
		checkBinomial(t, c.n, c.p, func() int64 { return b.Rand(src) })
	}
}

// TestBinomialTable: the table's law is the binomial one to Error in total variation, cell by cell,
// by the recurrence of the masses in 160 bits.
func TestBinomialTable(t *testing.T) {
	for _, n := range []int64{0, 1, 116, 20000, 40_000_000, 200_000_000_000} {
		if n > 1e9 && testing.Short() {
			continue
		}
		b, err := NewBinomial(n, 0.25)
		if err != nil {
			t.Fatal(err)
		}
		num := func(v float64) *big.Float { return new(big.Float).SetPrec(160).SetFloat64(v) }
		cells := num(float64(len(b.keep)))
		law := make([]*big.Float, len(b.keep))
		for i := range law {
			law[i] = num(0)
		}
		for i, k := range b.keep {
			share := new(big.Float).SetPrec(160).SetUint64(k)
			share.SetMantExp(share, -64)
			law[i].Add(law[i], share)
			law[b.other[i]].Add(law[b.other[i]], share.Sub(num(1), share))
		}
		mass, total := []*big.Float{num(1)}, num(1)
		for i := 1; i < len(law); i++ { // C(n, z) 3^-z
			z := float64(b.low) + float64(i)
			next := num(float64(n) - z + 1)
			next.Quo(next.Mul(next, mass[i-1]), num(3*z))
			mass = append(mass, next)
			total.Add(total, next)
		}
		distance := num(0)
		for i, m := range mass {
			d := m.Sub(m.Quo(m, total), law[i].Quo(law[i], cells))
			distance.Add(distance, d.Abs(d))
		}
		if d, _ := distance.Float64(); !(d/2 < b.Error()) {
			t.Errorf("Binomial(%d, 1/4): total variation %v, want < %v", n, d/2, b.Error())
		} else {
			t.Logf("Binomial(%d, 1/4): total variation %v", n, d/2)
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
