package privacy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestNoiseLaws compares each law's quantiles with exact ones: a chi-square test over 64 cells of
// equal probability, 200,000 draws each. Fixed seed; the false-alarm rate is 1e-4 a law.
func TestNoiseLaws(t *testing.T) {
	const draws, cells = 200_000, 64
	for _, c := range []struct {
		name string
		fill func(n *Noise, dst []float64)
		law  interface{ CDF(float64) float64 }
	}{
		{"Gaussian", func(n *Noise, dst []float64) { n.Gaussian(dst, 2) }, distuv.Normal{Sigma: 2}},
		{"Laplace", func(n *Noise, dst []float64) { n.Laplace(dst, 0.5) }, distuv.Laplace{Scale: 0.5}},
		{"Gumbel", func(n *Noise, dst []float64) { n.Gumbel(dst, 3) }, distuv.GumbelRight{Beta: 3}},
	} {
		n, dst := NewNoise(rand.NewPCG(2026, 11)), make([]float64, draws)
		c.fill(n, dst)
		var count [cells]int
		for _, z := range dst {
			count[min(int(cells*c.law.CDF(z)), cells-1)]++
		}
		statistic, expected := 0.0, float64(draws)/cells
		for _, k := range count {
			statistic += (float64(k) - expected) * (float64(k) - expected) / expected
		}
		if p := (distuv.ChiSquared{K: cells - 1}).Survival(statistic); p < 1e-4 {
			t.Errorf("%s: p = %v, want >= 1e-4", c.name, p)
		}
	}
}

// TestResponse checks the frequencies of randomised response. Fixed seed; a false alarm has
// probability 1e-4 for each of the 4 answers.
func TestResponse(t *testing.T) {
	const draws, choices, epsilon = 200_000, 4, 1.5
	n := NewNoise(rand.NewPCG(2026, 12))
	var count [choices]int
	for range draws {
		count[n.Response(2, choices, epsilon)]++
	}
	total := math.Exp(epsilon) + choices - 1
	for answer, k := range count {
		p := 1 / total
		if answer == 2 {
			p = math.Exp(epsilon) / total
		}
		sd := math.Sqrt(draws * p * (1 - p))
		if z := (float64(k) - draws*p) / sd; math.Abs(z) > 3.9 {
			t.Errorf("answer %d: %d of %d, %.1f standard deviations from %v", answer, k, draws, z, p*draws)
		}
	}
	if got := n.Response(0, 1, epsilon); got != 0 {
		t.Errorf("one choice: %d, want 0", got)
	}
}

// edge is a source of which every first word of three is 0, the lowest step of any ziggurat.
type edge struct {
	rest  rand.Source
	words int
}

func (e *edge) Uint64() uint64 {
	if e.words++; e.words%3 == 1 {
		return 0
	}
	return e.rest.Uint64()
}

// TestGumbelTail: Gumbel noise has no largest value. What a grid of 2^32 steps would leave out,
// once in 10^10 draws, goes on like an exponential tail.
func TestGumbelTail(t *testing.T) {
	n, dst := NewNoise(&edge{rest: rand.NewPCG(1, 2)}), make([]float64, 1)
	beyond := map[float64]int{}
	for range 3000 {
		n.Gumbel(dst, 2)
		for _, scales := range []float64{22, 24, 26} {
			if dst[0] > 2*scales {
				beyond[scales]++
			}
		}
	}
	if a, b, c := beyond[22], beyond[24], beyond[26]; !(c > 0 && b > 3*c && a > 3*b) {
		t.Errorf("%d draws beyond 22 scales, %d beyond 24, %d beyond 26: want each a seventh of the one before", a, b, c)
	}
}

// TestGaussianEach: the numbers are those of one call of Gaussian each, and so is the ledger.
func TestGaussianEach(t *testing.T) {
	script := func(law Law, dst []float64) {
		for i := range dst {
			dst[i] = law.Scale * float64(law.Dim+i)
		}
	}
	for _, scripted := range []bool{false, true} {
		ledgers := [2]*Ledger{NewLedger(rand.NewPCG(1, 2)), NewLedger(rand.NewPCG(1, 2))}
		var noises [2]*Noise
		for i, l := range ledgers {
			if noises[i] = NewNoise(l); scripted {
				noises[i].script = script
			}
		}
		for n := range 1000 { // some of 10,000 draws are from a layer's edge
			var a, b [20]float64
			noises[0].GaussianEach(a[:n%21], 3)
			for i := range n % 21 {
				noises[1].Gaussian(b[i:i+1], 3)
			}
			if a != b {
				t.Fatalf("%v, want %v", a, b)
			}
		}
		if a, b := ledgers[0].entries, ledgers[1].entries; !slices.Equal(a, b) {
			t.Errorf("the ledger has %v, want %v", a, b)
		}
	}
}
