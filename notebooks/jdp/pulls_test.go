package jdp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// The bound is the paper's by hand, and in a short study each learner pulls the second arm
// that often, in a whole number of its rounds. The seed is fixed.
func TestPullsSmoke(t *testing.T) {
	if got, want := LeastPulls(100_000, 0.1), math.Log(1e5)/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}

	s := pulls(cell.Lecture)[0]
	v := s.Trial(0)
	for i := 0; i < len(v); i += 3 {
		n := v[i+2] * math.Pow(float64(s.Rounds), 0.75) / PullsGap
		if v[i] != 1 || v[i+1] < 1 || n > float64(s.Rounds) || math.Abs(n-math.Round(n)) > 1e-6 {
			t.Errorf("%s: %v; %v pulls of %d, %v times the bound", s.What[i], v[i], n, s.Rounds, v[i+1])
		}
	}
}
