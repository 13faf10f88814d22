package charts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
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

// A mark stands at its place on a logarithmic axis, however small: ECharts rounds it to two digits
// after the point unless told not to, and draws none at 0.
func TestSmallMark(t *testing.T) {
	f := Figure{Title: "small", X: Axis{Name: "x", Log: true}, Y: Axis{Name: "y"}, Alt: "none",
		Series: []Series{{Name: "s", X: []float64{0.001, 1}, Y: []float64{1, 2}}}, Marks: []Mark{AtX(0.00316, "here")}}
	svg, err := f.SVG()
	if err != nil || !strings.Contains(string(svg), ">here<") {
		t.Errorf("error %v, want the mark's name in\n%s", err, svg)
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
	items := gallery(t)
	if err := WriteHTML(w, "look", items...); err != nil {
		t.Fatal(err)
	}
	for i, it := range items {
		if f, ok := it.(interface{ SVG() ([]byte, error) }); ok {
			svg, err := f.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(fmt.Sprintf("%s-%d.svg", file, i), svg, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func barFigure() *Figure {
	return &Figure{
		Title: "Audited against claimed privacy",
		X:     Axis{Name: "mechanism", Categories: []string{"Laplace", "Gaussian", "randomised response", "tree, 1024 rounds", "sparse vector, broken"}},
		Y:     Axis{Name: "ε", Unit: "nats"},
		Series: []Series{
			{Name: "claimed", Kind: Bar, Y: []float64{1, 1, 1, 1, 1}},
			{Name: "audited", Kind: Bar, Y: []float64{0.9, 0.87, 0.97, 0.4, 2.3}, Lo: []float64{0.8, 0.8, 0.9, 0.3, 2}, Hi: []float64{1, 0.93, 1.04, 0.5, 2.6}},
		},
		Marks:   []Mark{AtY(1, "the claim")},
		Caption: "Clopper-Pearson lower bounds at 95%",
		Scale:   PaperScale("notebooks/results/audit.json"),
	}
}

func sliderFigure() *Figure {
	return &Figure{
		Title:  "Error of a released sum",
		X:      Axis{Name: "round t"},
		Y:      Axis{Name: "standard deviation", Unit: "reward", Log: true},
		Series: []Series{{Name: "sampling error", Reference: true, X: []float64{1, 1000}, Y: []float64{1, 30}}},
		Slider: Over("ε", []float64{0.1, 0.3, 1, 3, 10}, func(eps float64) Frame {
			tree, naive := Series{Name: "tree"}, Series{Name: "noise each round"}
			for t := 1.0; t <= 1000; t++ {
				tree.X, tree.Y = append(tree.X, t), append(tree.Y, math.Sqrt(1+math.Floor(math.Log2(t)))*10/eps)
				naive.X, naive.Y = append(naive.X, t), append(naive.Y, math.Sqrt(t)*5/eps)
			}
			tree.Kind = Step
			return Frame{Series: []Series{tree, naive}, Caption: fmt.Sprintf("At ε = %v the noise of the tree is %.3g times less", eps, naive.Y[999]/tree.Y[999])}
		}),
		Scale: LectureScale,
	}
}

func sphereFigure() *Figure {
	r := rand.New(rand.NewPCG(3, 4))
	var points []Point3
	for range 300 {
		var p Point3
		n := 0.0
		for i := range p {
			p[i] = r.NormFloat64()
			n += p[i] * p[i]
		}
		for i := range p {
			p[i] /= math.Sqrt(n)
		}
		points = append(points, p)
	}
	return &Figure{
		Title: "Contexts on the unit sphere",
		X:     Axis{Hidden: true, Range: [2]float64{-1.1, 1.1}}, Y: Axis{Hidden: true, Range: [2]float64{-1.1, 1.1}}, Equal: true,
		Slider: Over("azimuth", []float64{0, 30, 60, 90}, func(az float64) Frame {
			return Frame{Value: fmt.Sprintf("%v°", az), Series: append(Sphere(1, az, 25),
				append(Cloud("contexts", points, az, 25), theta(az)...)...)}
		}),
		Scale: LectureScale, Height: 520,
	}
}

func scatterFigure() *Figure {
	return &Figure{
		X: Axis{Name: "privacy loss", Unit: "nats", Log: true}, Y: Axis{Name: "fraction of optimal arms", Format: Percent},
		Series: []Series{
			{Name: "DPUCB-MAT", Kind: Scatter, X: []float64{0.1, 1, 10}, Y: []float64{0.2, 0.52, 0.91}, Lo: []float64{0.15, 0.45, 0.9}, Hi: []float64{0.25, 0.6, 0.93}},
			{Name: "DPTS-MAT", Kind: Scatter, X: []float64{0.1, 1, 10}, Y: []float64{0.3, 0.6, 0.95}, Lo: []float64{0.25, 0.5, 0.92}, Hi: []float64{0.35, 0.7, 0.97}},
		},
		Scale: LectureScale, Height: 380,
	}
}

func histogramFigure() *Figure {
	s := Series{Name: "samples", Kind: Bar}
	l := Series{Name: "density", Reference: true}
	for x := -4.0; x <= 4; x += 0.25 {
		s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(-math.Abs(x))/2)
		l.X, l.Y = append(l.X, x), append(l.Y, math.Exp(-x*x/2)/2.5)
	}
	return &Figure{Title: "Noise", X: Axis{Name: "noise"}, Y: Axis{Name: "density"}, Series: []Series{s, l}, Height: 380}
}

func gallery(t *testing.T) []Item {
	tree, err := Tree{Rounds: 16}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable("learner", "ε", "regret", "note").Add("LinUCB", math.Inf(1), 123.456, "not <private>").Add("tree", 1.0, 987.65, "|x|")
	table.Caption = "Regret after 10,000 rounds"
	return []Item{regretFigure(), barFigure(), sliderFigure(), tree, sphereFigure(), scatterFigure(), histogramFigure(), table, house(), multigraph(), house().Greedy(), must(blocks(false).Figure()), must(blocks(true).Figure())}
}

func theta(azimuth float64) []Series {
	ss := Cloud("θ", []Point3{{0.6, 0, 0.8}}, azimuth, 25)
	ss[0].Size = 20
	return ss
}
