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
func (b TruncatedBeta) Rand(r *rand.Rand) float64 {
	power := float64(b.Dim-3) / 2
	if power >= 0 && (b.Lo > 0 || b.Hi < 0 || b.Hi-b.Lo < 0.5) {
		mode := math.Max(b.Lo, math.Min(0, b.Hi)) // the height of the band nearest the equator
		top := 1 - mode*mode
		for {
			t := b.Lo + (b.Hi-b.Lo)*r.Float64()
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
