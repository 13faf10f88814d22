package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Exact releases the sum itself plus a ridge, without noise or privacy.
//
// LinUCB over Exact is the non-private LinUCB. Exact ignores the horizon: rows beyond it are taken.
type Exact struct {
	// Ridge is the multiple rho of the identity that is added; 0 means 1, as in the JDP paper's
	// NonPrivate.
	Ridge float64

	rows
	sum []float64
}

var _ privacy.Accumulator = (*Exact)(nil)

// Init validates and allocates.
func (e *Exact) Init(s privacy.Setup) error {
	if err := e.rows.init(s, 1); err != nil {
		return err
	}
	if !(e.Ridge >= 0) || math.IsInf(e.Ridge, 1) {
		return fmt.Errorf("mechanism: Exact.Ridge = %v, want finite and >= 0", e.Ridge)
	}
	shift := e.Ridge
	if shift == 0 {
		shift = 1
	}
	e.sum = make([]float64, e.size)
	e.exact = true
	e.sums = &privacy.Sums{Packed: e.sum, Shift: shift, Bounds: privacy.Spread{}.Bounds(shift)}
	return nil
}

// Reset forgets the data.
func (e *Exact) Reset(*privacy.Noise) {
	e.rows.reset()
	clear(e.sum)
}

// Add adds row row^T.
func (e *Exact) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := e.admit(rec)
	if err != nil {
		return false, err
	}
	packed.AddOuter(e.sum, row)
	return true, nil
}

// Release returns the sum of the rows added so far, without the ridge. Row is the row added last, if
// it is all that is new since the last Release.
func (e *Exact) Release() *privacy.Sums { return e.shown() }

// Plan returns no plan, with the reason: Exact claims no privacy.
func (e *Exact) Plan(int) privacy.Plan { return privacy.NoPlan("the sums are released as they are") }
