package continual

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
}

var _ privacy.Accumulator = Exact{}

// exact is Exact for a setup.
type exact struct {
	data privacy.Setup
	sums privacy.Sums
}

// exactRun is a run of Exact.
type exactRun struct {
	*exact
	rows
}

// Open validates and calibrates.
func (e Exact) Open(s privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	if err := checkRows(s, 1); err != nil {
		return nil, err
	}
	if !(e.Ridge >= 0) || math.IsInf(e.Ridge, 1) {
		return nil, fmt.Errorf("mechanism: Exact.Ridge = %v, want finite and >= 0", e.Ridge)
	}
	shift := e.Ridge
	if shift == 0 {
		shift = 1
	}
	return &exact{s, privacy.Sums{Shift: shift, Bounds: privacy.Spread{}.Bounds(shift), Exact: true}}, nil
}

// Start begins a run. It takes no noise.
func (e *exact) Start(*privacy.Noise) privacy.Stream[privacy.Sums] {
	return &exactRun{e, newRows(e.data, e.sums)}
}

// Add adds row row^T.
func (e *exactRun) Add(rec *privacy.Record) (moved bool, err error) {
	row, err := e.admit(rec)
	if err != nil {
		return false, err
	}
	packed.AddOuter(e.rows.sums.Packed, row)
	return true, nil
}

// Release returns the sum of the rows added so far, without the ridge. Row is the row added last,
// if it is all that is new since the last Release.
func (e *exactRun) Release() *privacy.Sums { return e.shown() }

// Plan returns no plan, with the reason: Exact claims no privacy.
func (e *exact) Plan(int) privacy.Plan { return privacy.NoPlan("the sums are released as they are") }
