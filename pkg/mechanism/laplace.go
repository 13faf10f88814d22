package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Laplace releases vectors whose coordinates lie in [Lo, Hi] under independent Laplace noise of density exp(-|z|/scale)/(2 scale), pure
// epsilon-DP (Dwork, McSherry, Nissim, Smith 2006, Thm. 1).
//
// Its scale is D/epsilon, D the L1 sensitivity: replacing a value by another of the box moves it by Dim (Hi - Lo) at most. Where a record is there or not, its
// absence is the zero vector, which the box must hold, and D = Dim max(-Lo, Hi). Values are clipped
// inside. A value is a record's vector, or any function of a batch of records: what counts is that a record (a user, Neighbours.Contributions
// times) is in one release only. The noise is for research: floating-point Laplace leaks through its low bits (Mironov 2012), SecureLaplace does not.
// The trust model is central; with a value for each user, drawn on the user's device, it is the local one.
type Laplace struct {
	Epsilon    float64            // > 0, no default; +Inf means no noise
	Dim        int                // length of a value, >= 1
	Lo, Hi     float64            // bounds of a coordinate, Lo < Hi, no default
	Neighbours privacy.Neighbours // zero: one record is replaced

	lo, hi   float64 // as they were in Init; buf has the length of a value
	scale    float64
	releases int
	clipped  int
	noise    *privacy.Noise
	buf      []float64
	claim    privacy.Claim
}

var _ privacy.Ledgered = (*Laplace)(nil)

// Init validates and calibrates.
func (l *Laplace) Init() error {
	l.noise, l.claim = nil, privacy.Claim{}
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
	l.claim = privacy.Claim{
		Model: privacy.Central, Neighbours: neighbours,
		Nominal: nominal, Epsilon: l.Epsilon,
		Event:      times(privacy.LaplaceEvent{Epsilon: each}, k),
		Conditions: []string{fmt.Sprintf("coordinates clipped to [%v, %v] inside the mechanism", l.Lo, l.Hi), apart(neighbours)},
		Source:     "Dwork, McSherry, Nissim, Smith 2006, Theorem 1",
	}
	return nil
}

// Reset begins a run over new noise.
func (l *Laplace) Reset(n *privacy.Noise) { l.noise, l.releases, l.clipped = n, 0, 0 }

// Release writes the value, clipped and under noise, into dst, which may be the value itself. A value that is not finite or of another length is refused.
func (l *Laplace) Release(dst, value []float64) error {
	if err := ready(l.noise, &l.claim); err != nil {
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

// Scale returns the scale of the noise; its standard deviation is sqrt(2) times that.
func (l *Laplace) Scale() float64 { return l.scale }

// Clipped returns how many values were clipped since Reset.
func (l *Laplace) Clipped() int { return l.clipped }

// Claim returns what the noise buys.
func (l *Laplace) Claim() privacy.Claim { return l.claim }

// Draws returns a draw for each release.
func (l *Laplace) Draws() []privacy.Draws {
	return []privacy.Draws{{Law: privacy.LaplaceLaw(len(l.buf), l.scale), Count: l.releases}}
}
