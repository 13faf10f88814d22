package expect

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Kolmogorov returns sqrt(n) times the largest distance between the empirical and the exact
// distribution function. Beyond 2.23 it has probability 1e-4 (Kolmogorov: 2 exp(-2 x^2)).
func Kolmogorov(sample []float64, cdf func(float64) float64) float64 {
	sorted := append([]float64(nil), sample...)
	slices.Sort(sorted)
	n := float64(len(sorted))
	var d float64
	for i, x := range sorted {
		f := cdf(x)
		d = math.Max(d, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	return d * math.Sqrt(n)
}

// Binomial compares the frequencies of draws with a binomial law by chi-squared: values are
// merged to an eighth of a standard deviation, and then to an expectation of 20. It accepts the
// 1 - 1e-6 quantile (false alarm 1e-6).
func Binomial[N int | int64](t *testing.T, n N, p float64, draw func() N) {
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
			want[last] += draws * law.Prob(float64(i))
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
