package charts_test

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func ExampleShow() {
	charts.Show(&charts.Figure{
		Title:   "Noise of a released sum",
		X:       charts.Axis{Name: "round t", Log: true},
		Y:       charts.Axis{Name: "standard deviation", Unit: "reward"},
		Series:  []charts.Series{{Name: "tree", X: []float64{1, 10, 100}, Y: []float64{1, 2, 2.6}, Lo: []float64{0.9, 1.8, 2.4}, Hi: []float64{1.1, 2.2, 2.8}}},
		Caption: "With 95% bands",
		Scale:   charts.LectureScale,
	})
	// Output:
	// Noise of a released sum
	// Figure: Noise of a released sum. standard deviation [reward] against round t for tree.
	// With 95% bands. Scale: this cell, lecture scale.
}

func ExampleGuide() {
	rounds := []float64{1, 100, 10_000}
	root := charts.Guide("√t", rounds, math.Sqrt)
	fmt.Println(root.Name, root.Y, root.Reference)
	// Output: √t [1 10 100] true
}

func ExampleInWords() {
	at := func(policy string, regret float64) simulate.Curve {
		return simulate.Curve{Policy: policy, Rounds: []int{10_000}, Mean: []float64{regret}, SE: []float64{1}}
	}
	fmt.Println(charts.InWords([]simulate.Curve{at("LinUCB", 47), at("private, ε = 1", 1371)}))
	// Output: From most to least regret after 10,000 rounds: private, ε = 1: 1371; LinUCB: 47.
}

func ExampleFigure_StepsInWords() {
	f := &charts.Figure{Slider: charts.Over("ε", []float64{0.5, 1}, func(epsilon float64) charts.Frame {
		return charts.Frame{Series: []charts.Series{{Name: "DP-IMED", X: []float64{1, 100}, Y: []float64{1, 40 / epsilon}}}}
	})}
	fmt.Println(f.StepsInWords())
	// Output: Regret at the end. At ε = 0.5: DP-IMED 80. At ε = 1: DP-IMED 40.
}

func ExampleFinalsInWords() {
	fmt.Println(charts.FinalsInWords([]charts.Series{
		{Name: "ε = 2", X: []float64{0.2, 1}, Y: []float64{196, 1077}, Lo: []float64{116, 1058}, Hi: []float64{275, 1096}},
		{Name: "none", X: []float64{0.2, 1}, Y: []float64{4.125, 123}},
	}))
	// Output: ε = 2: 196 at 0.2 (116 to 275), 1077 at 1 (1058 to 1096). none: 4.12 at 0.2, 123 at 1.
}

func ExampleOver() {
	s := charts.Over("ε", []float64{0.1, 1, math.Inf(1)}, func(eps float64) charts.Frame {
		return charts.Frame{
			Series:  []charts.Series{{Name: "noise", X: []float64{1, 2}, Y: []float64{1 / eps, 2 / eps}}},
			Caption: fmt.Sprintf("The scale of the noise is %g", 1/eps),
		}
	})
	for _, f := range s.Frames {
		fmt.Println(s.Label, "=", f.Value, f.Caption)
	}
	// Output:
	// ε = 0.1 The scale of the noise is 10
	// ε = 1 The scale of the noise is 1
	// ε = ∞ The scale of the noise is 0
}

func ExampleTable() {
	charts.Show(charts.NewTable("learner", "regret").Add("LinUCB", 123.456).Add("tree", 4567.0))
	// Output:
	// | learner | regret |
	// |---------|-------:|
	// | LinUCB  |  123.5 |
	// | tree    |   4567 |
}

