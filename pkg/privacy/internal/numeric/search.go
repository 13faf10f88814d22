// Package numeric searches a line, and remembers what was found.
package numeric

import (
	"math"
)

// Least returns the least x > 0 with ok(x), or +Inf if there is none. ok must stay true once it is
// true. It halves the range of bit patterns, which are in the order of the numbers.
func Least(ok func(float64) bool) float64 {
	low, high := uint64(0), math.Float64bits(math.Inf(1))
	for high-low > 1 {
		if middle := low + (high-low)/2; ok(math.Float64frombits(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	return math.Float64frombits(high)
}

// Bisect returns the least x in (lo, hi] with ok(x), to rounding. ok must stay true once it is
// true.
func Bisect(lo, hi float64, ok func(float64) bool) float64 {
	for range 200 {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Golden returns approximately where f is least in [lo, hi], by golden sections. f must have one
// valley.
func Golden(lo, hi float64, steps int, f func(float64) float64) float64 {
	const ratio = 0.6180339887498949
	a, b := hi-float64(ratio*(hi-lo)), lo+float64(ratio*(hi-lo))
	fa, fb := f(a), f(b)
	for range steps {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - float64(ratio*(hi-lo))
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + float64(ratio*(hi-lo))
			fb = f(b)
		}
	}
	if fa <= fb {
		return a
	}
	return b
}
