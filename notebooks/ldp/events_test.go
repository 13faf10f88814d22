package ldp

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// A short run fails at the parts that noise in five dimensions exceeds, and keeps the
// bounds of Corollary C.1 and Theorem C.2. The seed is fixed.
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
