package charts

import (
	"fmt"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
)

// Node is a node of a binary tree over rounds 1, 2, 3, ... Leaves have Level 0, and Index counts
// from the left, from 0. The node covers the rounds Index*2^Level + 1 to (Index+1)*2^Level.
type Node struct{ Level, Index int }

// First returns the first round that the node covers.
func (n Node) First() int { return n.Index<<n.Level + 1 }

// Last returns the last round that the node covers.
func (n Node) Last() int { return (n.Index + 1) << n.Level }

// Tree is a picture of the tree mechanism (Dwork et al. 2010; Chan, Shi and Song 2011) with a
// slider over the rounds. It shows which nodes take in the data of round t, and which nodes the
// release at round t sums. So it shows why one user's data is in at most log2(T)+1 noisy sums, and
// why a release needs at most log2(T) of them.
type Tree struct {
	Rounds int // number of leaves, a power of two from 2 to 64
	// Start is the round shown first. 0 means Rounds-1, the round whose release sums the most nodes.
	Start int
	// Touched returns the nodes that round t is added to. nil means the leaf t and all nodes above it.
	Touched func(t int) []Node
	// Released returns the nodes whose noisy sums are the release at t. nil means those of the binary
	// digits of t.
	Released func(t int) []Node
	Label    func(n Node) string // text inside a node; nil means the rounds that it covers
	Title    string
	Caption  string
}

// Touched returns the leaf of round t and all nodes above it, in a tree over so many rounds.
func Touched(t, rounds int) []Node {
	var out []Node
	for l := 0; 1<<l <= rounds; l++ {
		out = append(out, Node{l, (t - 1) >> l})
	}
	return out
}

// Released returns the nodes whose noisy sums are the release after t rounds, as the mechanism
// itself chooses them.
func Released(t int) []Node {
	var out []Node
	for _, n := range continual.PrefixNodes(t) {
		out = append(out, Node{n.Level, (n.First - 1) >> n.Level})
	}
	return out
}

// Figure returns the picture as a figure with a slider.
func (tr Tree) Figure() (*Figure, error) {
	n := tr.Rounds
	if n < 2 || n > 64 || n&(n-1) != 0 {
		return nil, fmt.Errorf("charts: a tree of %d rounds cannot be drawn: want a power of two from 2 to 64", n)
	}
	if tr.Start < 0 || tr.Start > n {
		return nil, fmt.Errorf("charts: a tree of %d rounds cannot start at round %d", n, tr.Start)
	}
	if tr.Touched == nil {
		tr.Touched = func(t int) []Node { return Touched(t, n) }
	}
	if tr.Released == nil {
		tr.Released = Released
	}
	if tr.Label == nil {
		tr.Label = func(n Node) string {
			if n.Level == 0 {
				return fmt.Sprint(n.First())
			}
			return fmt.Sprintf("%d–%d", n.First(), n.Last())
		}
	}
	if tr.Start == 0 {
		tr.Start = n - 1
	}
	if tr.Title == "" {
		tr.Title = "The tree mechanism: nodes over the rounds they sum"
	}
	levels := bits.Len(uint(n))
	rounds := make([]int, n)
	for i := range rounds {
		rounds[i] = i + 1
	}
	s := Over("round t", rounds, tr.frame)
	s.Start = tr.Start - 1
	return &Figure{
		Title:   tr.Title,
		X:       Axis{Name: "round", Hidden: true, Range: [2]float64{0.5, float64(n) + 0.5}},
		Y:       Axis{Name: "level", Hidden: true, Range: [2]float64{0, float64(levels)}},
		Slider:  s,
		Caption: tr.Caption,
		Alt:     fmt.Sprintf("Binary tree over %d rounds. At round %d: %s", n, tr.Start, s.Frames[s.Start].Caption),
		Height:  150 + 52*levels,
	}, nil
}

// states are the states of a node, in the order of the legend. A hair space keeps the marks of the
// smallest node inside its box.
var states = []struct {
	name, before, after string
	style               int // 0: pale
}{
	{"no data yet", "", "", 0},
	{"holds earlier rounds", "", "", 6},
	{"takes in round t", "", "\u200a+", 5},
	{"summed in the release", "Σ\u200a", "", 1},
	{"both", "Σ\u200a", "\u200a+", 2},
}

func (tr Tree) frame(t int) Frame {
	touched, released := map[Node]bool{}, map[Node]bool{}
	for _, n := range tr.Touched(t) {
		touched[n] = true
	}
	for _, n := range tr.Released(t) {
		released[n] = true
	}
	boxes := make([]Series, len(states))
	for i, s := range states {
		boxes[i] = Series{Name: s.name, Kind: Box, Style: s.style, Faint: s.style == 0}
	}
	for l := 0; 1<<l <= tr.Rounds; l++ {
		for i := range tr.Rounds >> l {
			n := Node{l, i}
			k := 0
			switch {
			case touched[n] && released[n]:
				k = 4
			case released[n]:
				k = 3
			case touched[n]:
				k = 2
			case n.First() < t:
				k = 1
			}
			b := &boxes[k]
			b.X, b.X2 = append(b.X, float64(n.First())-0.5), append(b.X2, float64(n.Last())+0.5)
			b.Lo, b.Hi = append(b.Lo, float64(l)+0.12), append(b.Hi, float64(l)+0.88)
			b.Labels = append(b.Labels, states[k].before+tr.Label(n)+states[k].after)
		}
	}
	f := Frame{Caption: fmt.Sprintf("Round %d is added to %d nodes (+); noisy nodes (Σ) in the release: %d", t, len(touched), len(released))}
	for _, b := range boxes {
		if len(b.X) > 0 {
			f.Series = append(f.Series, b)
		}
	}
	return f
}
