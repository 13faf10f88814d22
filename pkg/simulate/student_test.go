package simulate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudent95 compares the quantile with gonum's; a single trial has no interval.
func TestStudent95(t *testing.T) {
	for _, trials := range []int{2, 3, 8, 24, 1000} {
		want := distuv.StudentsT{Sigma: 1, Nu: float64(trials - 1)}.Quantile(0.975)
		if got := (Curve{Trials: trials}).Student95(); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d trials: %v, want %v", trials, got, want)
		}
	}
	for _, trials := range []int{0, 1} {
		if got := (Curve{Trials: trials}).Student95(); !math.IsNaN(got) {
			t.Errorf("%d trials: %v, want NaN", trials, got)
		}
	}
}
