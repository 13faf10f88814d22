package continual

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// NodeNoise describes the noise that a tree adds to each of its nodes: [Gaussian] or [Wishart].
type NodeNoise interface {
	// Open validates the description and calibrates it for a setup.
	Open(privacy.Setup) (Nodes, error)
}

// Nodes is calibrated noise of a tree's nodes. It never changes, and all runs share it.
//
// It also bounds the summed noise of the nodes in a prefix.
type Nodes interface {
	// Levels returns the number of levels of the tree and whether prefixes are padded. If they are,
	// every prefix carries the noise of exactly that many nodes: levels without a node get fresh
	// draws.
	Levels() (levels int, padded bool)
	// Drawer returns what draws the noise of a run's nodes, with memory of its own.
	Drawer() Drawer
	// Shift returns the multiple of the identity that the calibration adds to a release.
	Shift() float64
	// Bounds returns the accurate bounds (JDP, Definition 3) of a prefix's noise plus shift times the
	// identity. Away from Shift they are those of Spread.
	Bounds(shift float64) privacy.Bounds
	// Spread bounds a prefix's noise without a shift.
	Spread() privacy.Spread
	// Noiseless reports whether there is no noise because epsilon is infinite.
	Noiseless() bool
	// Plan returns what a record reveals that is in the given number of released nodes, possibly none.
	// Its Draws are those of one Draw.
	Plan(nodes int) privacy.Plan
}

// Drawer draws the noise of a node, or of a row.
type Drawer interface {
	// Draw writes one draw into dst; of a node of matrices, a packed symmetric one.
	Draw(n *privacy.Noise, dst []float64)
}

// rows is the part that the runs of all accumulators share: it admits rows and counts them.
type rows struct {
	setup   privacy.Setup
	size    int // entries of a packed symmetric matrix
	count   int // rows admitted
	clipped int
	fresh   int       // rows added since the release before; 2 after the last row, which is dropped
	read    bool      // the release has been read since the last row
	stale   bool      // the release is not that of the rows
	buf     []float64 // the row, clipped
	sums    *privacy.Sums
	exact   bool // sums.Exact, which a reader may write to
}

// checkRows validates a setup and checks that so many packed matrices fit into memory.
func checkRows(s privacy.Setup, matrices float64) error {
	if err := s.CheckRows(); err != nil {
		return err
	}
	return curator.Fitting(s, matrices)
}

// newRows returns the rows of a new run, whose release is like the given one.
func newRows(s privacy.Setup, like privacy.Sums) rows {
	like.Packed = make([]float64, packed.Size(s.Dim))
	return rows{setup: s, size: packed.Size(s.Dim), stale: true, buf: make([]float64, s.Dim), sums: &like, exact: like.Exact}
}

// take admits the row of a release. It counts the horizon's last row and drops it, returning nil:
// no round comes after that row, so no noise is paid for it.
func (r *rows) take(rec *privacy.Record) ([]float64, error) {
	if n := r.setup.Horizon; n > 0 && r.count >= n {
		return nil, fmt.Errorf("mechanism: a row beyond the horizon of %d rounds: its release would cost privacy that was not accounted", n)
	}
	row, err := r.admit(rec)
	if r.count == r.setup.Horizon {
		row, r.fresh = nil, 2
	}
	return row, err
}

// admit checks a record, counts it and returns its row (x, y), clipped to the bounds.
func (r *rows) admit(rec *privacy.Record) (row []float64, err error) {
	d := r.setup.Dim - 1
	switch {
	case len(rec.X) != d || len(rec.Y) != 1:
		return nil, fmt.Errorf("mechanism: a row of length %d, with %d rewards, want %d, with 1", len(rec.X)+len(rec.Y), len(rec.Y), r.setup.Dim)
	}
	var context float64 // squared norm
	for _, v := range rec.X {
		context += float64(v * v)
	}
	reward := rec.Y[0]
	square := context + float64(reward*reward)
	if !(square <= math.MaxFloat64) && !(packed.Finite(rec.X) && packed.Finite(rec.Y)) {
		return nil, fmt.Errorf("mechanism: a row %v with reward %v, want finite numbers", slices.Clone(rec.X), reward)
	}
	row = r.buf[:d+1]
	copy(row, rec.X)
	row[d] = reward
	r.count++
	if r.read {
		r.fresh, r.read = 0, false
	}
	r.fresh++
	r.stale = true
	if !(square <= math.MaxFloat64) {
		return r.shorten(row), nil
	}
	long := r.setup.Context > 0 && packed.Beyond(context, r.setup.Context)
	if !long && !packed.Beyond(square, r.setup.Bound) {
		return row, nil
	}
	r.clipped++
	r.fresh++
	if long {
		scale(row[:d], r.setup.Context/math.Sqrt(context))
		square = float64(r.setup.Context*r.setup.Context) + float64(row[d]*row[d])
	}
	if packed.Beyond(square, r.setup.Bound) {
		scale(row, r.setup.Bound/math.Sqrt(square))
	}
	return row, nil
}

// shorten clips a row whose squared norm overflows, which is therefore longer than its bounds.
func (r *rows) shorten(row []float64) []float64 {
	r.clipped++
	r.fresh++
	if r.setup.Context > 0 {
		packed.Shorten(row[:len(row)-1], r.setup.Context)
	}
	packed.Shorten(row, r.setup.Bound)
	return row
}

// shown returns the sums of the rows added so far, for Release to complete. Without noise, Row is
// the row added last, if it is all that is new since the last Release.
func (r *rows) shown() *privacy.Sums {
	r.sums.Row, r.sums.Exact = nil, r.exact
	if r.exact && r.fresh == 1 {
		r.sums.Row = r.buf
	}
	r.read = true
	return r.sums
}

// under returns shown for a sum under noise.
func (r *rows) under(sum, noise []float64) *privacy.Sums {
	if r.stale {
		dst := r.sums.Packed[:len(sum)]
		noise = noise[:len(sum)]
		for i, v := range sum {
			dst[i] = v + noise[i]
		}
		r.stale = false
	}
	return r.shown()
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// Clipped returns how many rows were scaled down to the bounds.
func (r *rows) Clipped() int { return r.clipped }

// released returns the number of rows that a release may reveal: all but the horizon's last.
func (r *rows) released() int { return max(0, min(r.count, r.setup.Horizon-1)) }

// nodesOf returns how many nodes of a binary tree hold the first row once so many records were
// added. No row is in more of them.
func nodesOf(s privacy.Setup, records int) int {
	return bits.Len(uint(max(0, min(records, s.Horizon-1))))
}
