package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Laplace releases vectors with coordinates in [Lo, Hi] under independent Laplace noise; it is pure
// epsilon-DP (Dwork, McSherry, Nissim, Smith 2006, Thm. 1).
//
// The noise has density exp(-|z|/scale)/(2 scale) with scale D/epsilon, where D is the L1
// sensitivity. Replacing a value by another moves it by at most D = Dim (Hi - Lo). Under AddRemove
// a missing record counts as the zero vector, so Lo <= 0 <= Hi is required and D = Dim max(-Lo,
// Hi). Values are clipped to the bounds inside the mechanism.
//
// A value is a record's vector or any function of a batch of records. A record may be in one
// release only, and a user in at most Neighbours.Contributions releases, each of which spends the
// same share of epsilon. The trust model is central; if each user's device draws the noise on the
// user's own value, it is local.
//
// The noise is for research: floating-point Laplace noise leaks through its low bits (Mironov
// 2012). [SecureLaplace] does not leak.
type Laplace struct {
	Epsilon    float64            // > 0, no default; +Inf means no noise
	Dim        int                // length of a value, >= 1
	Lo, Hi     float64            // bounds of a coordinate, Lo < Hi, no default
	Neighbours privacy.Neighbours // zero value: one record is replaced

	single
	lo, hi  float64 // as they were in Init; buf has the length of a value
	scale   float64
	clipped int
	buf     []float64
}

var _ privacy.Planner = (*Laplace)(nil)

// Init validates and calibrates.
func (l *Laplace) Init() error {
	l.single = single{}
	nominal := privacy.Budget{Epsilon: l.Epsilon}
	if err := nominal.Validate(); err != nil {
		return err
	}
	if l.Dim < 1 {
		return fmt.Errorf("mechanism: Laplace.Dim = %d, want >= 1", l.Dim)
	}
	if err := size.Check(fmt.Sprintf("mechanism: Laplace.Dim = %d", l.Dim), float64(l.Dim)); err != nil {
		return err
	}
	if !(l.Lo < l.Hi) || math.IsInf(l.Hi-l.Lo, 0) {
		return fmt.Errorf("mechanism: Laplace.Lo = %v, Hi = %v, want finite and Lo < Hi", l.Lo, l.Hi)
	}
	neighbours, err := protect(l.Neighbours, "record's vector")
	if err != nil {
		return err
	}
	side := l.Hi - l.Lo
	if neighbours.Relation == privacy.AddRemove {
		if l.Lo > 0 || l.Hi < 0 {
			return fmt.Errorf("mechanism: Laplace.Lo = %v, Hi = %v, want 0 between them, as an absent record counts as 0", l.Lo, l.Hi)
		}
		side = max(-l.Lo, l.Hi)
	}
	k := neighbours.Contributions
	each := l.Epsilon / float64(k)
	l.scale = float64(l.Dim) * side / each
	if math.IsInf(l.scale, 0) || l.scale == 0 && !nominal.None() {
		return fmt.Errorf("mechanism: Laplace of scale %v for epsilon = %v, want finite and > 0", l.scale, l.Epsilon)
	}
	l.lo, l.hi, l.buf = l.Lo, l.Hi, make([]float64, l.Dim)
	l.reveals(privacy.Release{Law: privacy.LaplaceLaw(l.Dim, l.scale), Sensitivity: privacy.Norms{L1: float64(l.Dim) * side}, Times: k}, neighbours, nominal,
		"Dwork, McSherry, Nissim, Smith 2006, Theorem 1", fmt.Sprintf("coordinates clipped to [%v, %v] inside the mechanism", l.Lo, l.Hi), apart(neighbours))
	return nil
}

// Reset begins a new run that draws its noise from n.
func (l *Laplace) Reset(n *privacy.Noise) { l.noise, l.releases, l.clipped = n, 0, 0 }

// Release writes the value, clipped and under noise, into dst, which may be the value itself. It
// refuses a value that has the wrong length or is not finite.
func (l *Laplace) Release(dst, value []float64) error {
	if err := l.ready(); err != nil {
		return err
	}
	if err := fits(dst, value, len(l.buf)); err != nil {
		return err
	}
	l.noise.Laplace(l.buf, l.scale)
	l.releases++
	outside := false
	for i, v := range value {
		clipped := min(max(v, l.lo), l.hi)
		outside = outside || clipped != v
		dst[i] = clipped + l.buf[i]
	}
	if outside {
		l.clipped++
	}
	return nil
}

// Scale returns the scale of the noise; its standard deviation is sqrt(2) times the scale.
func (l *Laplace) Scale() float64 { return l.scale }

// Clipped returns how many values were clipped since Reset.
func (l *Laplace) Clipped() int { return l.clipped }

// Plan returns what the releases reveal of a record.
func (l *Laplace) Plan(records int) privacy.Plan { return l.plan(records).HeldBy(l) }
