package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Exact releases the sum itself, plus a ridge: LinUCB over it is the non-private LinUCB. It has no
// horizon and no privacy.
type Exact struct {
	Ridge float64 // multiple of the identity added, rho; 0 means 1, the JDP paper's NonPrivate

	rows
	shift float64
	sum   []float64
}

var (
	_ privacy.Accumulator = (*Exact)(nil)
	_ privacy.Shifter     = (*Exact)(nil)
	_ privacy.Exact       = (*Exact)(nil)
)

// Init validates and allocates.
func (e *Exact) Init(s privacy.Setup) error {
	if err := e.rows.init(s, 1); err != nil {
		return err
	}
	if !(e.Ridge >= 0) || math.IsInf(e.Ridge, 1) {
		return fmt.Errorf("mechanism: Exact.Ridge = %v, want finite and >= 0", e.Ridge)
	}
	e.shift = e.Ridge
	if e.shift == 0 {
		e.shift = 1
	}
	e.sum = make([]float64, e.size)
	return nil
}

// ShiftTo makes rhoMin the ridge.
func (e *Exact) ShiftTo(rhoMin float64) error {
	if !(rhoMin > 0) || math.IsInf(rhoMin, 1) {
		return fmt.Errorf("mechanism: rho_min = %v, want finite and > 0", rhoMin)
	}
	e.shift = rhoMin
	return nil
}

// Reset forgets the data.
func (e *Exact) Reset(*privacy.Noise) {
	e.rows.reset()
	clear(e.sum)
}

// AddOuter adds row row^T.
func (e *Exact) AddOuter(row []float64) error {
	row, err := e.admit(row)
	if err == nil {
		addOuter(e.sum, row)
	}
	return err
}

// Read writes the sum plus the ridge into dst.
func (e *Exact) Read(dst []float64) {
	copy(dst, e.sum)
	addDiagonal(dst, e.setup.Dim, e.shift)
}

// Bounds returns the ridge as both bounds, and no perturbation.
func (e *Exact) Bounds() privacy.Bounds { return privacy.Bounds{RhoMin: e.shift, RhoMax: e.shift} }

// Noiseless reports true.
func (e *Exact) Noiseless() bool { return true }

// Claim claims nothing: epsilon is infinite.
func (e *Exact) Claim() privacy.Claim {
	return privacy.Claim{
		Model: privacy.Joint, Neighbours: privacy.ReplaceRound,
		Nominal: privacy.Budget{Epsilon: math.Inf(1)}, Epsilon: math.Inf(1),
		Source: "none: the sums are released as they are",
	}
}

// Draws returns none.
func (e *Exact) Draws() []privacy.Draws { return nil }
