package survey

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// The smallest example against Theorem 1 as printed: one round, no noise. The first point is that
// of least R, and the regret of some loss exceeds sqrt(D_R |l|*^2), but not sqrt(2 D_R |l|*^2).
func TestRegularisersSmallest(t *testing.T) {
	for _, r := range Regularisers {
		x, sum, l := make([]float64, 2), make([]float64, 2), []float64{math.Sqrt(0.5), -math.Sqrt(0.5)}
		r.lead(x, sum, 1)
		regret := x[0]*l[0] + x[1]*l[1] - r.Least(l)
		most := r.Range(2) * r.Dual(l)
		if over := regret / math.Sqrt(most); over <= 1 || over > math.Sqrt2+1e-9 {
			t.Errorf("%s: regret %v over %v, want above 1 and up to √2", r.Name, regret, math.Sqrt(most))
		}
	}
}

// A small study has all numbers, and regret keeps the mended bound: it is beyond it in none of
// 3,000 trials.
func TestRegularisersSmoke(t *testing.T) {
	s := regularisers(cell.Smoke)[0]
	for trial := range 4 {
		v := s.Trial(trial)
		for i, what := range s.What {
			if i%3 == 2 && v[i] > 1 {
				t.Errorf("%s: %v, want at most 1", what, v[i])
			}
		}
	}
}

// DP-SE keeps within the pulls of its proof, and of an arm with a gap of a half it has those of one
// epoch.
func TestPullsSmoke(t *testing.T) {
	if got, want := MostPulls(5, 0.5, 1, 0.05), math.Ceil(32*math.Log(8*5/0.05)*4+1); got != want {
		t.Errorf("%v pulls, want %v", got, want)
	}
	for _, s := range pulls(cell.Smoke) {
		if v := s.Trial(0); v[0] != 0 || v[1] <= 0 || v[1] > 1 {
			t.Errorf("%s: %v, want no failure and a share in (0, 1]", s.Name, v)
		}
	}
}
