package privacy

import (
	"fmt"
)

// Accumulator releases the running sum of row row^T under noise: a private learner's only door to its data.
// Symmetric matrices are packed by the rows of their lower triangle: entry (i, j), j <= i, stands at i(i+1)/2+j.
type Accumulator interface {
	// Init validates and allocates.
	Init(Setup) error
	// Reset forgets the data, before each trial, and draws new noise from n.
	Reset(n *Noise)
	// AddOuter adds row row^T. A context or a row longer than its bound is scaled down to it, and the row counted; a row that is
	// not finite, of the wrong length or beyond the horizon is refused with an error and changes nothing.
	AddOuter(row []float64) error
	// Read writes the release, the sum with its noise and shift, into dst, packed. Reading twice
	// gives the same numbers: noise is drawn when rows come, not when they are read.
	Read(dst []float64)
	// Bounds returns the accurate bounds of the noise in the leading (dim-1) x (dim-1) block and of the
	// last row next to it: all three hold with probability 1 - Alpha/(2 Horizon) in a round.
	Bounds() Bounds
	// Clipped returns how many rows were scaled down since Reset.
	Clipped() int
	Ledgered
}

// Setup is what an accumulator has to know before the first row.
type Setup struct {
	Dim     int     // length of a row, >= 2
	Horizon int     // rounds, >= 1; the last round's row is never released, as no round comes after it
	Bound   float64 // largest Euclidean norm of a row, L~, in [LeastBound, MostBound]
	Context float64 // largest Euclidean norm of a row without its last entry, L, in [LeastBound, Bound]; 0 means Bound
	Alpha   float64 // failure probability of the bounds over all rounds is Alpha/2; in (0, 1]
}

// LeastBound and MostBound are the range of a bound on data: the products of a few bounds, of noise and of a
// horizon neither overflow nor vanish in it, so that noise is never zero by rounding. Use other units beyond it.
const (
	LeastBound = 1e-60
	MostBound  = 1e60
)

// Validate reports a field that is out of its range.
func (s Setup) Validate() error {
	switch {
	case s.Dim < 2:
		return fmt.Errorf("privacy: Setup.Dim = %d, want >= 2", s.Dim)
	case s.Horizon < 1:
		return fmt.Errorf("privacy: Setup.Horizon = %d, want >= 1", s.Horizon)
	case !(s.Bound >= LeastBound && s.Bound <= MostBound):
		return fmt.Errorf("privacy: Setup.Bound = %v, want > 0, in [%v, %v]", s.Bound, LeastBound, MostBound)
	case s.Context != 0 && !(s.Context >= LeastBound && s.Context <= s.Bound):
		return fmt.Errorf("privacy: Setup.Context = %v, want in [%v, Bound = %v], or 0 for Bound", s.Context, LeastBound, s.Bound)
	case !(s.Alpha > 0 && s.Alpha <= 1):
		return fmt.Errorf("privacy: Setup.Alpha = %v, want in (0, 1]", s.Alpha)
	}
	return nil
}

// Bounds are the accurate bounds of a regulariser H and a perturbation h (JDP, Definition 3):
// |H| <= RhoMax, |H^-1| <= 1/RhoMin, |h|_{H^-1} <= Gamma.
type Bounds struct{ RhoMin, RhoMax, Gamma float64 }

// Shifter is an Accumulator whose release can be moved by a multiple of the identity, which is
// post-processing and costs no privacy.
type Shifter interface {
	// ShiftTo chooses the multiple such that Bounds().RhoMin becomes rhoMin > 0. Call it after Init.
	ShiftTo(rhoMin float64) error
}

// Exact is an Accumulator that may hold no noise. Where Noiseless reports true, each release is the one before
// plus the row added, so that a learner can update a factorisation instead of computing it anew.
type Exact interface{ Noiseless() bool }
