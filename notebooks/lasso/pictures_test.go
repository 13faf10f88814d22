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
		if len(p.figure.Series) != p.series {
			t.Errorf("%s: %d series, want %d", name, len(p.figure.Series), p.series)
		}
		if _, err := p.figure.SVG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if rows := PrintedStandings().Rows; len(rows) != len(PrintedEpsilons)+6 || rows[0][3] != "100.0%" {
		t.Errorf("%d rows, the first %v: want %d, the first with 100%%", len(rows), rows[0], len(PrintedEpsilons)+6)
	}
	if m := Measured(); len(m.Y) != 1 || !(m.Y[0] > 1000 && m.Y[0] < 2000) {
		t.Errorf("measured %v, want one regret in [1000, 2000]", m.Y)
	}
}
