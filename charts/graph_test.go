package charts

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// house has a square with both diagonals and a roof.
func house() *Graph {
	return &Graph{
		Title:    "A graphic matroid: edges without a cycle are independent",
		Vertices: []Vertex{{"a", 0, 0}, {"b", 2, 0}, {"c", 2, 1.4}, {"d", 0, 1.4}, {"e", 1, 2.2}},
		Edges: []Edge{{U: 0, V: 1, Weight: 0.9}, {U: 1, V: 2, Weight: 0.4}, {U: 2, V: 3, Weight: 0.7}, {U: 3, V: 0, Weight: 0.8},
			{U: 0, V: 2, Weight: 0.6}, {U: 1, V: 3, Weight: 0.3}, {U: 2, V: 4, Weight: 0.5}, {U: 3, V: 4, Weight: 0.2}},
		Selected: []int{0, 3, 6},
		Basis:    []int{0, 3, 2, 6},
		Caption:  "Click the edges, or go to them with the tab key and press Enter",
	}
}

// multigraph has parallel edges and loops.
func multigraph() *Graph {
	return &Graph{
		Title:    "Parallel edges and loops",
		Vertices: OnCircle("x", "Gold Fever", "z"),
		Edges:    []Edge{{U: 0, V: 1, Label: "p"}, {U: 1, V: 0, Label: "q"}, {U: 0, V: 1, Label: "r"}, {U: 1, V: 2}, {U: 2, V: 2, Label: "loop"}, {U: 0, V: 2, Label: "s"}, {U: 2, V: 0, Label: "t"}},
		Selected: []int{0, 2, 4},
	}
}

func graphs() []*Graph {
	return []*Graph{house(), multigraph(), house().Greedy(), {Vertices: []Vertex{{}}, Edges: []Edge{{}}}}
}

func TestGraphSVG(t *testing.T) {
	for i, g := range graphs() {
		a, b := must(g.SVG()), must(g.SVG())
		if !bytes.Equal(a, b) {
			t.Errorf("graph %d: two renderings differ", i)
		}
		if m := regexp.MustCompile(`NaN|Infinity|undefined|null`).Find(a); m != nil {
			t.Errorf("graph %d: %s in the picture", i, m)
		}
		checkXML(t, a)
		for v := range g.Vertices {
			if !strings.Contains(string(a), ">"+g.label(v)+"</text>") {
				t.Errorf("graph %d: vertex %q has no label", i, g.label(v))
			}
		}
	}
	svg := string(must(house().SVG()))
	for _, part := range []string{">0.9</text>", "independent, 3 of rank 4, total weight 2.2</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("the picture does not say %s", part)
		}
	}
	if n := strings.Count(svg, `stroke="#0072B2" stroke-width="6"`); n != 3 {
		t.Errorf("%d edges are drawn as selected", n)
	}
	g := house()
	g.Selected = []int{0, 1, 4, 7}
	if svg := string(must(g.SVG())); strings.Count(svg, `stroke="#D55E00" stroke-width="6" stroke-dasharray`) != 3 || !strings.Contains(svg, "dependent: it contains the cycle a–b–c–a</text>") {
		t.Errorf("a dependent set: %s", svg)
	}
}

func checkXML(t *testing.T, svg []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestGraphHTML(t *testing.T) {
	nasty := "\"><img src=x onerror=alert(1)></script><b>'&]]>"
	g := house()
	g.Title, g.Caption, g.BasisName, g.StepLabel, g.Vertices[0].Label, g.Edges[0].Label = nasty, nasty, nasty, nasty, nasty, nasty
	stepped := g.Greedy()
	stepped.Steps[3].Value, stepped.Steps[3].Caption, stepped.Start = nasty, nasty, 3
	own := house()
	own.Alt = nasty
	for _, g := range []*Graph{g, stepped, own} {
		page := must(g.HTML())
		if n := strings.Count(page, "</script>"); n != 2 {
			t.Errorf("%d ends of scripts", n)
		}
		for _, bad := range []string{"<b>'", "onerror=alert(1)>"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s is in the page as it is", bad)
			}
		}
		if !regexp.MustCompile(`^<div class="dpb-widget" id="dpb-[0-9a-f]{12}"[^>]*>\n<img class="dpb-static" alt="[^"]+" style="[^"]*" src="data:image/svg\+xml,[^"<>&]+">\n<div class="dpb-live"></div>\n`).MatchString(page) {
			t.Errorf("the chunk starts with %.200s", page)
		}
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http") {
			t.Error("the chunk asks the network")
		}
		svg := []byte(embedded(t, page))
		if !bytes.Equal(svg, must(g.SVG())) {
			t.Error("the picture is not the graph's SVG")
		}
		checkXML(t, svg)
		if page != must(g.HTML()) {
			t.Error("two renderings differ")
		}
		if id := must(g.ID()); !strings.Contains(page, `id="`+id+`"`) {
			t.Errorf("no id %s", id)
		}
	}
}

