package lasso

import (
	"testing"

	"github.com/dpbandits/dpbandits/charts"
)

// Each picture of committed tables has all of its series, and can be drawn.
func TestPictures(t *testing.T) {
	for name, p := range map[string]struct {
		figure *charts.Figure
		series int
	}{
		"budget, d = 100": {ByBudget(100), 7}, "budget, d = 1000": {ByBudget(1000), 7}, "FLIPHAT": {FLIPHATByBudget(), 8},
		"dimension": {ByDimension(), 6},
	} {
		if p.series > 0 && len(p.figure.Series) != p.series {
			t.Errorf("%s: %d series, want %d", name, len(p.figure.Series), p.series)
		}
		if _, err := p.figure.SVG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m := Measured(); len(m.Y) != 1 || !(m.Y[0] > 1000 && m.Y[0] < 2000) {
		t.Errorf("measured %v, want one regret in [1000, 2000]", m.Y)
	}
}

// The bounds are above a random arm's regret at the horizon of the experiments, and meet it later,
// as was computed apart.
func TestBounds(t *testing.T) {
	for i, meets := range []float64{3.4e8, 1.1e9} {
		if b := Bounds(100, 16_000)[i]; b < 1000*RandomArm*16_000 {
			t.Errorf("Theorem %d is %.3g after 16,000 rounds", i+2, b)
		}
		if before, after := Bounds(100, 0.9*meets)[i], Bounds(100, 1.1*meets)[i]; before < RandomArm*0.9*meets || after > RandomArm*1.1*meets {
			t.Errorf("Theorem %d does not meet a random arm near %.2g rounds: %.3g, %.3g", i+2, meets, before, after)
		}
	}
}
