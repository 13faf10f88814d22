package charts

import (
	"math"
	"testing"
)

// All points are on the ellipse, and it is closed.
func TestEllipse(t *testing.T) {
	c, a, r := [2]float64{1, -2}, [3]float64{3, -1, 2}, 0.7
	x, y := Ellipse(c, a, r)
	for i := range x {
		u, v := x[i]-c[0], y[i]-c[1]
		if got := a[0]*u*u + 2*a[1]*u*v + a[2]*v*v; math.Abs(got-r*r) > 1e-12 {
			t.Errorf("point %d: %v, want %v", i, got, r*r)
		}
	}
	if n := len(x) - 1; n < 30 || len(y) != len(x) || math.Hypot(x[n]-x[0], y[n]-y[0]) > 1e-12 {
		t.Errorf("%d points from (%v, %v) to (%v, %v)", n, x[0], y[0], x[n], y[n])
	}
}
