package lasso

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// The compatibility constant is what it is by hand.
func TestCompatibility(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: %.8g, want %.8g", what, got, want)
		}
	}
	two := mat.NewSymDense(2, []float64{1, 0.9, 0.9, 1})
	near("two, no cone", Compatibility(two, []int{0}, 0), 1)
	near("two, cone 1/2", Compatibility(two, []int{0}, 0.5), 1-0.9+0.25)
	near("two, cone 3", Compatibility(two, []int{0}, 3), 0.19)
	// Both matter: signs differ, and x = (1/2, -1/2).
	near("two, both", Compatibility(two, []int{0, 1}, 3), 0.05)
	for _, cone := range []float64{0, 3} {
		near("independent", Compatibility(AssumedOn[3].Covariance(), []int{0, 1, 2, 3, 4}, cone), 0.2)
	}
	// Equi-correlated in d dimensions: (1-r)(1/s + ...) between these.
	got := Compatibility(AssumedOn[2].Covariance(), []int{0, 1, 2, 3, 4}, 3)
	if low, high := 0.3/5, 0.3*(1./5+1./25/35); got < low || got > high {
		t.Errorf("equi-correlated: %v, want in [%v, %v]", got, low, high)
	}
}

// Small studies measure what theory says: symmetric laws, and a balance of 1/2 across theta, and
// what theta itself leaves along it. The seed is fixed; one in some 3,000 would be a false alarm.
func TestAssumptionsSmoke(t *testing.T) {
	for _, a := range AssumedOn[:4] {
		s := a.study(cell.Lecture)
		values := s.Trial(0)
		if math.Abs(values[4]-0.5) > 0.08 || math.Abs(values[3]-0.225) > 0.025 || math.Abs(values[2]) > 4/math.Sqrt(500) {
			t.Errorf("%s: %v of %q", a.Name, values, s.What)
		}
	}
	if tilt := AssumedOn[5].study(cell.Lecture).Trial(0)[2]; tilt < 0.1 {
		t.Errorf("with a margin the tilt is %v, want above 0.1", tilt)
	}
}

// A value at Lemma 3's distance from the threshold is missed as often as the laws of the noise say,
// to four standard errors: a false alarm in 16,000 seeds.
func TestSelectionSmoke(t *testing.T) {
	s := selection(cell.Smoke)[0]
	want := NewSelection(1)
	values := s.Trial(0)
	p := want.Misses(want.Alpha)
	if math.Abs(values[3]-p) > 4*math.Sqrt(p*(1-p)/SelectionDraws) || p < 0.1 {
		t.Errorf("missed in a share of %v of draws, want %v, above 0.1", values[3], p)
	}
	if values[4] != 0 || want.Misses(want.Each) > 1./SelectionRounds {
		t.Errorf("with its own ε and δ: %v, want none, and a probability of %v below 1/T", values[4], want.Misses(want.Each))
	}
}
