package privacy

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestBinomialNoiseIsCounted: draws are those of package random, the ledger has them by their law,
// and nothing allocates.
func TestBinomialNoiseIsCounted(t *testing.T) {
	b, err := random.NewBinomial(40, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	ledger := NewLedger(random.Source(1, 0, "noise"))
	n, plain := NewNoise(ledger), NewNoise(random.Source(1, 0, "noise")).rng
	dst := make([]int64, 6)
	n.Binomial(dst, b)
	for i, v := range dst {
		if want := b.Rand(plain); v != want {
			t.Errorf("draw %d is %d, want %d", i, v, want)
		}
	}
	n.Round(dst[:2], []float64{0.5, 3})
	if err := ledger.Check([]Draws{{BinomialLaw(6, b), 1}, {RoundLaw(2), 1}}); err != nil {
		t.Error(err)
	}
	other, _ := random.NewBinomial(41, 0.25)
	if ledger.Check([]Draws{{BinomialLaw(6, other), 1}, {RoundLaw(2), 1}}) == nil {
		t.Error("40 trials pass for 41")
	}
	v := make([]float64, 6)
	if allocs := testing.AllocsPerRun(100, func() { n.Binomial(dst, b); n.Round(dst, v) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestRound: integers stay, others go to one of their neighbours with the right mean: 100,000
// roundings, 5 standard errors (false alarm 3e-6; the seed is fixed).
func TestRound(t *testing.T) {
	n := NewNoise(random.Source(1, 0, "rounding"))
	v := []float64{2.3, 7, 0, 0.999, -1.5}
	sum, dst := make([]float64, len(v)), make([]int64, len(v))
	const draws = 100000
	for range draws {
		n.Round(dst, v)
		for i, z := range dst {
			if d := float64(z) - v[i]; math.Abs(d) >= 1 {
				t.Fatalf("%v is rounded to %d", v[i], z)
			}
			sum[i] += float64(z)
		}
	}
	for i, s := range sum {
		frac := v[i] - math.Floor(v[i])
		if se := math.Sqrt(frac * (1 - frac) / draws); math.Abs(s/draws-v[i]) > 5*se {
			t.Errorf("%v is rounded to %v in the mean", v[i], s/draws)
		}
	}
}
