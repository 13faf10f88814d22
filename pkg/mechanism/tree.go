package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Tree releases running sums by the binary tree mechanism (Chan, Shi, Song 2011; Dwork, Naor,
// Pitassi, Rothblum 2010).
//
// The rows are the leaves, and a node holds the sum of its leaves plus noise of its own. The prefix
// of t rows is the sum of one node for each binary digit 1 of t. For a horizon of n rows, a row is
// in at most floor(log2(n-1)) + 1 released nodes. The last row is not released, as no round follows
// it. The trust model is central; neighbouring streams differ in one row, replaced by any other.
//
// Node sums add up to the prefix sum. The tree therefore keeps that sum and, level by level, the
// noise of the nodes in the prefix. The node that row t finishes stands at the level of the lowest
// digit 1 of t and replaces the levels below. A plain tree draws noise once a row, a padded one
// twice on average. It draws when a row is added, never when the release is read.
//
// Raw sums stay in memory. If an intruder may read it, use [PanPrivateTree].
type Tree struct {
	Noise NodeNoise // the noise of a node; no default

	rows
	prefix
	sum []float64
}

var (
	_ privacy.Accumulator = (*Tree)(nil)
)

// Init validates and allocates.
func (t *Tree) Init(s privacy.Setup) error {
	if err := t.prefix.init(&t.rows, t.Noise, s); err != nil {
		return err
	}
	t.sum = make([]float64, t.size)
	return nil
}

// Reset forgets the data and draws new noise from n.
func (t *Tree) Reset(n *privacy.Noise) {
	t.rows.reset()
	t.prefix.reset(n)
	clear(t.sum)
}

// Add adds row row^T and the noise of the node that the row finishes. It counts the horizon's last
// row and drops it: no round comes after that row, so no node is paid for it.
func (t *Tree) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := t.rows.take(rec)
	if row == nil {
		return false, err
	}
	packed.AddOuter(t.sum, row)
	t.advance(t.count)
	return true, nil
}

// Plan returns what the prefixes of up to the given number of records reveal of one record. The
// first row is in floor(log2 records) + 1 nodes, and no row is in more. There is no plan if Noise
// has no plan of its own.
func (t *Tree) Plan(records int) privacy.Plan { return t.plan(&t.rows, records).HeldBy(t) }

// MaxSD returns the largest standard deviation of an entry off the diagonal of any release, in
// units of L~^2/mu as that of [BLT]. It is NaN before Init, without noise, and for noise that is
// not a [Gaussian]'s.
//
// A release has one node for each binary digit 1 of its round. Among the rounds 1, ..., n-1 one has
// floor(log2 n) of them, and none has more. A padded release has m nodes in every round.
func (t *Tree) MaxSD() float64 {
	g, ok := t.noise.(*Gaussian)
	if !ok || g.Noiseless() {
		return math.NaN()
	}
	mu, err := privacy.GaussianMu(g.one.Asked)
	if err != nil {
		return math.NaN()
	}
	nodes := max(1, bits.Len(uint(t.setup.Horizon))-1)
	if t.padded {
		nodes = t.levels
	}
	return g.sd * mu / (g.setup.Bound * g.setup.Bound) * math.Sqrt(float64(nodes))
}

// Release returns the prefix sum with its noise.
func (t *Tree) Release() *privacy.Sums { return t.under(t.sum, t.total()) }

// prefix is the part that all trees of matrices share: the noise of the nodes in the current prefix.
type prefix struct {
	noise  NodeNoise
	stacks int    // draws of noise for each level at the start, and then for each node that opens
	says   string // what the noise's plan said in Init

	nodeStack
}

// nodeStack is the noise of the nodes in the current prefix, kept as partial sums from the top
// level down.
type nodeStack struct {
	drawer drawer
	levels int
	padded bool
	source *privacy.Noise
	packed int
	above  []float64 // (levels+1) x packed: above[i] is the noise of the nodes at levels >= i
	node   []float64
	lowest int // the lowest level whose entry of above is current
}

// drawer draws the noise of a node.
type drawer interface {
	Draw(n *privacy.Noise, dst []float64)
}

// newNodeStack returns the noise of the nodes of an empty tree, each of so many numbers.
func newNodeStack(d drawer, levels int, padded bool, size int) nodeStack {
	return nodeStack{drawer: d, levels: levels, padded: padded, packed: size,
		above: make([]float64, (levels+1)*size), node: make([]float64, size)}
}

