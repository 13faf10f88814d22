package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Statistic describes how raw records become a noisy summary R of them. What it describes is the
// half of a private learner that sees data; the other half, a policy, sees releases only.
//
// A description is a plain value of exported fields, whose zeros are the documented defaults. What
// runs is made from it, and thrown away: Open calibrates it for a setup, and Start begins a run.
//
// The releases of this toolkit are Sums and Means. For a release of your own, write a type of your
// own: plain data, which is numbers, bools, strings, and slices, arrays and structs of them, with
// exported fields.
type Statistic[R any] interface {
	// Open validates the description and calibrates it for a setup.
	Open(Setup) (Mechanism[R], error)
}

// Mechanism is a statistic that is calibrated. It never changes, and all runs share it.
type Mechanism[R any] interface {
	// Planner says what the releases after a number of records show of one, of any run.
	Planner
	// Start begins a run that takes its noise from n. Without any, a run that wants it refuses
	// records.
	Start(n *Noise) Stream[R]
}

// Stream is one run of a mechanism: it takes in records, and releases.
type Stream[R any] interface {
	// Planner returns the mechanism's plan, held by the stream, with the Draws of this very run.
	Planner
	// Add takes in a record, and reports whether the release has moved. Values out of their bounds are
	// clipped to them and counted. A record that is not finite, of the wrong shape, or beyond the
	// horizon is an error and changes nothing.
	Add(*Record) (moved bool, err error)
	// Release returns the current release. Reading it again shows the same, since noise is drawn when
	// records come. The stream owns it; it is valid until the next Add.
	Release() *R
	// Clipped returns the number of records, or of their weights, that were clipped.
	Clipped() int
}

// First returns the release of no records, without noise. A policy reads from it, before any run,
// what bounds the noise.
func First[R any](m Mechanism[R]) *R {
	return m.Start(ScriptedNoise(func(_ Law, dst []float64) { clear(dst) })).Release()
}

// Accumulator is a statistic that releases the running sum of row row^T over rows (x, y).
type Accumulator = Statistic[Sums]

// Tally is a statistic that releases the mean weight of each arm.
type Tally = Statistic[Means]

// Record is the data of one round: what the round shows of its user.
type Record struct {
	X    []float64 // the context of the arm played; empty without contexts
	Arms []int     // the arms played
	Y    []float64 // their rewards
}

// Summer is a Stream that also takes in the weights of one arm as a sum, so that a simulation can
// jump to the end of a batch. Nothing in it clips single weights: the claim holds if each was
// within the bounds before it was added up.
type Summer interface {
	Stream[Means]
	// Missing returns how many weights of an arm, and of no other, the next release waits for, >= 1.
	// It returns 0 for an arm outside of [0, Setup.Arms).
	Missing(arm int) int
	// AddSum takes in the sum of n records of an arm each, 1 <= n <= Missing(arm), as n calls of Add
	// do. If it returns an error, nothing has changed.
	AddSum(arm, n int, sum float64) (moved bool, err error)
}

// Row returns the record of a row (x, y), whose last number is the reward.
func Row(row []float64) *Record {
	last := max(0, len(row)-1)
	return &Record{X: row[:last], Y: row[last:]}
}

// Setup describes the data that a statistic is to take in. Accumulators read Dim, Bound, Context
// and Alpha; tallies read Arms, Slots, Lo, Hi, WarmUp and Lengths.
type Setup struct {
	Horizon int // number of records, >= 1, without that of a warm-up; the last row is never released

	Dim   int     // length of a row (x, y), >= 2
	Bound float64 // largest Euclidean norm of a row, L~, in [1e-60, 1e60]
	// Context is the largest Euclidean norm L of a row without its last entry, in [1e-60, Bound];
	// 0 means Bound.
	Context float64
	Alpha   float64 // Sums.Bounds fail in some round with probability at most Alpha/2; in (0, 1]

	Arms   int     // number of arms L, >= 1
	Slots  int     // largest number of arms K in a record, in [1, Arms]
	Lo, Hi float64 // bounds of a weight, Lo < Hi
	WarmUp bool    // a first record, in addition to the horizon's, shows all arms
	// Lengths means that the policy's rule sets the lengths of batches, unless the statistic does.
	Lengths bool
}

// CheckRows returns an error if a field that accumulators read is out of its range.
func (s Setup) CheckRows() error {
	switch {
	case s.Dim < 2:
		return fmt.Errorf("privacy: Setup.Dim = %d, want >= 2", s.Dim)
	case s.Horizon < 1:
		return fmt.Errorf("privacy: Setup.Horizon = %d, want >= 1", s.Horizon)
	case !(s.Bound >= size.LeastBound && s.Bound <= size.MostBound):
		return fmt.Errorf("privacy: Setup.Bound = %v, want finite and > 0, in [%v, %v]", s.Bound, size.LeastBound, size.MostBound)
	case s.Context != 0 && !(s.Context >= size.LeastBound && s.Context <= s.Bound):
		return fmt.Errorf("privacy: Setup.Context = %v, want in [%v, Bound = %v], or 0 for Bound", s.Context, size.LeastBound, s.Bound)
	case !(s.Alpha > 0 && s.Alpha <= 1):
		return fmt.Errorf("privacy: Setup.Alpha = %v, want in (0, 1]", s.Alpha)
	case !(float64(s.Horizon)/s.Alpha <= 1e306):
		return fmt.Errorf("privacy: Setup.Alpha = %v over Horizon = %d, want Horizon/Alpha <= 1e306", s.Alpha, s.Horizon)
	}
	return nil
}

