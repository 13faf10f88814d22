package lasso

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/environment"
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

// Independent contexts have the margin constant 1/sqrt(pi), a little less at 0.2, and eigenvalues
// near 1. The margin is a share of 5,000 rounds with standard error 0.022 over 0.2.
func TestMeasure(t *testing.T) {
	a := Measure(&environment.Sparse{Dim: 5, Sparsity: 5, Leading: true}, 5000)
	if math.Abs(a.Margin-0.56) > 0.1 || math.Abs(a.All-1) > 0.2 || !(a.Best > 0.3) || !(a.Entry > 3 && a.Norm > a.Entry) {
		t.Errorf("%+v", a)
	}
}
