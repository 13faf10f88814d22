package random

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
)

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
		expect.Binomial(t, c.n, c.p, func() int64 { return b.Rand(src) })
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
