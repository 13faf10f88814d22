package charts

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// regretFigure is a figure with everything that the papers' figures have.
func regretFigure() *Figure {
	r := rand.New(rand.NewPCG(1, 2))
	curve := func(name string, scale float64, n int) Series {
		s := Series{Name: name}
		for i := range n {
			t := math.Pow(10, 2+3*float64(i)/float64(n-1))
			y := scale * math.Sqrt(t) * (1 + 0.02*r.NormFloat64())
			s.X, s.Y = append(s.X, t), append(s.Y, y)
			s.Lo, s.Hi = append(s.Lo, 0.85*y), append(s.Hi, 1.18*y)
		}
		return s
	}
	ref := Series{Name: "bound of Theorem 5, up to its constant", Reference: true}
	for _, t := range []float64{100, 1000, 1e4, 1e5} {
		ref.X, ref.Y = append(ref.X, t), append(ref.Y, 30*math.Sqrt(t))
	}
	return &Figure{
		Title:   "Regret of private LinUCB grows with the square root of the horizon",
		X:       Axis{Name: "round t", Log: true},
		Y:       Axis{Name: "cumulative regret", Unit: "reward"},
		Series:  []Series{curve("LinUCB (not private)", 1, 200), curve("Gaussian tree, ε = 1", 4, 2000), curve("Wishart tree, ε = 1", 9, 60), curve("shuffle, ε = 1", 14, 60), curve("local, ε = 1", 20, 60), ref},
		Marks:   []Mark{AtX(1024, "2¹⁰"), AtX(30000, "horizon of the paper")},
		Caption: "Mean of 100 trials with 95% bands",
		Scale:   LectureScale,
	}
}

// TestWriteLook writes a page to look at: DPB_LOOK=/tmp/look.html go test -run WriteLook ./charts
func TestWriteLook(t *testing.T) {
	file := os.Getenv("DPB_LOOK")
	if file == "" {
		t.Skip("DPB_LOOK names no file")
	}
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := WriteHTML(w, "look", regretFigure()); err != nil {
		t.Fatal(err)
	}
	svg, err := os.Create(file + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	defer svg.Close()
	if err := WriteSVG(svg, regretFigure()); err != nil {
		t.Fatal(err)
	}
}
