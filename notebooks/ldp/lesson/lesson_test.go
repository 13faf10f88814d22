package lesson

import (
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestTrusting(t *testing.T) {
	var curves []simulate.Curve
	for _, name := range []string{"LinUCB, not private", "JDP, BLT", "SDP, vector sum", "LDP LinUCB", "OnlineUCB, width × 1"} {
		curves = append(curves, simulate.Curve{Policy: name, Rounds: []int{1}, Mean: []float64{1}, Trials: 1})
	}
	for i, s := range Trusting("", curves).Series {
		if want := []string{"LinUCB, not private", "JDP: trusts a server", "SDP: trusts a shuffler",
			"LDP LinUCB: trusts nobody", "OnlineUCB: trusts nobody"}[i]; s.Name != want {
			t.Errorf("curve %d is called %q, want %q", i, s.Name, want)
		}
	}
}

// TestEstimates: each part of what the lesson says of its estimates is looked at.
func TestEstimates(t *testing.T) {
	lines := func() (all []charts.Series) {
		for _, y := range [][]float64{
			{0.8, 0.75, 0.75, 0.75, 0.75, 0.75}, {1, 0.5, 0.3, 0.17, 0.1, 0.055}, {1, 0.2, 0.12, 0.07, 0.04, 0.022},
			{0.07, 0.04, 0.027, 0.015, 0.008, 0.005}, {0.05, 0.03, 0.02, 0.015, 0.008, 0.005},
		} {
			all = append(all, charts.Series{X: []float64{1e3, 3e3, 1e4, 3e4, 1e5, 3e5}, Y: y})
		}
		return all
	}
	title, rest, fall := Estimates(lines())
	if !fall || title != "300,000 rows: off by 0.75 squared, 0.055 corrected, 0.005 trusted" ||
		rest != "; sums sent by devices 0.022; trusted after 1000 rows 0.070" {
		t.Errorf("falls: %v, %q, %q", fall, title, rest)
	}
	for _, c := range []struct {
		what        string
		line, place int
		y           float64
	}{
		{"the squared one falls", 0, 2, 1}, {"the corrected one is level", 1, 2, 0.055}, {"the devices' falls like 1/n", 2, 2, 0.7},
		{"the corrected one is near the squared one", 0, 5, 0.2}, {"the corrected one is ahead of the devices'", 1, 5, 0.02},
		{"the devices' is near the server's", 3, 5, 0.01}, {"the server's noise still counts", 4, 5, 0.004},
	} {
		all := lines()
		all[c.line].Y[c.place] = c.y
		if c.place == 5 && c.line < 4 { // with the same slope
			all[c.line].Y[2] *= c.y / lines()[c.line].Y[5]
		}
		if _, _, fall := Estimates(all); fall {
			t.Errorf("passes although %s", c.what)
		}
	}
}

func TestShrink(t *testing.T) {
	of := func(widths ...float64) (frames []charts.Frame) {
		for _, w := range widths {
			frames = append(frames, charts.Frame{Series: []charts.Series{{X: []float64{1, 1 - w, 1 - w/2}}}})
		}
		return frames
	}
	if !Shrink(of(3, 2, 1)) || Shrink(of(3, 1, 2)) {
		t.Errorf("three shrinking sets: %v; with one that grows: %v", Shrink(of(3, 2, 1)), Shrink(of(3, 1, 2)))
	}
}

func TestDress(t *testing.T) {
	var styles []int
	for _, s := range Dress([]charts.Series{{Name: "random arms"}, {Name: "LinUCB, not private"}, {Name: "LDP LinUCB"}, {Name: "other"}}...) {
		styles = append(styles, s.Style)
	}
	if want := []int{7, 1, 4, 0}; !slices.Equal(styles, want) {
		t.Errorf("styles %v, want %v", styles, want)
	}
}

func TestEnds(t *testing.T) {
	table := Ends("here", "Two rounds", []simulate.Curve{{Policy: "a", Rounds: []int{1, 2}, Mean: []float64{1, 2.4}, SE: []float64{0, 0.6}, Trials: 3}})
	if want := []any{"a", "2", "1"}; !slices.Equal(table.Rows[0], want) || table.Caption != "Two rounds; 3 trials, seed 2024" || table.Scale != "here" {
		t.Errorf("%v, %q, %q", table.Rows, table.Caption, table.Scale)
	}
}
