package random

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// TruncatedBeta is the distribution on [Lo, Hi], -1 <= Lo < Hi <= 1, with density proportional to
// (1-t^2)^((Dim-3)/2): the height <x, axis> of a point x drawn in surface measure from the part of the
// unit sphere in Dim dimensions that lies between two heights. It is Archimedes' uniform
// distribution for Dim = 3. (t+1)/2 is a Beta((Dim-1)/2, (Dim-1)/2) variable, truncated.
type TruncatedBeta struct {
	Dim    int     // >= 2
	Lo, Hi float64 // bounds of the height
}

// Validate reports a field that is out of its range.
func (b TruncatedBeta) Validate() error {
	if b.Dim < 2 {
		return fmt.Errorf("random: TruncatedBeta.Dim = %d, want >= 2", b.Dim)
	}
	if !(b.Lo >= -1 && b.Lo < b.Hi && b.Hi <= 1) {
		return fmt.Errorf("random: TruncatedBeta.Lo = %v, Hi = %v, want -1 <= Lo < Hi <= 1", b.Lo, b.Hi)
	}
	return nil
}

// Rand draws a height, by rejection. The proposal is a normal variable through t = z/sqrt(z^2+c),
// c an independent chi-square with Dim-1 degrees of freedom (the height of a uniform point of the whole sphere) when
// the band holds much of the sphere, else a uniform one under the density's maximum on the band.
//
// Bands that either would hardly ever hit have a way of their own.
func (b TruncatedBeta) Rand(r *rand.Rand) float64 {
	power := float64(b.Dim-3) / 2
	const sharp = 100 // falls of the log-density over the band that are too many for a uniform proposal
	switch {
	case b.Dim == 2:
		if from, to := math.Asin(b.Lo), math.Asin(b.Hi); to-from < 0.05 { // the angle is uniform
			return b.clamp(math.Sin(from + (to-from)*r.Float64()))
		}
	case b.Lo > 0 && b.fall(b.Lo)*(b.Hi-b.Lo) > sharp:
		return b.above(r, b.Lo, b.Hi)
	case b.Hi < 0 && b.fall(-b.Hi)*(b.Hi-b.Lo) > sharp:
		return -b.above(r, -b.Hi, -b.Lo)
	}
	wide := b.Lo <= 0 && b.Hi >= 0 && power*max(b.Lo*b.Lo, b.Hi*b.Hi) > sharp
	if power >= 0 && !wide && (b.Lo > 0 || b.Hi < 0 || b.Hi-b.Lo < 0.5) {
		mode := math.Max(b.Lo, math.Min(0, b.Hi)) // the height of the band nearest the equator
		top := 1 - mode*mode
		for {
			t := b.clamp(b.Lo + (b.Hi-b.Lo)*r.Float64())
			if math.Log(1-r.Float64()) < power*math.Log((1-t*t)/top) {
				return t
			}
		}
	}
	g := Normals{[4]uint64{r.Uint64() | 1, r.Uint64(), r.Uint64(), r.Uint64()}}
	for {
		z := g.One()
		t := z / math.Sqrt(z*z+ChiSquare(&g, float64(b.Dim-1)))
		if t >= b.Lo && t <= b.Hi {
			return t
		}
	}
}

// clamp takes rounding beyond the band back.
func (b TruncatedBeta) clamp(t float64) float64 { return min(max(t, b.Lo), b.Hi) }

// fall returns how fast the log-density falls at a height t >= 0.
func (b TruncatedBeta) fall(t float64) float64 { return float64(b.Dim-3) * t / (1 - t*t) }

// above draws a height in [lo, hi], lo > 0. The log-density is concave, so that the tangent at lo is above it: the
// proposal is exponential.
func (b TruncatedBeta) above(r *rand.Rand, lo, hi float64) float64 {
	rate, power := b.fall(lo), float64(b.Dim-3)/2
	for {
		over := r.ExpFloat64() / rate
		t := lo + over
		if t > hi {
			continue
		}
		if math.Log(1-r.Float64()) < power*(math.Log1p(-t*t)-math.Log1p(-lo*lo))+rate*over {
			return t
		}
	}
}