func ExampleBeside() {
	measured := &simulate.Table{Curves: []simulate.Curve{
		{Policy: "LinUCB", Rounds: []int{1000}, Mean: []float64{123.4}, SE: []float64{3}},
		{Policy: "random", Rounds: []int{1000}, Mean: []float64{987}, SE: []float64{2}},
	}}
	published := map[string][]charts.Known{"LinUCB": {{Mean: 118, SE: 4}}}
	table, err := charts.Beside{}.Regrets([]string{"LinUCB", "random"}, published, measured)
	if err != nil {
		fmt.Println(err)
		return
	}
	table.Caption = ""
	charts.Show(table)
	// Output:
	// | policy | regret |  SE | independent |  SE | difference in SE |
	// |--------|-------:|----:|------------:|----:|-----------------:|
	// | LinUCB |    123 |   3 |         118 |   4 |             +1.1 |
	// | random |    987 |   2 |           – |   – |                – |
}

func ExampleReleased() {
	for _, n := range charts.Released(13) {
		fmt.Printf("rounds %d to %d\n", n.First(), n.Last())
	}
	// Output:
	// rounds 1 to 8
	// rounds 9 to 12
	// rounds 13 to 13
}

func ExampleGraph() {
	charts.Show(&charts.Graph{
		Title:    "A triangle",
		Vertices: charts.OnCircle("a", "b", "c"),
		Edges:    []charts.Edge{{U: 0, V: 1, Weight: 3}, {U: 1, V: 2, Weight: 2}, {U: 2, V: 0, Weight: 1}},
		Selected: []int{0, 2},
		Basis:    []int{0, 1},
	})
	// Output:
	// Graph: A triangle. 3 vertices; edges a–b (3), b–c (2), c–a (1). Selected: a–b (3), c–a (1). The selected set is a basis: independent, 2 of rank 2, total weight 4.
}

func ExampleGraph_Greedy() {
	g := charts.Graph{
		Vertices: charts.OnCircle("a", "b", "c"),
		Edges:    []charts.Edge{{U: 0, V: 1, Weight: 3}, {U: 1, V: 2, Weight: 2}, {U: 2, V: 0, Weight: 1}},
	}
	for _, s := range g.Greedy().Steps {
		fmt.Println(s.Value, s.Caption)
	}
	// Output:
	// 0 The edges from the largest weight to the smallest
	// 1 a–b (3) is accepted, as number 1 of the basis
	// 2 b–c (2) is accepted, as number 2 of the basis
	// 3 c–a (1) is rejected: it closes a cycle
	// end The greedy basis has 2 edges and the weight 5: no basis has more
}

func ExampleSpans() {
	f, err := charts.Spans{
		Title: "Blocks of an arm",
		Rows:  []string{"1"},
		Kinds: []charts.SpanKind{{Name: "released"}, {Name: "collecting", Fill: charts.Hatched}, {Name: "forgotten", Fill: charts.Hollow}},
		Spans: []charts.Span{{From: 1, To: 2, Kind: 2, Label: "1"}, {From: 2, To: 4, Kind: 0, Label: "2"}, {From: 4, To: 5, Kind: 1, Label: "1 of 4"}},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	charts.Show(f)
	// Output:
	// Blocks of an arm
	// Bars on rows: Blocks of an arm. arm 1: forgotten from 1 to 2, released from 2 to 4, collecting from 4 to 5.
}

// A figure for a paper: one column wide, lettered in 8 points. A name that ends in .pdf or .png
// works the same way, and needs Chromium.
func ExampleSave() {
	figure := &charts.Figure{
		X:      charts.Axis{Name: "round t"},
		Y:      charts.Axis{Name: "cumulative regret"},
		Series: []charts.Series{{Name: "LinUCB", X: []float64{1, 10, 100}, Y: []float64{0.5, 2, 4}}},
	}
	folder, err := os.MkdirTemp("", "paper")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "regret.svg")
	if err := charts.Save(name, figure, charts.Print{Width: charts.SingleColumn, Height: 2.5}); err != nil {
		log.Fatal(err)
	}
	svg, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.34s\n", svg)
	// Output:
	// <svg width="3.5in" height="2.5in"
}
