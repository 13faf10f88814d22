package mechanism

import (
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// PanPrivateTree releases what Tree releases, with the same law, and keeps no raw data: an intruder who
// reads the memory once sees noisy nodes only (Dwork, Naor, Pitassi, Rothblum 2010, Section 4). Every level
// has an open node, which gets its noise when it opens and then each row as it comes; so a round costs one addition a
// level, where Tree has one in all.
//
// This protects the rows that came before the intrusion. Of those that come after it, an intruder who also sees
// later releases learns exact sums: a node that was open at the intrusion is released with the very noise that it
// had, and the difference is the rows between. The claim is about the releases alone.
type PanPrivateTree struct {
	Noise NodeNoise // the noise of a node; no default

	rows
	prefix           // above holds whole nodes here, data and noise
	open   []float64 // levels x size: the node of each level that is being filled
}

var (
	_ privacy.Accumulator = (*PanPrivateTree)(nil)
	_ privacy.Shifter     = (*PanPrivateTree)(nil)
	_ privacy.Meter       = (*PanPrivateTree)(nil)
)

// Init validates and allocates.
func (t *PanPrivateTree) Init(s privacy.Setup) error {
	if err := t.prefix.init(&t.rows, t.Noise, s); err != nil {
		return err
	}
	t.open = make([]float64, t.levels*t.size)
	return nil
}

// Reset forgets the data and draws new noise.
func (t *PanPrivateTree) Reset(n *privacy.Noise) {
	t.rows.reset()
	t.prefix.reset(n)
	for i := range t.levels {
		t.noise.Draw(n, t.level(i))
	}
}

func (t *PanPrivateTree) level(i int) []float64 { return t.open[i*t.size : (i+1)*t.size] }

// AddOuter adds row row^T to the open node of every level, and closes those that the row finishes.
func (t *PanPrivateTree) AddOuter(row []float64) error {
	if t.count >= t.setup.Horizon {
		return beyond(t.setup.Horizon)
	}
	row, err := t.admit(row)
	if err != nil || t.count == t.setup.Horizon {
		return err
	}
	for i := range t.levels {
		addOuter(t.level(i), row)
	}
	closed := bits.TrailingZeros(uint(t.count))
	t.put(closed, t.next(t.count, closed), t.level(closed))
	for i := closed - 1; i >= 0 && t.padded; i-- {
		t.draw(i, i+1)
	}
	for i := range closed + 1 {
		t.noise.Draw(t.source, t.level(i))
	}
	return nil
}

// Draws returns one node's noise for each level at the start and for each node that a row opens, and the padding.
func (t *PanPrivateTree) Draws() []privacy.Draws {
	rows := t.released()
	pads := t.drawn(rows) - rows // none if not padded
	return []privacy.Draws{{Law: t.noise.Law(), Count: t.levels + rows + finished(rows) + pads}}
}

// Spent returns what Tree's does: open nodes are not released.
func (t *PanPrivateTree) Spent(records int) privacy.Event { return t.noise.Spent(t.nodes(records)) }

// Read writes the noisy, shifted prefix sum into dst.
func (t *PanPrivateTree) Read(dst []float64) {
	copy(dst, t.total())
	addDiagonal(dst, t.setup.Dim, t.shift)
}