// TestQuestion: a title that ends with a mark of its own gets no full stop, in what is said of the
// picture, of each step, and of a figure.
func TestQuestion(t *testing.T) {
	g := house()
	for title, want := range map[string]string{"": "Graph. ", "Which?": "Graph: Which? ", "So it is": "Graph: So it is. "} {
		g.Title = title
		s := g.Greedy()
		heard := must(call([]script{{"tone.js", toneJS()}, {"text.js", textJS}, {"graph.js", graphJS},
			{"heard.js", "function heard(js) { return dpbGraph.heard(JSON.parse(js), 2); }"}}, "heard", must(s.json())))
		for said, next := range map[string]string{g.alt(): "5 vertices", s.alt(): "5 vertices", string(heard): "Accepted"} {
			if !strings.HasPrefix(said, want+next) {
				t.Errorf("of %q it says %.60s", title, said)
			}
		}
	}
	f := Figure{Title: "Which?", X: Axis{Name: "x"}, Y: Axis{Name: "y"}}
	if got := f.alt(); got != "Figure: Which? y against x." {
		t.Error(got)
	}
	if f.Y.Hidden = true; f.alt() != "Figure: Which?" {
		t.Error(f.alt())
	}
}

// TestJudge compares the verdict on sets of edges of random graphs with brute force: a set is
// independent when it has as many edges as its rank, the rank is the size of the largest forest in
// it, and an edge is on a cycle when the rank is the same without it.
func TestJudge(t *testing.T) {
	type job struct {
		N        int        `json:"n"`
		Edges    []edgeSpec `json:"edges"`
		Selected []int      `json:"selected"`
	}
	r := rand.New(rand.NewPCG(5, 6))
	jobs := make([]job, 150)
	for i := range jobs {
		n := 1 + r.IntN(5)
		edges := make([]edgeSpec, 1+r.IntN(8))
		selected := []int{}
		for i := range edges {
			edges[i] = edgeSpec{U: r.IntN(n), V: r.IntN(n)}
			if r.IntN(4) > 0 {
				selected = append(selected, i)
			}
		}
		r.Shuffle(len(selected), func(i, j int) { selected[i], selected[j] = selected[j], selected[i] })
		jobs[i] = job{n, edges, selected}
	}
	var verdicts []struct {
		Rank          int
		Cyclic, Cycle []int
	}
	judge := script{"judge.js", `function judge(js) {
		return JSON.stringify(JSON.parse(js).map(function (a) { return dpbGraph.judge(a.n, a.edges, a.selected); }));
	}`}
	out := must(call([]script{{"graph.js", graphJS}, judge}, "judge", must(json.Marshal(jobs))))
	if err := json.Unmarshal(out, &verdicts); err != nil {
		t.Fatal(err)
	}
	for i, got := range verdicts {
		n, edges, selected := jobs[i].N, jobs[i].Edges, jobs[i].Selected
		rank := forest(n, edges, selected)
		cyclic := []int{}
		for k, i := range selected {
			if forest(n, edges, slices.Delete(slices.Clone(selected), k, k+1)) == rank {
				cyclic = append(cyclic, i)
			}
		}
		if got.Rank != rank || !slices.Equal(got.Cyclic, cyclic) {
			t.Fatalf("%+v: rank %d, cyclic %v; want %d, %v", jobs[i], got.Rank, got.Cyclic, rank, cyclic)
		}
		if (got.Cycle == nil) != (len(selected) == rank) {
			t.Fatalf("%+v: cycle %v with %d edges of rank %d", jobs[i], got.Cycle, len(selected), rank)
		}
		if err := closed(edges, cyclic, got.Cycle); err != nil {
			t.Fatalf("%+v: cycle %v: %v", jobs[i], got.Cycle, err)
		}
	}
}

