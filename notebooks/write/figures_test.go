package write

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestAttacked(t *testing.T) {
	seen := charts.Series{Name: "early", X: []float64{1, 3, 10, 20}, Y: []float64{0.5, 1, 2, 8}}
	slope := charts.Series{Name: "the truth", Reference: true}
	for _, c := range []struct {
		top   float64
		marks int
	}{{5, 1}, {12, 2}} { // 40,000 runs can show 8.2
		f := Attacked("Two programs", "here", 1, c.top, 40_000, seen, slope)
		if len(f.Marks) != c.marks || strings.Contains(f.Alt, "8.24") != (c.marks == 2) {
			t.Errorf("axis to %g: %d lines, %q", c.top, len(f.Marks), f.Alt)
		}
		if !strings.Contains(f.Alt, "early: 0.50 at a reward of 1, 2.00 at 10 and 8.00 at 20.") ||
			!strings.HasSuffix(f.Alt, "A sloping dashed line is the truth.") {
			t.Errorf("in words: %q", f.Alt)
		}
	}
}

func TestAbove(t *testing.T) {
	s := charts.Series{X: []float64{1, 2, 4}, Y: []float64{1.5, 4, 3}}
	if n, most := Above(s, 1); n != 2 || most != 2 {
		t.Errorf("%d points, by at most %g; want 2, by 2", n, most)
	}
}

func TestPale(t *testing.T) {
	var curves []simulate.Curve
	for _, regret := range []float64{3, 5, 1, 4} {
		curves = append(curves, simulate.Curve{Policy: "a", Rounds: []int{1}, Mean: []float64{regret}})
	}
	f := &charts.Figure{Series: make([]charts.Series, 4)}
	if more := Pale(f, curves); more != 2 {
		t.Errorf("%d pay more, want 2", more)
	}
	for i, want := range []string{"", "2 that pay more", "", "2 that pay more"} {
		if s := f.Series[i]; s.Name != want || s.Faint != (want != "") {
			t.Errorf("series %d: %q, faint: %v, want %q", i, s.Name, s.Faint, want)
		}
	}
}
