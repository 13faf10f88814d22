package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
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
}

// laplace is a Laplace that is calibrated.
type laplace struct {
	curator.Planned
	dim    int
	lo, hi float64
	scale  float64
}

// laplaceRun is a run of a Laplace.
type laplaceRun struct {
	*laplace
	noise    *privacy.Noise
	releases int
	clipped  int
	buf      []float64
}

// Open validates and calibrates.
func (of Laplace) Open() (Calibrated[Vectors], error) {
	nominal := privacy.Budget{Epsilon: of.Epsilon}
	if err := nominal.Validate(); err != nil {
		return nil, err
	}
	if of.Dim < 1 {
		return nil, fmt.Errorf("mechanism: Laplace.Dim = %d, want >= 1", of.Dim)
	}
	if err := size.Check(fmt.Sprintf("mechanism: Laplace.Dim = %d", of.Dim), float64(of.Dim)); err != nil {
		return nil, err
	}
	if !(of.Lo < of.Hi) || math.IsInf(of.Hi-of.Lo, 0) {
		return nil, fmt.Errorf("mechanism: Laplace.Lo = %v, Hi = %v, want finite and Lo < Hi", of.Lo, of.Hi)
	}
	neighbours, err := curator.Protect(of.Neighbours, "record's vector")
	if err != nil {
		return nil, err
	}
	side := of.Hi - of.Lo
	if neighbours.Relation == privacy.AddRemove {
		if of.Lo > 0 || of.Hi < 0 {
			return nil, fmt.Errorf("mechanism: Laplace.Lo = %v, Hi = %v, want 0 between them, as an absent record counts as 0", of.Lo, of.Hi)
		}
		side = max(-of.Lo, of.Hi)
	}
	k := neighbours.Contributions
	each := of.Epsilon / float64(k)
	l := &laplace{lo: of.Lo, hi: of.Hi, dim: of.Dim}
	l.scale = float64(of.Dim) * side / each
	if math.IsInf(l.scale, 0) || l.scale == 0 && !nominal.None() {
		return nil, fmt.Errorf("mechanism: Laplace of scale %v for epsilon = %v, want finite and > 0", l.scale, of.Epsilon)
	}
	l.Planned = curator.Reveals(privacy.Release{Law: privacy.LaplaceLaw(of.Dim, l.scale), Sensitivity: privacy.Norms{L1: float64(of.Dim) * side}, Times: k}, neighbours, nominal,
		"Dwork, McSherry, Nissim, Smith 2006, Theorem 1", fmt.Sprintf("coordinates clipped to [%v, %v] inside the mechanism", of.Lo, of.Hi), apart(neighbours))
	return l, nil
}

// Start begins a run that draws its noise from n.
func (l *laplace) Start(n *privacy.Noise) Vectors {
	return &laplaceRun{laplace: l, noise: n, buf: make([]float64, l.dim)}
}

// Release writes the value, clipped and under noise, into dst, which may be the value itself. It
// refuses a value that has the wrong length or is not finite.
func (l *laplaceRun) Release(dst, value []float64) error {
	if err := fits(dst, value, len(l.buf)); err != nil {
		return err
	}
	if l.noise == nil {
		return curator.ErrNoNoise
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
func (l *laplace) Scale() float64 { return l.scale }

// Clipped returns how many values were clipped.
func (l *laplaceRun) Clipped() int { return l.clipped }

// Plan returns what the releases reveal of a record.
func (l *laplace) Plan(records int) privacy.Plan { return l.Shown(records, 0).HeldBy(l) }

// Plan returns the mechanism's plan with the draws of the run.
func (l *laplaceRun) Plan(records int) privacy.Plan { return l.Shown(records, l.releases).HeldBy(l) }