// init makes the rows ready once the noise has accepted the setup. If the noise refuses it, no row
// is taken.
func (p *prefix) init(r *rows, noise NodeNoise, s privacy.Setup) error {
	*r = rows{}
	if err := field.Check("mechanism: a tree's Noise", noise); err != nil {
		return err
	}
	if err := noise.Init(s); err != nil {
		return err
	}
	levels, padded := noise.Nodes()
	// PanPrivateTree has the open nodes, too.
	if err := r.init(s, float64(2*float64(levels))+3); err != nil {
		return err
	}
	*p = prefix{noise: noise, says: says(noise, levels), nodeStack: newNodeStack(noise, levels, padded, r.size)}
	if padded {
		p.stacks = 1
	}
	r.exact = p.noise.Noiseless()
	shift := noise.Shift()
	r.sums = &privacy.Sums{Packed: make([]float64, r.size), Shift: shift, Bounds: noise.Bounds(shift), Spread: noise.Spread()}
	return nil
}

func (p *nodeStack) reset(n *privacy.Noise) {
	p.source = n
	clear(p.above)
	p.lowest = p.levels
	for i := p.levels - 1; i >= 0 && p.padded; i-- {
		p.draw(i, i+1)
	}
}

// advance draws the noise that row t >= 1 brings into the prefix.
func (p *nodeStack) advance(t int) {
	level := bits.TrailingZeros(uint(t))
	p.draw(level, p.next(t, level))
	for i := level - 1; i >= 0 && p.padded; i-- {
		p.draw(i, i+1)
	}
}

// next returns the lowest level above the given one that holds a node after t rows.
func (p *nodeStack) next(t, level int) int {
	if p.padded {
		return level + 1
	}
	if higher := t >> (level + 1); higher > 0 {
		return level + 1 + bits.TrailingZeros(uint(higher))
	}
	return p.levels
}

// draw puts a new node's noise at a level, which becomes the lowest of the prefix. The nodes from
// level next upwards stay.
func (p *nodeStack) draw(level, next int) {
	p.drawer.Draw(p.source, p.node)
	p.put(level, next, p.node)
}

func (p *nodeStack) put(level, next int, node []float64) {
	here, higher := p.above[level*p.packed:][:len(node)], p.above[next*p.packed:][:len(node)]
	for i, v := range node {
		here[i] = higher[i] + v
	}
	p.lowest = level
}

// total returns the summed noise of the whole prefix.
func (p *nodeStack) total() []float64 { return p.above[p.lowest*p.packed : (p.lowest+1)*p.packed] }

// plan returns the noise's plan for the nodes that hold a record. One node is drawn a row. Padded
// prefixes also take one for each level at the start, and after each row one for each level below
// the node that the row finishes; nodes that are open all the time take as many.
//
// There is no plan if somebody else has initialised the noise since, for another setup: what it
// draws now may be too little for these rows.
func (p *prefix) plan(r *rows, records int) privacy.Plan {
	if p.noise != nil && p.says != says(p.noise, p.levels) {
		return privacy.NoPlan("the tree's noise was initialised for another setup since")
	}
	t := r.released()
	return privacy.PlanOf(p.noise, r.nodes(records)).Repeated(t + p.stacks*(p.levels+finished(t)))
}

// says returns the releases and draws of noise for a record in so many nodes.
func says(n NodeNoise, nodes int) string {
	p := privacy.PlanOf(n, nodes)
	return fmt.Sprint(p.Cases, p.Draws)
}

// finished returns how many nodes above the leaves t rows finish, the sum of the trailing zeros of
// 1, ..., t.
func finished(t int) int { return t - bits.OnesCount(uint(t)) }

// Node is a node of a binary tree: the sum of the 2^Level rows First, ..., Last, counted from 1.
type Node struct{ Level, First, Last int }

// PrefixNodes returns the nodes whose sums add up to the prefix of t rows, the largest first.
func PrefixNodes(t int) []Node {
	var nodes []Node
	for rest, first := t, 1; rest > 0; {
		level := bits.Len(uint(rest)) - 1
		nodes = append(nodes, Node{level, first, first + 1<<level - 1})
		first += 1 << level
		rest -= 1 << level
	}
	return nodes
}
