package continual

import (
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// PanPrivateTree releases what [Tree] releases, with the same law, but keeps no raw data in memory.
//
// An intruder who reads the memory once sees only noisy nodes (Dwork, Naor, Pitassi, Rothblum 2010,
// Section 4). Every level has an open node, which gets its noise when it opens and then every row
// as it comes. A round therefore costs one addition a level, where [Tree] needs one in all.
//
// This protects the rows that came before the intrusion. It does not protect later rows from an
// intruder who also sees later releases. A node that was open at the intrusion is released with the
// same noise, and the difference is the exact sum of the rows in between. The claim covers the
// releases alone, not an intrusion.
type PanPrivateTree struct {
	Noise NodeNoise // the noise of a node; no default
}

var _ privacy.Accumulator = PanPrivateTree{}

// panPrivate is a PanPrivateTree for a setup.
type panPrivate struct{ prefix }

// panPrivateRun is a run of a PanPrivateTree.
type panPrivateRun struct {
	*panPrivate
	rows
	nodeStack           // above holds whole nodes here, data and noise
	open      []float64 // levels x size: the node of each level that is being filled
}

// Open validates and calibrates.
func (t PanPrivateTree) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	p, err := newPrefix(t.Noise, s)
	if err != nil {
		return nil, err
	}
	p.stacks++
	return &panPrivate{p}, nil
}

// Start begins a run that draws its noise from n.
func (t *panPrivate) Start(n *privacy.Noise) privacy.Stream[privacy.Sums] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	r := &panPrivateRun{panPrivate: t, rows: newRows(t.data, t.like), nodeStack: t.stack()}
	r.open = make([]float64, t.levels*r.size)
	r.begin(n)
	for i := range t.levels {
		r.drawer.Draw(n, r.level(i))
	}
	return r
}

func (t *panPrivateRun) level(i int) []float64 { return t.open[i*t.size : (i+1)*t.size] }

// Add adds row row^T to the open node of every level and closes the nodes that the row finishes. It
// counts the horizon's last row and drops it.
func (t *panPrivateRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := t.rows.take(rec)
	if row == nil {
		return false, err
	}
	for i := range t.levels {
		packed.AddOuter(t.level(i), row)
	}
	closed := bits.TrailingZeros(uint(t.count))
	t.put(closed, t.next(t.count, closed), t.level(closed))
	for i := closed - 1; i >= 0 && t.padded; i-- {
		t.draw(i, i+1)
	}
	for i := range closed + 1 {
		t.drawer.Draw(t.source, t.level(i))
	}
	return true, nil
}

// Plan returns what the plan of [Tree] does, as open nodes are not released.
func (t *panPrivate) Plan(records int) privacy.Plan { return t.plan(records, 0).HeldBy(t) }

// Plan returns the tree's plan with the draws of the run.
func (t *panPrivateRun) Plan(records int) privacy.Plan {
	return t.plan(records, t.released()).HeldBy(t)
}

// Release returns the prefix sum with its noise.
func (t *panPrivateRun) Release() *privacy.Sums {
	t.sums.Packed = slices.Clip(t.total()) // no reader reaches the other levels
	return t.shown()
}
