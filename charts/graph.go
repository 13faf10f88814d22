package charts

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Graph is a picture of an undirected graph whose edges the reader clicks to select. When the
// selected set has a cycle, the edges on cycles turn red and dashed, and a line of text names a
// cycle. The sets without a cycle are the independent sets of the graphic matroid. Where scripts do
// not run, the edges in Selected are shown as selected.
//
// With Steps the reader steps through the picture instead; [Graph.Greedy] makes the steps of the
// greedy algorithm.
type Graph struct {
	Title     string
	Vertices  []Vertex
	Edges     []Edge      // parallel edges and loops are drawn too
	Selected  []int       // the edges selected at the start, by index
	Basis     []int       // edges that a button highlights; when empty there is no button
	BasisName string      // the button's text; "the greedy basis" when empty
	Steps     []GraphStep // steps of a slider, instead of clicking
	StepLabel string      // what the slider counts; "step" when empty
	// Start is the step shown first, and the one shown where scripts do not run. A negative Start
	// counts from the end.
	Start   int
	Caption string // below the graph, before that of the step
	Scale   string // as for Figure
	Alt     string // read by screen readers; when empty, made from the graph
	Width   int    // in pixels; 860 when 0
	Height  int    // in pixels, without the controls; 460 when 0
}

// Vertex is a vertex of a [Graph]. Positions are in any unit, y upwards; the picture is scaled to
// its size. A vertex without a label gets its number, from 1.
type Vertex struct {
	Label string
	X, Y  float64
}

// Edge joins the vertices U and V, counted from 0. If Label is empty and some edge of the graph has
// a weight other than 0, the weight is shown instead.
type Edge struct {
	U, V   int
	Weight float64
	Label  string
}

// GraphStep is what a graph shows at one place of its slider. Edges are given by index.
type GraphStep struct {
	Value    string // such as "3"; when empty, the place, from 0
	Accepted []int
	Rejected []int
	Current  []int // the edge looked at in this step, at most one
	Caption  string
}

// OnCircle returns vertices evenly spaced on a circle, clockwise from the top.
func OnCircle(labels ...string) []Vertex {
	vs := make([]Vertex, len(labels))
	for i, l := range labels {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(len(labels)))
		vs[i] = Vertex{l, s, c}
	}
	return vs
}

// graphSpec is a graph in the form that js/graph.js reads.
type graphSpec struct {
	Title     string       `json:"title"`
	Alt       string       `json:"alt"`
	Vertices  []vertexSpec `json:"vertices"`
	Edges     []edgeSpec   `json:"edges"`
	Weighted  bool         `json:"weighted"`
	Selected  []int        `json:"selected"`
	Basis     []int        `json:"basis"`
	BasisName string       `json:"basisName"`
	Label     string       `json:"label"` // of the slider, if there is one
	Steps     []stepSpec   `json:"steps"`
	Start     int          `json:"start"`
	Width     int          `json:"width"`
	Height    int          `json:"height"`
}

type vertexSpec struct {
	Label string `json:"label"`
	X     number `json:"x"`
	Y     number `json:"y"`
}

type edgeSpec struct {
	U      int     `json:"u"`
	V      int     `json:"v"`
	Weight float64 `json:"weight"`
	Text   string  `json:"text"`
}

type stepSpec struct {
	Value    string `json:"value"`
	Caption  string `json:"caption"`
	Accepted []int  `json:"accepted"`
	Rejected []int  `json:"rejected"`
	Current  int    `json:"current"` // -1: none
}

func (g *Graph) check() error {
	if err := g.valid(); err != nil {
		return fmt.Errorf("charts: graph %q: %w", g.Title, err)
	}
	return nil
}

