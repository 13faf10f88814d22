package design

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// startPairs replaces the start by the arms that are extreme in m directions: each direction is
// orthogonal to the differences of the pairs before, so that these are a basis. If the arms lie in
// a hyperplane, all of them are equally far in the last direction, and one is taken.
func (o *Finder) startPairs() {
	m, n := o.rank, o.among
	clear(o.weight[:n])
	for p := range m {
		direction := o.frame[p*m : (p+1)*m]
		o.across(direction, p)
		high, low := 0, 0
		var top, bottom float64
		for i := range n {
			along := packed.Dot(direction, o.Coordinates(i))
			if i == 0 || along > top {
				high, top = i, along
			}
			if i == 0 || along < bottom {
				low, bottom = i, along
			}
		}
		o.weight[high], o.weight[low] = 1, 1
		if !(top-bottom > rankTolerance*max(math.Abs(top), math.Abs(bottom))) {
			continue
		}
		// The difference, less what lies along the frame so far, takes the direction's place.
		for j, v := range o.Coordinates(high) {
			direction[j] = v - o.Coordinates(low)[j]
		}
		o.orthonormal(direction, p)
	}
}

// across writes a unit vector orthogonal to the first rows of the frame: the projection of the axis
// that is farthest from them.
func (o *Finder) across(dst []float64, rows int) {
	m := o.rank
	axis, least := 0, math.Inf(1)
	for j := range m {
		var square float64 // of the axis' projection on the frame
		for r := range rows {
			square += float64(o.frame[r*m+j] * o.frame[r*m+j])
		}
		if square < least {
			axis, least = j, square
		}
	}
	clear(dst)
	dst[axis] = 1
	o.orthonormal(dst, rows)
}

// orthonormal makes x a unit vector orthogonal to the first rows of the frame, by two passes of
// Gram-Schmidt.
func (o *Finder) orthonormal(x []float64, rows int) {
	m := o.rank
	for range 2 {
		for r := range rows {
			row := o.frame[r*m : (r+1)*m]
			along := packed.Dot(x, row)
			for j, v := range row {
				x[j] -= float64(along * v)
			}
		}
		norm := math.Sqrt(squared(x))
		for j := range x {
			x[j] /= norm
		}
	}
}
