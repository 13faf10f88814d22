package jdp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
)

// The bound is the paper's by hand, and a small study has numbers for all.
func TestPullsSmoke(t *testing.T) {
	if got, want := LeastPulls(100_000, 0.1), math.Log(1e5)/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	s := pulls(cell.Smoke)[0]
	v := s.Trial(0)
	for i := 0; i < len(v); i += 3 {
		if (v[i] == 1) != (v[i+1] >= 1) {
			t.Errorf("%s: %v with %v times the bound", s.What[i], v[i], v[i+1])
		}
	}
}
