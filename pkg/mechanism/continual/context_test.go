package continual

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// A context has a bound of its own: a row within L~ whose context is longer than L is clipped
// there, and so is a reward that the row's bound leaves no room for.
func TestContextsAreClippedToTheirOwnBound(t *testing.T) {
	e := mechanismtest.Played(Exact{Ridge: 1})
	if err := e.Open(privacy.Setup{Dim: 2, Horizon: 10, Bound: 5, Context: 3, Alpha: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, y, wantX, wantY float64 }{
		{2, 1, 2, 1},      // within both
		{4, 1, 3, 1},      // context alone
		{3, 4, 3, 4},      // on both bounds
		{4, 4, 3, 4},      // the row fits once the context does
		{0, 10, 0, 5},     // row alone
		{6, 8, 3, 8},      // both: scaled to the row's bound below
		{-30, -1, -3, -1}, // signs are kept
	} {
		e.Start(nil)
		if err := addRow(e, []float64{c.x, c.y}); err != nil {
			t.Fatal(err)
		}
		scale := math.Min(1, 5/math.Hypot(c.wantX, c.wantY))
		x, y := scale*c.wantX, scale*c.wantY
		got := make([]float64, 3)
		e.Release().Read(got)
		for i, want := range []float64{x*x + 1, x * y, y*y + 1} {
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("row (%v, %v): release %v, want that of (%v, %v)", c.x, c.y, got, x, y)
				break
			}
		}
		clipped := 0
		if c.x != x || c.y != y {
			clipped = 1
		}
		if e.Clipped() != clipped {
			t.Errorf("row (%v, %v): %d rows counted as clipped, want %d", c.x, c.y, e.Clipped(), clipped)
		}
	}
	for _, bad := range []float64{-1, 6, math.NaN()} {
		if err := mechanismtest.Played(Exact{}).Open(privacy.Setup{Dim: 2, Horizon: 10, Bound: 5, Context: bad, Alpha: 1}); err == nil {
			t.Errorf("Setup.Context = %v is accepted", bad)
		}
	}
}
