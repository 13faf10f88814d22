package ldp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// A short run fails at the parts that noise in five dimensions exceeds, and its gradient bound is
// the toolkit's own, which another file types. The seed is fixed.
func TestEventsSmoke(t *testing.T) {
	s := events(cell.Smoke)[0]
	v := s.Trial(0)
	if len(v) != len(s.What) {
		t.Fatalf("%d numbers, want %d", len(v), len(s.What))
	}
	at := func(what string) float64 {
		for i, w := range s.What {
			if w == what {
				return v[i]
			}
		}
		return math.NaN()
	}
	if w := at(EventWidth); (w > 1) != (at("E1") == 1) || w < 0.5 {
		t.Errorf("|η| is up to %v of its bound, and E1 fails: %v", w, at("E1"))
	}
	for _, what := range []string{EventGradient, EventRegret, EventDistance} {
		if !(at(what) < 1) {
			t.Errorf("%s: %v, want below 1", what, at(what))
		}
	}
}

// Printed at the paper's setting, G is near what others have computed: 2938 for T = 20,000 and
// epsilon = 1.
func TestGradientBound(t *testing.T) {
	c := newConstants(5, 20_000, 0, privacy.Budget{Epsilon: 1, Delta: 0.1})
	if math.Abs(c.gradient/2938-1) > 0.01 {
		t.Errorf("G = %v, want 2938 within 1%%", c.gradient)
	}
}