// CheckWeights returns an error if a field that tallies read is out of its range.
func (s Setup) CheckWeights() error {
	switch {
	case s.Arms < 1:
		return fmt.Errorf("privacy: Setup.Arms = %d, want >= 1", s.Arms)
	case s.Slots < 1 || s.Slots > s.Arms:
		return fmt.Errorf("privacy: Setup.Slots = %d, want in [1, Arms = %d]", s.Slots, s.Arms)
	case s.Horizon < 1:
		return fmt.Errorf("privacy: Setup.Horizon = %d, want >= 1", s.Horizon)
	case !(s.Lo < s.Hi) || math.IsInf(s.Hi-s.Lo, 0):
		return fmt.Errorf("privacy: Setup.Lo = %v, Hi = %v, want finite and Lo < Hi", s.Lo, s.Hi)
	}
	return nil
}

// Sums is the release of the running sum of row row^T under noise. It is plain data: all that a
// policy sees of the rows is in these fields.
//
// Symmetric matrices are packed by the rows of their lower triangle: entry (i, j), j <= i, is at
// index i(i+1)/2+j.
type Sums struct {
	// Packed is the sum with its noise, without Shift. Its last entry, the sum of y^2, is NaN if
	// messages do not carry it.
	Packed []float64
	Shift  float64 // the multiple of the identity that a reader adds to Packed
	// Bounds are accurate bounds on noise and Shift in the leading (dim-1) x (dim-1) block and in the
	// last row next to it. All three hold in all rounds of a run with probability at least 1 -
	// Alpha/2.
	Bounds Bounds
	Spread Spread // of the noise alone, for a reader with a shift of its own
	// Least is a lower bound of Bounds.RhoMin that holds for longer: until the number of records
	// doubles, or for the whole run. A confidence width needs a union bound over its values. 0 means
	// Bounds.RhoMin.
	Least  float64
	Epochs int  // number of values that Least takes in a run; 0 means 1
	Exact  bool // there is no noise: a release is the one before plus the rows added
	// Row is the one row added since the release before, if the sums are exact and it was not clipped.
	// Otherwise it is nil.
	Row []float64
}

// Read writes the sum, with noise and shift, into dst, packed.
func (s *Sums) Read(dst []float64) {
	dst = dst[:copy(dst, s.Packed)]
	for i, p := 0, 0; p < len(dst); i, p = i+1, p+i+2 {
		dst[p] += s.Shift
	}
}

// Shifted returns the release with the Shift that makes Bounds.RhoMin equal to rhoMin > 0. It
// shares its slices. The shift is post-processing, which costs no privacy: choose it before the
// first record.
func (s *Sums) Shifted(rhoMin float64) (Sums, error) {
	switch {
	case s.Spread.Fixed:
		return *s, fmt.Errorf("privacy: rho_min = %v for sums that cannot be shifted", rhoMin)
	case !(rhoMin > 0) || math.IsInf(rhoMin, 1):
		return *s, fmt.Errorf("privacy: rho_min = %v, want finite and > 0", rhoMin)
	}
	moved := *s
	if moved.Shift = rhoMin - s.Spread.Low; moved.Shift != s.Shift {
		moved.Bounds = s.Spread.Bounds(moved.Shift)
	}
	moved.Least = moved.Bounds.RhoMin
	return moved, nil
}

// Bounds are accurate bounds on a regulariser H and a perturbation h (JDP, Definition 3): |H| <=
// RhoMax, |H^-1| <= 1/RhoMin, |h|_{H^-1} <= Gamma.
type Bounds struct{ RhoMin, RhoMax, Gamma float64 }

// Spread bounds noise before a shift: N on the leading block, h next to it. The zero value means no
// noise.
type Spread struct {
	Low, High float64 // bounds on the eigenvalues of N
	Norm      float64 // bound on |h|
	// Relative replaces Norm for noise with Low > 0 on whose size h depends: a bound on |h|_{N^-1},
	// and after a shift up on sqrt(RhoMax/High) |h|_{H^-1}.
	Relative float64
	Fixed    bool // no other shift than Sums.Shift is possible
}

// Bounds returns the bounds on H = N + shift I and h.
func (s Spread) Bounds(shift float64) Bounds {
	b := Bounds{RhoMin: s.Low + shift, RhoMax: s.High + shift}
	switch {
	case s.Relative == 0:
		b.Gamma = s.Norm / math.Sqrt(b.RhoMin)
	case shift > 0:
		b.Gamma = s.Relative * math.Sqrt(s.High/b.RhoMax)
	default:
		b.Gamma = s.Relative * math.Sqrt(s.Low/b.RhoMin)
	}
	return b
}

// Means is the release of the noisy mean weight of each arm.
type Means struct {
	Of      []Estimate // one for each arm
	Changed []int      // arms whose estimate the last record changed
	Records int        // number of records taken in, which is public
}

// Estimate is the noisy mean weight of one arm.
type Estimate struct {
	Mean float64 // mean of Count observations, with noise
	// Count is the number of observations; 0 means that nothing was released yet. If Mean is a
	// weighted mean of several averages, Count is the number of observations whose plain mean has
	// the same variance, rounded down.
	Count int
	Tail  Tail // bound on the noise in Mean
}

// Tail bounds a symmetric noise Z: P(Z > Root sqrt(l) + Linear l) <= exp(-l) for all l >= 0. The
// zero value means no noise.
type Tail struct{ Root, Linear float64 }
