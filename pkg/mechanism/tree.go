package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Tree releases running sums by the binary tree mechanism (Chan, Shi, Song 2011; Dwork, Naor, Pitassi,
// Rothblum 2010): the rows are the leaves, a node holds the sum of its leaves and noise of its own, and the prefix of t rows is the sum of
// one node for each binary digit 1 of t. A row is in at most floor(log2(n-1)) + 1 of the nodes released.
//
// As node sums add up to the prefix sum, what is kept is that sum and the noise of the nodes in the prefix, a level
// each: the node finished by row t stands at the level of t's lowest digit 1 and replaces
// the levels below. Noise is drawn once a row for a plain tree and twice, on average, for a padded one, when
// the row comes and never when the release is read. Raw sums stay in memory: PanPrivateTree is for those who
// fear an intruder.
type Tree struct {
	Noise NodeNoise // the noise of a node; no default

	rows
	prefix
	sum []float64
}

var (
	_ privacy.Accumulator = (*Tree)(nil)
	_ privacy.Shifter     = (*Tree)(nil)
	_ privacy.Exact       = (*Tree)(nil)
	_ privacy.Meter       = (*Tree)(nil)
)

// Init validates and allocates.
func (t *Tree) Init(s privacy.Setup) error {
	if err := t.prefix.init(&t.rows, t.Noise, s); err != nil {
		return err
	}
	t.sum = make([]float64, t.size)
	return nil
}

// Reset forgets the data and draws new noise.
func (t *Tree) Reset(n *privacy.Noise) {
	t.rows.reset()
	t.prefix.reset(n)
	clear(t.sum)
}

// AddOuter adds row row^T and the noise of the node that the row finishes. The last row of the horizon is counted and
// dropped: no round comes after it, and no node is paid for it.
func (t *Tree) AddOuter(row []float64) error {
	if t.count >= t.setup.Horizon {
		return beyond(t.setup.Horizon)
	}
	row, err := t.admit(row)
	if err != nil || t.count == t.setup.Horizon {
		return err
	}
	addOuter(t.sum, row)
	t.advance(t.count)
	return nil
}

// Draws returns one node's noise a row, and the padding.
func (t *Tree) Draws() []privacy.Draws {
	return []privacy.Draws{{Law: t.noise.Law(), Count: t.drawn(t.released())}}
}

// Spent returns the event of the nodes released with the prefixes of up to a number of rows: floor(log2) + 1 hold the first row.
func (t *Tree) Spent(records int) privacy.Event { return t.noise.Spent(t.nodes(records)) }

// Read writes the noisy, shifted prefix sum into dst.
func (t *Tree) Read(dst []float64) {
	noise := t.total()
	for i, v := range t.sum {
		dst[i] = v + noise[i]
	}
	addDiagonal(dst, t.setup.Dim, t.shift)
}

func beyond(horizon int) error {
	if horizon == 0 {
		return errInit
	}
	return fmt.Errorf("mechanism: a row beyond the horizon of %d rounds: its release would cost privacy that was not accounted", horizon)
}

// prefix is what the trees share: the noise of the nodes in the current prefix as sums from the top level down,
// and the shift.
type prefix struct {
	noise  NodeNoise
	levels int
	padded bool
	shift  float64

	source *privacy.Noise
	packed int
	above  []float64 // (levels+1) x packed: above[i] is the noise of the nodes at levels >= i
	node   []float64
	lowest int // the lowest level whose entry of above is current
}

// init makes the rows ready once there is noise for their setup: where that is refused, none is taken.
func (p *prefix) init(r *rows, noise NodeNoise, s privacy.Setup) error {
	*r = rows{}
	if noise == nil {
		return fmt.Errorf("mechanism: a tree without Noise")
	}
	if err := noise.Init(s); err != nil {
		return err
	}
	levels, padded := noise.Nodes()
	if err := r.init(s, float64(2*float64(levels))+3); err != nil { // PanPrivateTree has the open nodes, too
		return err
	}
	size := r.size
	*p = prefix{noise: noise, levels: levels, padded: padded, shift: noise.Shift(), packed: size,
		above: make([]float64, (levels+1)*size), node: make([]float64, size)}
	return nil
}

func (p *prefix) reset(n *privacy.Noise) {
	p.source = n
	clear(p.above)
	p.lowest = p.levels
	for i := p.levels - 1; i >= 0 && p.padded; i-- {
		p.draw(i, i+1)
	}
}

// advance draws the noise that row number t, 1 <= t, brings into the prefix.
func (p *prefix) advance(t int) {
	level := bits.TrailingZeros(uint(t))
	p.draw(level, p.next(t, level))
	for i := level - 1; i >= 0 && p.padded; i-- {
		p.draw(i, i+1)
	}
}

// next returns the lowest level above the given one that holds a node after t rows.
func (p *prefix) next(t, level int) int {
	if p.padded {
		return level + 1
	}
	if higher := t >> (level + 1); higher > 0 {
		return level + 1 + bits.TrailingZeros(uint(higher))
	}
	return p.levels
}

// draw puts a new node's noise at a level, the lowest of the prefix from now on, under the nodes from level next up.
func (p *prefix) draw(level, next int) {
	p.noise.Draw(p.source, p.node)
	p.put(level, next, p.node)
}

func (p *prefix) put(level, next int, node []float64) {
	here, higher := p.above[level*p.packed:(level+1)*p.packed], p.above[next*p.packed:(next+1)*p.packed]
	for i, v := range node {
		here[i] = higher[i] + v
	}
	p.lowest = level
}

// total returns the noise of the whole prefix.
func (p *prefix) total() []float64 { return p.above[p.lowest*p.packed : (p.lowest+1)*p.packed] }

// ShiftTo moves the release such that rho_min, the bound without a shift plus the shift, has the value given.
func (p *prefix) ShiftTo(rhoMin float64) error {
	if !(rhoMin > 0) || math.IsInf(rhoMin, 1) {
		return fmt.Errorf("mechanism: rho_min = %v, want finite and > 0", rhoMin)
	}
	p.shift = rhoMin - p.noise.Bounds(0).RhoMin
	return nil
}

// Bounds returns the accurate bounds of the noise, shift included.
func (p *prefix) Bounds() privacy.Bounds { return p.noise.Bounds(p.shift) }

// Noiseless reports that epsilon is infinite.
func (p *prefix) Noiseless() bool { return p.noise.Noiseless() }

// drawn returns how many nodes' noise there is in the prefixes of t rows: one a row, and where they are padded one for each level at the
// start and one for each level below that of the node that a row finishes.
func (p *prefix) drawn(t int) int {
	if !p.padded {
		return t
	}
	return p.levels + t + finished(t)
}

// finished returns the number of nodes above the leaves that t rows finish, the sum of the trailing zeros of 1..t.
func finished(t int) int { return t - bits.OnesCount(uint(t)) }

// Claim returns what the noise of the nodes buys.
func (p *prefix) Claim() privacy.Claim { return p.noise.Claim() }

// Node is a node of the tree: the sum of rows First..Last, whose number is 2^Level.
type Node struct{ Level, First, Last int }

// PrefixNodes returns the nodes whose sum is the prefix of t rows, the largest first.
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
