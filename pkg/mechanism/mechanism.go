// Package mechanism releases statistics under privacy noise. Its accumulators release running sums of row row^T, the
// only data that a private LinUCB reads: exactly, through a binary tree, or through a
// pan-private one, whose nodes carry symmetric Gaussian or Wishart noise, or under Gaussian noise that is correlated between
// the rounds: by BLT, the least noise for its cost, by SquareRoot or by Honaker's tree. Its tallies release the mean weight of each arm of a
// semi-bandit: exactly, by Counts, in doubling blocks, by Blocks, or after each observation, by TreeTally.
package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// NodeNoise is the noise that a tree adds to each of its nodes, with what is known about the sum of those in a prefix.
type NodeNoise interface {
	Init(privacy.Setup) error
	// Nodes returns how many levels the tree has, and whether every prefix carries the noise of that many
	// nodes: levels without a node are then padded with fresh draws.
	Nodes() (levels int, padded bool)
	// Draw writes one node's noise into dst, packed.
	Draw(n *privacy.Noise, dst []float64)
	Law() privacy.Law // of Draw
	// Shift returns the multiple of the identity that the calibration adds to a release.
	Shift() float64
	// Bounds returns the accurate bounds of a prefix's noise once shift times the identity is added.
	Bounds(shift float64) privacy.Bounds
	// Noiseless reports that there is no noise, as epsilon is infinite.
	Noiseless() bool
	Claim() privacy.Claim
	// Spent returns the event of a record that is in a number of released nodes, which may be none.
	Spent(nodes int) privacy.Event
}

// nothing is the event of a record of which nothing is released.
var nothing = privacy.GaussianEvent{Mu: 0}

// rows is what the accumulators share: the admission of rows and their count.
type rows struct {
	setup   privacy.Setup
	size    int // of a packed matrix
	count   int // rows admitted since reset
	clipped int
	buf     []float64 // the clipped row
}

// init validates, and checks that so many packed matrices fit into memory, which the caller is about to make.
func (r *rows) init(s privacy.Setup, matrices float64) error {
	*r = rows{} // with a horizon of 0: no row is taken until all is well
	if err := s.Validate(); err != nil {
		return err
	}
	if err := fitting(s, matrices); err != nil {
		return err
	}
	*r = rows{setup: s, size: s.Dim * (s.Dim + 1) / 2, buf: make([]float64, s.Dim)}
	return nil
}

// fitting checks that so many packed matrices of a setup fit into memory.
func fitting(s privacy.Setup, matrices float64) error {
	what := fmt.Sprintf("mechanism: Setup.Dim = %d, Horizon = %d", s.Dim, s.Horizon)
	return size.Check(what, size.Triangle(s.Dim)*matrices)
}

// positive refuses a level of noise that is zero, not finite, or so near to either that what is computed from it is.
func positive(what string, level float64, b privacy.Budget, s privacy.Setup) error {
	if b.None() || level >= 1e-150 && level <= 1e150 {
		return nil
	}
	return fmt.Errorf("mechanism: %s of standard deviation %v for %v and Setup.Bound = %v, want in [1e-150, 1e150]", what, level, b, s.Bound)
}

// Setup returns what Init was told; zero before. An accumulator of one's own that embeds one of these reads its dimensions off it.
func (r *rows) Setup() privacy.Setup { return r.setup }

// admit checks a row, counts it and returns it clipped to the bounds.
func (r *rows) admit(row []float64) ([]float64, error) {
	if len(row) != r.setup.Dim {
		return nil, fmt.Errorf("mechanism: a row of length %d, want %d", len(row), r.setup.Dim)
	}
	var context float64 // squared norm
	d := len(row) - 1
	for _, v := range row[:d] {
		context += float64(v * v)
	}
	square := context + float64(row[d]*row[d])
	if !(square <= math.MaxFloat64) {
		return r.admitExtreme(row)
	}
	r.count++
	long := r.setup.Context > 0 && beyondBound(context, r.setup.Context)
	if !long && !beyondBound(square, r.setup.Bound) {
		return row, nil
	}
	r.clipped++
	copy(r.buf, row)
	if long {
		scale(r.buf[:d], r.setup.Context/math.Sqrt(context))
		square = float64(r.setup.Context*r.setup.Context) + float64(row[d]*row[d])
	}
	if beyondBound(square, r.setup.Bound) {
		scale(r.buf, r.setup.Bound/math.Sqrt(square))
	}
	return r.buf, nil
}

// admitExtreme is admit for a row whose square is not finite: it refuses one that is not finite itself. The others
// are beyond their bounds.
func (r *rows) admitExtreme(row []float64) ([]float64, error) {
	if !packed.Finite(row) {
		return nil, fmt.Errorf("mechanism: a row %v, want finite numbers", append([]float64(nil), row...))
	}
	r.count++
	r.clipped++
	copy(r.buf, row)
	if r.setup.Context > 0 {
		packed.Shorten(r.buf[:len(row)-1], r.setup.Context)
	}
	packed.Shorten(r.buf, r.setup.Bound)
	return r.buf, nil
}

// beyondBound reports a norm over its bound; one on the bound is not, whatever its rounding.
func beyondBound(square, bound float64) bool { return square > bound*bound*(1+1e-12) }

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// Clipped returns how many rows were scaled down to the bound since Reset.
func (r *rows) Clipped() int { return r.clipped }

// released returns the number of rows that a release may show: all but the horizon's last.
func (r *rows) released() int { return min(r.count, r.setup.Horizon-1) }

// nodes returns how many nodes of a binary tree the first row is in after a number of rows; no row is in more.
func (r *rows) nodes(records int) int {
	return bits.Len(uint(max(0, min(records, r.setup.Horizon-1))))
}

func (r *rows) reset() { r.count, r.clipped = 0, 0 }

// addOuter adds row row^T to a packed symmetric matrix.
func addOuter(sum, row []float64) {
	p := 0
	for i, v := range row {
		line := sum[p : p+i+1]
		for j, w := range row[:len(line)] {
			line[j] += float64(v * w)
		}
		p += i + 1
	}
}

// addDiagonal adds a multiple of the identity to a packed symmetric matrix.
func addDiagonal(m []float64, dim int, c float64) {
	for i, p := 0, 0; i < dim; i++ {
		m[p] += c
		p += i + 2
	}
}