// forest is the size of the largest subset of the edges that is a forest: with as many trees as it
// has vertices more than edges.
func forest(n int, edges []edgeSpec, set []int) int {
	most := 0
	for mask := range 1 << len(set) {
		reach := make([]uint, n)
		for v := range reach {
			reach[v] = 1 << v
		}
		size := 0
		for range n { // until nothing changes, which takes at most n passes
			size = 0
			for k, i := range set {
				if mask>>k&1 == 1 {
					size++
					both := reach[edges[i].U] | reach[edges[i].V]
					for v := range n {
						if both>>v&1 == 1 {
							reach[v] |= both
						}
					}
				}
			}
		}
		slices.Sort(reach)
		if trees := len(slices.Compact(reach)); size == n-trees {
			most = max(most, size)
		}
	}
	return most
}

// closed checks that the walk is a cycle of the edges.
func closed(edges []edgeSpec, cyclic, walk []int) error {
	if walk == nil {
		return nil
	}
	if walk[0] != walk[len(walk)-1] {
		return errors.New("not closed")
	}
	inner := slices.Clone(walk[1:])
	slices.Sort(inner)
	if len(slices.Compact(inner)) != len(walk)-1 {
		return errors.New("a vertex is there twice")
	}
	used := map[int]bool{}
	for k := 1; k < len(walk); k++ {
		i := slices.IndexFunc(cyclic, func(i int) bool {
			e := edges[i]
			return !used[i] && (e.U == walk[k-1] && e.V == walk[k] || e.V == walk[k-1] && e.U == walk[k])
		})
		if i < 0 {
			return fmt.Errorf("no edge %d–%d is left", walk[k-1], walk[k])
		}
		used[cyclic[i]] = true
	}
	return nil
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		selected []int
		want     string
	}{
		{nil, "independent, 0 of rank 4, total weight 0"},
		{[]int{0, 1, 2}, "independent, 3 of rank 4, total weight 2"},
		{[]int{0, 2, 3, 6}, "a basis: independent, 4 of rank 4, total weight 2.9"},
		{[]int{0, 1, 2, 3}, "dependent: it contains the cycle a–b–c–d–a"},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, "dependent: it contains several cycles, such as a–b–c–a"},
	} {
		g := house()
		g.Selected = c.selected
		if got := string(must(callGraph("verdict", must(g.json())))); got != c.want {
			t.Errorf("%v: %q, want %q", c.selected, got, c.want)
		}
	}
	g := multigraph()
	for i, want := range map[int]string{4: "dependent: it contains the cycle z–z", 0: "independent, 1 of rank 2"} {
		g.Selected = []int{i}
		if got := string(must(callGraph("verdict", must(g.json())))); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGraphGreedy(t *testing.T) {
	g := house().Greedy()
	if len(g.Steps) != 10 || g.start() != 9 {
		t.Fatalf("%d steps, from %d", len(g.Steps), g.start())
	}
	if last := g.Steps[9]; last.Current != nil || !slices.Equal(last.Accepted, []int{0, 3, 2, 6}) || !slices.Equal(last.Rejected, []int{4, 1, 5, 7}) {
		t.Errorf("the last step: %+v", last)
	}
	if s := g.Steps[4]; !slices.Equal(s.Current, []int{4}) || s.Caption != "a–c (0.6) is rejected: it closes a cycle" {
		t.Errorf("step 4: %+v", s)
	}
	svg := string(must(g.SVG()))
	for _, part := range []string{">step = end</text>", ">accepted</text>", ">rejected</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("the picture does not say %s", part)
		}
	}
	if !strings.Contains(must(g.HTML()), "The greedy basis has 4 edges and the weight 2.9: no basis has more") {
		t.Error("no caption of the last step")
	}
	if _, err := (Graph{}).Greedy().HTML(); err == nil {
		t.Error("an empty graph was drawn")
	}
}