func (g *Graph) valid() error {
	if g.Width < 0 || g.Height < 0 {
		return fmt.Errorf("size %d x %d is negative", g.Width, g.Height)
	}
	if err := checkTexts("", reflect.ValueOf(g)); err != nil {
		return err
	}
	if len(g.Vertices) == 0 {
		return errors.New("no vertices")
	}
	if len(g.Edges) == 0 {
		return errors.New("no edges")
	}
	at := map[[2]float64]int{}
	for i, v := range g.Vertices {
		if math.IsNaN(v.X+v.Y) || math.IsInf(v.X, 0) || math.IsInf(v.Y, 0) {
			return fmt.Errorf("vertex %d %q is at (%v, %v)", i, v.Label, v.X, v.Y)
		}
		if j, ok := at[[2]float64{v.X, v.Y}]; ok {
			return fmt.Errorf("vertices %d and %d are both at (%v, %v)", j, i, v.X, v.Y)
		}
		at[[2]float64{v.X, v.Y}] = i
	}
	for i, e := range g.Edges {
		for _, v := range []int{e.U, e.V} {
			if v < 0 || v >= len(g.Vertices) {
				return fmt.Errorf("edge %d ends at vertex %d of %d", i, v, len(g.Vertices))
			}
		}
		if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
			return fmt.Errorf("edge %d has the weight %v", i, e.Weight)
		}
	}
	if err := g.checkEdges("Selected", g.Selected); err != nil {
		return err
	}
	if err := g.checkEdges("Basis", g.Basis); err != nil {
		return err
	}
	for i, s := range g.Steps {
		if err := g.checkEdges("Accepted and Rejected", slices.Concat(s.Accepted, s.Rejected)); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := g.checkEdges("Current", s.Current); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if len(s.Current) > 1 {
			return fmt.Errorf("step %d looks at %d edges at once", i, len(s.Current))
		}
	}
	if k := len(g.Steps); g.Start != 0 && (g.Start >= k || g.Start < -k) {
		return fmt.Errorf("starts at step %d of %d", g.Start, k)
	}
	return nil
}

// checkEdges reports an edge in a set that does not exist or is there twice.
func (g *Graph) checkEdges(what string, set []int) error {
	seen := map[int]bool{}
	for _, i := range set {
		if i < 0 || i >= len(g.Edges) {
			return fmt.Errorf("%s: there is no edge %d among %d", what, i, len(g.Edges))
		}
		if seen[i] {
			return fmt.Errorf("%s: edge %d is there twice", what, i)
		}
		seen[i] = true
	}
	return nil
}

func (g *Graph) start() int {
	if g.Start < 0 {
		return len(g.Steps) + g.Start
	}
	return g.Start
}

// label returns the label of vertex v.
func (g *Graph) label(v int) string {
	if l := g.Vertices[v].Label; l != "" {
		return l
	}
	return strconv.Itoa(v + 1)
}

func (g *Graph) weighted() bool {
	return slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.Weight != 0 })
}

// name returns the name of edge i: its ends and its text.
func (g *Graph) name(i int) string {
	e := g.Edges[i]
	s := g.label(e.U) + "–" + g.label(e.V)
	if t := g.text(e); t != "" {
		s += " (" + t + ")"
	}
	return s
}

// text returns the text on an edge.
func (g *Graph) text(e Edge) string {
	if e.Label != "" || !g.weighted() {
		return e.Label
	}
	return strings.Replace(strconv.FormatFloat(e.Weight, 'g', 4, 64), "-", "−", 1)
}

func (g *Graph) alt() string {
	if g.Alt != "" {
		return g.Alt
	}
	alt := "Graph"
	if g.Title != "" {
		alt += ": " + g.Title
	}
	list := func(set []int) string {
		if len(set) == 0 {
			return "none"
		}
		var names []string
		for _, i := range set {
			names = append(names, g.name(i))
		}
		return strings.Join(names, ", ")
	}
	all := make([]int, len(g.Edges))
	for i := range all {
		all[i] = i
	}
	alt = fmt.Sprintf("%s %d vertices; edges %s.", sentence(alt), len(g.Vertices), list(all))
	if len(g.Steps) > 0 {
		s := g.Steps[g.start()]
		return fmt.Sprintf("%s Accepted: %s. Rejected: %s.", alt, list(s.Accepted), list(s.Rejected))
	}
	return fmt.Sprintf("%s Selected: %s.", alt, list(g.Selected))
}

// caption returns the caption at step i.
func (g *Graph) caption(i int) string {
	f := Figure{Caption: g.Caption, Scale: g.Scale}
	if len(g.Steps) > 0 {
		f.Slider = &Slider{Frames: []Frame{{Caption: g.Steps[i].Caption}}}
	}
	return f.caption(0)
}

