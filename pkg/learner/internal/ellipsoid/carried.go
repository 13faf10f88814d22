package ellipsoid

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// carried holds bounds on the arms' upper confidence bounds that stay valid while the ellipsoid
// moves. For any two ellipsoids, with M = beta^2 V^-1 and q = x^T M x,
//
//	<x, theta'> + sqrt(q') <= <x, theta> + sqrt(q)
//	                          + |x| |theta' - theta| + |x|^2/(2 sqrt(q)) |M' - M|,
//
// as the square root is concave. So an arm's bound grows by two numbers that are the same for all
// arms, times factors of its own, and one comparison rules out most arms.
type carried struct {
	// age counts ellipsoids since the bounds were made. After bounds that did not pay, rest counts
	// the rounds until they are made anew: pause, which grows each time that they do not.
	age, rest, pause int
	length           float64   // greatest |x|
	moved            float64   // sum of |theta' - theta| over the rounds
	grown            float64   // sum of |M' - M|, Frobenius norms
	bounds           []float64 // by arm: its bound is bounds + length moved + slopes grown
	slopes           []float64 // by arm: |x|^2/(2 sqrt(q))
	squares          []float64 // by arm: |x|^2
}

func newCarried(arms int) carried {
	return carried{bounds: make([]float64, arms), slopes: make([]float64, arms), squares: make([]float64, arms)}
}

// set makes the bounds, from the ellipsoid that they are carried on from. It reports false while
// they do not pay, or if all contexts are too short.
func (c *carried) set(e *Ellipsoid, v *bandit.View) bool {
	if c.rest > 0 {
		c.rest--
		return false
	}
	c.age, c.length, c.moved, c.grown = 0, 0, 0, 0
	bounds, slopes := c.bounds[:v.Arms], c.slopes[:v.Arms]
	packed.Products(bounds, c.squares, v.X, e.Theta)
	packed.Quadratics(slopes, e.Inverse, v.X, v.Dim)
	for a, square := range c.squares[:v.Arms] {
		width := float64(e.Width[0] * math.Sqrt(slopes[a]))
		bounds[a] += width
		slopes[a] = square / (2 * width)
		c.length = max(c.length, square)
	}
	c.length = math.Sqrt(c.length)
	return c.length > 1e-100
}

// renew makes an arm's bound anew, from its upper confidence bound and the width in that.
func (c *carried) renew(a int, ucb, width float64) {
	slope := c.squares[a] / (2 * width)
	c.bounds[a], c.slopes[a] = ucb-float64(c.length*c.moved)-float64(slope*c.grown), slope
}

// sift follows the ellipsoid from old to e, and appends the arms whose upper confidence bounds may
// be at least a mark. ok is false if they are too many to pay, or if numbers are out of range.
func (c *carried) sift(old, e *Ellipsoid, mark float64, arms int, dst []int) (left []int, ok bool) {
	c.age++
	length, norm := c.move(old, e)
	// The margins are for rounding: of sums, which are off by parts of |x| |theta| and of
	// |x| |M|^0.5, and of q, which is off by parts of |x|^2 |M|.
	moved := float64(c.length * (c.moved + float64(1e-9*(c.moved+length+math.Sqrt(norm)))))
	grown := c.grown + float64(1e-9*(c.grown+norm))
	if !(moved+grown < 1e100) {
		return dst, false
	}
	limit, slopes := mark-moved, c.slopes[:arms]
	for a, bound := range c.bounds[:arms] {
		if !(bound+float64(slopes[a]*grown) < limit) {
			dst = append(dst, a)
		}
	}
	if len(dst) > 2+arms/2 {
		if c.age < 4 {
			c.pause = min(2*c.pause+1, 255)
		} else {
			c.pause = 0
		}
		c.rest = c.pause
		return dst, false
	}
	return dst, true
}

// move adds to moved and grown, and returns |theta| and |M|.
func (c *carried) move(old, e *Ellipsoid) (length, norm float64) {
	var moved, lower, diagonal, lowerNorm, diagonalNorm float64
	before := old.Theta[:len(e.Theta)]
	for i, w := range e.Theta {
		by := w - before[i]
		moved += float64(by * by)
		length += float64(w * w)
	}
	beta2, beta2Before := e.Width[0]*e.Width[0], old.Width[0]*old.Width[0]
	inverse, before := e.Inverse, old.Inverse[:len(e.Inverse)]
	for i := range e.Theta {
		row, rowBefore := inverse[:i+1], before[:i+1]
		var square, squareNorm float64
		for j, w := range row {
			w = float64(w * beta2)
			by := w - float64(rowBefore[j]*beta2Before)
			square, squareNorm = float64(by*by), float64(w*w)
			lower += square
			lowerNorm += squareNorm
		}
		diagonal += square
		diagonalNorm += squareNorm
		inverse, before = inverse[i+1:], before[i+1:]
	}
	c.moved += math.Sqrt(moved)
	c.grown += math.Sqrt(float64(2*lower) - diagonal)
	return math.Sqrt(length), math.Sqrt(float64(2*lowerNorm) - diagonalNorm)
}
