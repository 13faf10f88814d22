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

// The bound of sequential halving on two arms is that of one phase of T/2 rewards each; without
// noise it is Hoeffding's alone. On eight arms it falls with the rounds.
func TestHalvingBound(t *testing.T) {
	two, inf := []float64{0.7, 0.5}, math.Inf(1)
	sample, x := math.Exp(-500*0.04/4), 0.3*500*0.2/2
	for epsilon, want := range map[float64]float64{inf: sample, 0.3: sample + (2+x)*math.Exp(-x)/4} {
		if got := HalvingBound(two, epsilon, 1000); math.Abs(got-want) > 1e-12 {
			t.Errorf("two arms, epsilon = %v: %v, want %v", epsilon, got, want)
		}
	}
	if few, many := HalvingBound(halvingArms[0], 1, 1000), HalvingBound(halvingArms[0], 1, 4000); !(few > 1 && many < 1 && many > 0) {
		t.Errorf("a bound of %v after 1,000 rounds and %v after 4,000, want it to fall below 1", few, many)
	}
}