func (g *Graph) json() ([]byte, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	s := graphSpec{Title: g.Title, Alt: g.alt(), Weighted: g.weighted(), BasisName: g.BasisName, Start: g.start(), Width: g.Width, Height: g.Height,
		Selected: append([]int{}, g.Selected...), Basis: append([]int{}, g.Basis...), Steps: []stepSpec{}}
	if s.BasisName == "" {
		s.BasisName = "the greedy basis"
	}
	if s.Width == 0 {
		s.Width = 860
	}
	if s.Height == 0 {
		s.Height = 460
	}
	for i, v := range g.Vertices {
		s.Vertices = append(s.Vertices, vertexSpec{g.label(i), number(v.X), number(v.Y)})
	}
	for _, e := range g.Edges {
		s.Edges = append(s.Edges, edgeSpec{e.U, e.V, e.Weight, g.text(e)})
	}
	for i, st := range g.Steps {
		one := stepSpec{Value: st.Value, Caption: g.caption(i), Accepted: append([]int{}, st.Accepted...), Rejected: append([]int{}, st.Rejected...), Current: -1}
		if one.Value == "" {
			one.Value = strconv.Itoa(i)
		}
		if len(st.Current) == 1 {
			one.Current = st.Current[0]
		}
		s.Steps = append(s.Steps, one)
		if s.Label = g.StepLabel; s.Label == "" {
			s.Label = "step"
		}
	}
	return json.Marshal(s)
}

// ID returns the id of the graph's element on a page: a hash of all that it shows.
func (g *Graph) ID() (string, error) {
	js, err := g.json()
	if err != nil {
		return "", err
	}
	return id(js), nil
}

// Text returns the graph in words: title, alternative text, whether the selected edges are
// independent, and caption.
func (g *Graph) Text() string {
	js, err := g.json()
	if err != nil {
		return err.Error()
	}
	alt, err := g.still(js)
	if err != nil {
		return err.Error()
	}
	parts := []string{alt}
	if g.Alt != "" && g.Title != "" {
		parts = []string{g.Title, alt}
	}
	if c := g.caption(g.start()); c != "" {
		parts = append(parts, c)
	}
	return strings.Join(parts, "\n")
}

// still returns what a screen reader says of the static picture, the verdict on the selected edges
// included.
func (g *Graph) still(js []byte) (string, error) {
	if len(g.Steps) > 0 {
		return g.alt(), nil
	}
	v, err := callGraph("verdict", js)
	if err != nil {
		return "", err
	}
	return g.alt() + " The selected set is " + string(v) + ".", nil
}

// SVG renders the graph as it is at the start. Equal graphs give equal bytes.
func (g *Graph) SVG() ([]byte, error) {
	js, err := g.json()
	if err != nil {
		return nil, err
	}
	svg, err := callGraph("still", js)
	if err != nil {
		return nil, err
	}
	head, rest, _ := strings.Cut(string(svg), ">")
	return []byte(head + "><style>" + darkStyle(rest) + "</style>" + rest), nil
}

// HTML returns the graph as one chunk of text/html: the static picture, the script that makes it
// live, and the caption. It never uses the network.
func (g *Graph) HTML() (string, error) {
	js, err := g.json()
	if err != nil {
		return "", err
	}
	svg, err := g.SVG()
	if err != nil {
		return "", err
	}
	alt, err := g.still(js)
	if err != nil {
		return "", err
	}
	w := g.Width
	if w == 0 {
		w = 860
	}
	live := "to click its edges"
	if len(g.Steps) > 0 {
		live = "to move the slider"
	}
	return chunk{
		class: "dpb-widget", live: live, id: id(js), width: w, alt: alt, svg: svg, caption: g.caption(g.start()),
		scripts: []string{toneJS(), textJS, graphJS, controlJS, graphLiveJS}, function: "liveGraph", arguments: fmt.Sprintf("%q, %s", id(js), inLines(js)),
	}.String(), nil
}

// wordsJS gives the functions of js/graph.js text in place of objects.
const wordsJS = `function still(js) { return dpbGraph.still(JSON.parse(js)); }
function verdict(js) { var spec = JSON.parse(js); return dpbGraph.verdict(spec, spec.selected); }`

// callGraph calls a function of js/graph.js on a graph.
func callGraph(name string, js []byte) ([]byte, error) {
	return call([]script{{"tone.js", toneJS()}, {"text.js", textJS}, {"graph.js", graphJS}, {"words.js", wordsJS}}, name, js)
}
