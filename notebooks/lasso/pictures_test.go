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
		"budget, d = 100": {ByBudget(100), 6}, "budget, d = 1000": {ByBudget(1000), 6}, "FLIPHAT": {FLIPHATByBudget(), 8},
		"dimension": {ByDimension(), 5}, "billboard": {Billboard(), 0},
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

// The upper bounds are above a random arm's regret at the horizon of the experiments, and the lower
// bound with a minimum does not grow as epsilon falls.
func TestTheorems(t *testing.T) {
	at := func(epsilon, horizon float64) map[string]float64 {
		of := map[string]float64{}
		for _, b := range Theorems(100, epsilon) {
			of[b.Name] = b.At(horizon)
		}
		return of
	}
	b := at(0.1, 16000)
	if arm := b["a random arm"]; math.Abs(arm-24618) > 25 || b["Theorem 2"] < arm || b["Theorem 3"] < arm {
		t.Errorf("%v, want 24,618 for a random arm and more for Theorems 2 and 3", b)
	}
	low, high := at(0.01, 16000), at(0.1, 16000)
	if !(low["Theorem 4 with max"] > high["Theorem 4 with max"] && low["Theorem 4 as printed"] == high["Theorem 4 as printed"]) {
		t.Errorf("Theorem 4: %v at epsilon = 0.01, %v at 0.1", low, high)
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