// TestGraphFits draws in little room, and vertices in one place or line.
func TestGraphFits(t *testing.T) {
	narrow := multigraph()
	narrow.Width, narrow.Height, narrow.Title = 280, 60, strings.Repeat("a long title ", 9)
	column := &Graph{Vertices: []Vertex{{Y: 1e9}, {Y: -1e9}, {Y: 0}}, Edges: []Edge{{U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 2}, {U: 2, V: 2}}}
	point := &Graph{Vertices: []Vertex{{X: 1e-300, Y: 7}}, Edges: []Edge{{}}}
	for i, g := range []*Graph{narrow, column, point} {
		svg := must(g.SVG())
		checkXML(t, svg)
		if m := regexp.MustCompile(`NaN|Infinity|width="-`).Find(svg); m != nil {
			t.Errorf("graph %d: %s in the picture", i, m)
		}
	}
}

// TestLiveParses: the engine of the static pictures reads the scripts that only a browser runs.
func TestLiveParses(t *testing.T) {
	parse := script{"parse.js", "function parse(text) { new Function(text); return 'parsed'; }"}
	for _, js := range []string{controlJS, liveJS, graphLiveJS, bare(textJS) + bare(graphJS) + bare(controlJS) + bare(graphLiveJS)} {
		if _, err := call([]script{parse}, "parse", []byte(js)); err != nil {
			t.Error(err)
		}
	}
	if _, err := call([]script{parse}, "parse", []byte("var = 1")); err == nil || !strings.Contains(err.Error(), "SyntaxError") {
		t.Errorf("a script that does not parse: %v", err)
	}
}

func TestNoNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := house().SVG(); err == nil || !strings.Contains(err.Error(), "install Node 18.19") {
		t.Errorf("without Node: %v", err)
	}
}

func TestGraphErrors(t *testing.T) {
	with := func(change func(*Graph)) *Graph {
		g := house()
		change(g)
		return g
	}
	for _, c := range []struct {
		g    *Graph
		want string
	}{
		{&Graph{}, "no vertices"},
		{with(func(g *Graph) { g.Edges = nil }), "no edges"},
		{with(func(g *Graph) { g.Vertices[2].Y = math.NaN() }), `vertex 2 "c" is at (2, NaN)`},
		{with(func(g *Graph) { g.Vertices[2].X = math.Inf(-1) }), `vertex 2 "c" is at (-Inf, 1.4)`},
		{with(func(g *Graph) { g.Vertices[2] = g.Vertices[0] }), "vertices 0 and 2 are both at (0, 0)"},
		{with(func(g *Graph) { g.Edges[1].V = 5 }), "edge 1 ends at vertex 5 of 5"},
		{with(func(g *Graph) { g.Edges[1].U = -1 }), "edge 1 ends at vertex -1 of 5"},
		{with(func(g *Graph) { g.Edges[1].Weight = math.NaN() }), "edge 1 has the weight NaN"},
		{with(func(g *Graph) { g.Selected = []int{8} }), "Selected: there is no edge 8 among 8"},
		{with(func(g *Graph) { g.Basis = []int{1, 1} }), "Basis: edge 1 is there twice"},
		{with(func(g *Graph) { g.Start = 1 }), "starts at step 1 of 0"},
		{with(func(g *Graph) { g.Width = -1 }), "size -1 x 0 is negative"},
		{with(func(g *Graph) { g.Steps = []GraphStep{{Accepted: []int{1}, Rejected: []int{1}}} }), "step 0: Accepted and Rejected: edge 1 is there twice"},
		{with(func(g *Graph) { g.Steps = []GraphStep{{Current: []int{1, 2}}} }), "step 0 looks at 2 edges at once"},
		{with(func(g *Graph) { g.Steps = []GraphStep{{Current: []int{9}}} }), "step 0: Current: there is no edge 9 among 8"},
	} {
		if _, err := c.g.HTML(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
