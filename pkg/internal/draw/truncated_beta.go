package draw

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/ziggurat"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TruncatedBeta is the law of the height of a random point in a band of the unit sphere.
//
// The height is t = <x, axis> for a point x that is uniform on the part of the sphere in Dim
// dimensions between two heights. Its density on [Lo, Hi], -1 <= Lo < Hi <= 1, is proportional to
// (1-t^2)^((Dim-3)/2). For Dim = 3 it is Archimedes' uniform distribution. (t+1)/2 is a
// Beta((Dim-1)/2, (Dim-1)/2) variable, truncated.
type TruncatedBeta struct {
	Dim    int     // >= 2
	Lo, Hi float64 // bounds of the height
}

// Validate returns an error if a field is out of its range.
func (b TruncatedBeta) Validate() error {
	if b.Dim < 2 {
		return fmt.Errorf("draw: TruncatedBeta.Dim = %d, want >= 2", b.Dim)
	}
	if !(b.Lo >= -1 && b.Lo < b.Hi && b.Hi <= 1) {
		return fmt.Errorf("draw: TruncatedBeta.Lo = %v, Hi = %v, want -1 <= Lo < Hi <= 1", b.Lo, b.Hi)
	}
	return nil
}

// Rand draws a height, by rejection.
//
// If the band holds much of the sphere, the proposal is the height of a uniform point of the whole
// sphere: t = z/sqrt(z^2+c) for a normal z and an independent chi-square c with Dim-1 degrees of
// freedom. Otherwise it is uniform, under the density's maximum on the band. Bands that neither
// proposal would hit often have a method of their own.
func (b TruncatedBeta) Rand(r *rand.Rand) float64 {
	power := float64(b.Dim-3) / 2
	// sharp is the fall of the log-density over the band that is too large for a uniform proposal.
	const sharp = 100
	switch {
	case b.Dim == 2:
		if near, far := b.ends(); math.Abs(near-far) < 0.05 && b.Hi-b.Lo < 0.05 {
			return b.arc(r)
		}
	case b.Lo > 0 && b.fall(b.Lo)*(b.Hi-b.Lo) > sharp:
		return b.above(r, b.Lo, b.Hi)
	case b.Hi < 0 && b.fall(-b.Hi)*(b.Hi-b.Lo) > sharp:
		return -b.above(r, -b.Hi, -b.Lo)
	}
	wide := b.Lo <= 0 && b.Hi >= 0 && power*max(b.Lo*b.Lo, b.Hi*b.Hi) > sharp
	if power >= 0 && !wide && (b.Lo > 0 || b.Hi < 0 || b.Hi-b.Lo < 0.5) {
		mode := math.Max(b.Lo, math.Min(0, b.Hi)) // the height of the band nearest the equator
		top := 1 - float64(mode*mode)
		for {
			t := b.clamp(b.Lo + float64((b.Hi-b.Lo)*r.Float64()))
			if portable.Log(1-float64(r.Float64())) < power*portable.Log((1-float64(t*t))/top) {
				return t
			}
		}
	}
	var g random.Normals
	g.Seed(r)
	for {
		z := g.One()
		t := z / math.Sqrt(float64(z*z)+g.ChiSquared(float64(b.Dim-1)))
		if t >= b.Lo && t <= b.Hi {
			return t
		}
	}
}

// ends returns the other coordinates of the circle's points, at the ends of the band.
func (b TruncatedBeta) ends() (lo, hi float64) {
	return math.Sqrt((1 - b.Lo) * (1 + b.Lo)), math.Sqrt((1 - b.Hi) * (1 + b.Hi))
}

// arc draws the height of a uniform point of a short arc of the circle. It moves a uniform point of
// the chord to the circle and keeps it with probability cos^2 of its angle to the chord's middle,
// which makes that angle uniform.
func (b TruncatedBeta) arc(r *rand.Rand) float64 {
	lo, hi := b.ends()
	x, y := float64((hi+lo)/2), float64((b.Hi+b.Lo)/2)   // the middle
	dx, dy := float64((hi-lo)/2), float64((b.Hi-b.Lo)/2) // from there to an end
	middle := float64(x*x) + float64(y*y)
	for {
		s := float64(2*float64(r.Float64())) - 1
		px, py := x+float64(s*dx), y+float64(s*dy)
		square := float64(px*px) + float64(py*py)
		if float64(r.Float64()*square) < middle {
			return b.clamp(py / math.Sqrt(square))
		}
	}
}

// clamp removes rounding beyond the band.
func (b TruncatedBeta) clamp(t float64) float64 { return min(max(t, b.Lo), b.Hi) }

// fall returns the rate at which the log-density falls, at a height t >= 0.
func (b TruncatedBeta) fall(t float64) float64 { return float64(b.Dim-3) * t / (1 - float64(t*t)) }

// above draws a height in [lo, hi], lo > 0. The proposal is exponential: the log-density is
// concave, so that its tangent at lo lies above it.
func (b TruncatedBeta) above(r *rand.Rand, lo, hi float64) float64 {
	rate, power := b.fall(lo), float64(b.Dim-3)/2
	for {
		over := ziggurat.Exponential(r) / rate
		t := lo + over
		if t > hi {
			continue
		}
		if portable.Log(1-float64(r.Float64())) < float64(power*(portable.Log1p(-t*t)-portable.Log1p(-lo*lo)))+float64(rate*over) {
			return t
		}
	}
}
