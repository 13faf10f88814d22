package online

import (
	"math"
	"os"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// sums are the statistics that DP-FTRL is tried over.
var sums = map[string]privacy.Statistic[continual.Total]{
	"none":          continual.VectorExact{},
	"as printed":    continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}, Calibration: privacy.AsPublished},
	"Laplace":       continual.VectorTree{Budget: privacy.Budget{Epsilon: 1}},
	"square root":   continual.VectorSquareRoot{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}},
	"BLT":           continual.VectorBLT{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}},
	"Gaussian tree": continual.VectorTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}},
}

// overRoot returns the mean of regret/sqrt T over trials, and its standard error.
func overRoot(t testing.TB, rounds, trials int, play func(trial int) ([]float64, error)) (mean, se float64) {
	t.Helper()
	var sum, square float64
	for trial := range trials {
		curve, err := play(trial)
		if err != nil {
			t.Fatal(err)
		}
		r := curve[rounds-1] / math.Sqrt(float64(rounds))
		sum += r
		square += r * r
	}
	n := float64(trials)
	mean = sum / n
	return mean, math.Sqrt(max(0, square/n-mean*mean) / (n - 1))
}

// horizons returns the horizons of the goldens: all of them if DPBANDITS_FULL is set.
func horizons() []int {
	all := []int{1000, 10_000, 100_000}
	switch {
	case testing.Short():
		return all[:1]
	case os.Getenv("DPBANDITS_FULL") == "":
		return all[:2]
	}
	return all
}

func ftrl(name string) FTRL {
	return FTRL{Gradient: 1, Sums: sums[name]}
}

// TestDrift: regret/sqrt T of DP-FTRL on losses with a drift, 30 trials, against numbers of an
// independent program with 30 trials of its own, within three standard errors of the difference and
// what those numbers are rounded by. That is a false alarm in one of 15 seeds for the 24 numbers;
// the seed is fixed.
func TestDrift(t *testing.T) {
	checkRegrets(t, 0.005, []regrets{
		{"none", 2, []float64{0.80, 0.75, 0.72}},
		{"none", 10, []float64{0.83, 0.76, 0.73}},
		{"as printed", 2, []float64{1.34, 0.88, 0.75}},
		{"as printed", 10, []float64{3.80, 2.83, 1.31}},
		{"Laplace", 2, []float64{2.94, 1.73, 0.95}},
		{"Laplace", 10, []float64{5.36, 7.50, 3.79}},
		{"square root", 2, []float64{1.00, 0.77, 0.72}},
		{"square root", 10, []float64{1.91, 0.98, 0.77}},
	}, func(l regrets, rounds, trial int) ([]float64, error) {
		s, err := NewDrift(l.dim, rounds, 0.2, random.New(9, trial, "losses"))
		if err != nil {
			return nil, err
		}
		return Regret(ftrl(l.name), s, rounds, nil, random.Source(9, trial, l.name))
	})
}

// TestOrthogonal: against an adversary who sees what is played, noise costs ever more of sqrt T.
func TestOrthogonal(t *testing.T) {
	checkRegrets(t, 0.05, []regrets{
		{"none", 2, []float64{1, 1, 1}},
		{"none", 10, []float64{1, 1, 1}},
		{"square root", 2, []float64{6.8, 8.7, 10.7}},
		{"square root", 10, []float64{15.3, 27.7, 35.4}},
	}, func(l regrets, rounds, trial int) ([]float64, error) {
		return Against(ftrl(l.name), Orthogonal{}, l.dim, rounds, nil, random.Source(9, trial, l.name))
	})
}

// regrets are goldens of a mechanism: its regret over sqrt T after each of the horizons.
type regrets struct {
	name string
	dim  int
	want []float64
}

// checkRegrets compares the regrets of plays with goldens that are rounded by so much. The bound is
// three standard errors of the difference of two means of 30 trials each.
func checkRegrets(t *testing.T, rounding float64, table []regrets, play func(l regrets, rounds, trial int) ([]float64, error)) {
	t.Helper()
	for _, l := range table {
		for i, rounds := range horizons() {
			mean, se := overRoot(t, rounds, 30, func(trial int) ([]float64, error) { return play(l, rounds, trial) })
			bound := 3*math.Sqrt2*se + rounding
			t.Logf("%s, N = %d, T = %d: %.3f (%.3f), want %.4g", l.name, l.dim, rounds, mean, se, l.want[i])
			if math.Abs(mean-l.want[i]) > bound {
				t.Errorf("%s, N = %d, T = %d: %.3f, want %.4g up to %.3f", l.name, l.dim, rounds, mean, l.want[i], bound)
			}
		}
	}
}

// TestUniformSphere: losses without a drift tell the mechanisms little apart.
func TestUniformSphere(t *testing.T) {
	const rounds, trials = 1000, 30
	for name := range sums {
		for _, dim := range []int{2, 10} {
			mean, se := overRoot(t, rounds, trials, func(trial int) ([]float64, error) {
				s, err := NewDrift(dim, rounds, 0, random.New(9, trial, "losses"))
				if err != nil {
					return nil, err
				}
				return Regret(ftrl(name), s, rounds, nil, random.Source(9, trial, name))
			})
			t.Logf("%s, N = %d: %.3f (%.3f)", name, dim, mean, se)
			if !(mean > 0.79-3*se && mean < 0.97+3*se) {
				t.Errorf("%s, N = %d: %.3f (%.3f), want in [0.79, 0.97]", name, dim, mean, se)
			}
		}
	}
}
