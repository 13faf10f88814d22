package continual

import (
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
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
}

var _ privacy.Accumulator = Tree{}

// tree is a Tree for a setup.
type tree struct{ prefix }

// treeRun is a run of a Tree.
type treeRun struct {
	*tree
	rows
	nodeStack
	sum []float64
}

// Open validates and calibrates.
func (t Tree) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	p, err := newPrefix(t.Noise, s)
	if err != nil {
		return nil, err
	}
	return &tree{p}, nil
}

// Start begins a run that draws its noise from n.
func (t *tree) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	r := &treeRun{tree: t, rows: newRows(t.data, t.like), nodeStack: t.stack()}
	r.sum = make([]float64, r.size)
	r.begin(n)
	return r
}

// Add adds row row^T and the noise of the node that the row finishes. It counts the horizon's last
// row and drops it: no round comes after that row, so no node is paid for it.
func (t *treeRun) Add(rec *privacy.Record) (moved bool, err error) {
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
func (t *tree) Plan(records int) privacy.Plan { return t.plan(records, 0).HeldBy(t) }

// Plan returns the tree's plan with the draws of the run.
func (t *treeRun) Plan(records int) privacy.Plan { return t.plan(records, t.released()).HeldBy(t) }

// MaxSD returns the largest standard deviation of an entry off the diagonal of any release, in
// units of L~^2/mu as that of [BLT]. It is NaN without noise, and for noise that is not a
// [Gaussian]'s.
//
// A release has one node for each binary digit 1 of its round. Among the rounds 1, ..., n-1 one has
// floor(log2 n) of them, and none has more. A padded release has m nodes in every round.
func (t *tree) MaxSD() float64 {
	g, ok := t.noise.(*gaussian)
	if !ok || g.Noiseless() {
		return math.NaN()
	}
	mu, err := g.One.Asked.GaussianMu()
	if err != nil {
		return math.NaN()
	}
	nodes := max(1, bits.Len(uint(t.data.Horizon))-1)
	if t.padded {
		nodes = t.levels
	}
	return g.sd * mu / (t.data.Bound * t.data.Bound) * math.Sqrt(float64(nodes))
}

// Release returns the prefix sum with its noise.
func (t *treeRun) Release() *privacy.Sums { return t.under(t.sum, t.total()) }

// prefix is what all trees of matrices are calibrated to: the noise of the nodes of a prefix.
type prefix struct {
	data   privacy.Setup
	noise  Nodes
	levels int
	padded bool
	stacks int          // draws of noise for each level at the start, and then for each node that opens
	like   privacy.Sums // the release, without numbers
}

// newPrefix calibrates the noise for a setup.
func newPrefix(of NodeNoise, s privacy.Setup) (p prefix, err error) {
	if err := field.Check("mechanism: a tree's Noise", of); err != nil {
		return p, err
	}
	noise, err := of.Open(s)
	if err != nil {
		return p, err
	}
	levels, padded := noise.Levels()
	// PanPrivateTree has the open nodes, too.
	if err := checkRows(s, float64(2*float64(levels))+3); err != nil {
		return p, err
	}
	p = prefix{data: s, noise: noise, levels: levels, padded: padded}
	if padded {
		p.stacks = 1
	}
	shift := noise.Shift()
	p.like = privacy.Sums{Shift: shift, Bounds: noise.Bounds(shift), Spread: noise.Spread(), Exact: noise.Noiseless()}
	return p, nil
}

// stack returns the noise of the nodes of a new run.
func (p *prefix) stack() nodeStack {
	return newNodeStack(p.noise.Drawer(), p.levels, p.padded, packed.Size(p.data.Dim))
}

// plan returns the noise's plan for the nodes that hold a record, after so many rows were released.
// One node is drawn a row. Padded prefixes also take one for each level at the start, and after
// each row one for each level below the node that the row finishes; nodes that are open all the
// time take as many.
func (p *prefix) plan(records, t int) privacy.Plan {
	return privacy.PlanOf(p.noise, nodesOf(p.data, records)).Repeated(t + p.stacks*(p.levels+finished(t)))
}

// nodeStack is the noise of the nodes in the current prefix, kept as partial sums from the top
// level down.
type nodeStack struct {
	drawer Drawer
	levels int
	padded bool
	source *privacy.Noise
	packed int
	above  []float64 // (levels+1) x packed: above[i] is the noise of the nodes at levels >= i
	node   []float64
	lowest int // the lowest level whose entry of above is current
}

// newNodeStack returns the noise of the nodes of an empty tree, each of so many numbers.
func newNodeStack(d Drawer, levels int, padded bool, size int) nodeStack {
	return nodeStack{drawer: d, levels: levels, padded: padded, packed: size,
		above: make([]float64, (levels+1)*size), node: make([]float64, size)}
}

// begin draws the noise that the empty prefix has.
func (p *nodeStack) begin(n *privacy.Noise) {
	p.source = n
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
