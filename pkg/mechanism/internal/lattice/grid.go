package lattice

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// SystemSource makes the source of a secure mechanism's noise; tests replace it by a seeded one.
var SystemSource = func() rand.Source { return new(random.System) }

// Source returns the source of a secure run that is handed n: that of n if it is the
// operating system's, so that a recorded run can be played again, and otherwise a new one.
func Source(n *privacy.Noise) rand.Source {
	if s := n.Source(); s != nil {
		return s
	}
	return SystemSource()
}

// Largest bounds a sum or release in grid steps: all integers up to it are float64s.
const Largest = 1 << 53

// Check checks the settings that the secure mechanisms have in common and returns the
// neighbouring relation.
func Check(name string, epsilon float64, dim int, bound, grid float64, n privacy.Neighbours) (privacy.Neighbours, error) {
	switch {
	case math.IsInf(epsilon, 1):
		return n, fmt.Errorf("mechanism: %s with epsilon = +Inf: noise of zero protects nobody, want a finite epsilon", name)
	case dim < 1:
		return n, fmt.Errorf("mechanism: %s.Dim = %d, want >= 1", name, dim)
	case !(bound > 0) || math.IsInf(bound, 0):
		return n, fmt.Errorf("mechanism: %s.Bound = %v, want finite and > 0", name, bound)
	case grid != 0 && !PowerOfTwo(grid):
		return n, fmt.Errorf("mechanism: %s.Grid = %v, want a power of two from 2^-500 to 2^498, or 0 for one that suits the noise", name, grid)
	}
	if err := size.Check(fmt.Sprintf("mechanism: %s.Dim = %d", name, dim), 3*float64(dim)); err != nil {
		return n, err
	}
	return curator.Protect(n, "record's vector")
}

// PowerOfTwo reports whether x is a power of two from 2^-500 to 2^498. No product or quotient with
// such a number is rounded in this package.
func PowerOfTwo(x float64) bool {
	fraction, exponent := math.Frexp(x)
	return fraction == 0.5 && exponent > -500 && exponent < 500
}

// suit returns a grid that suits the noise: the largest power of two that is at most 2^-10 of the
// noise and of a coordinate's share of the bound, so that rounding costs less than a thousandth.
// The grid is coarser if bound or noise would otherwise exceed the integers that the arithmetic
// allows.
func suit(noise, bound, shares float64) float64 {
	return max(below(min(noise, bound/shares)/1024), below(noise/(1<<23)), below(bound/(1<<29)))
}

// below returns the largest power of two that is at most x.
func below(x float64) float64 { return math.Ldexp(1, math.Ilogb(x)) }

// Finest returns the finest grid of which a standard deviation of noise is less than 2^25 steps,
// and a sum less than 2^52, or one twice as coarse. It returns the given grid if that is finer.
func Finest(grid, noise, sum float64) float64 {
	return min(grid, max(below(noise/(1<<24)), below(sum/(1<<51))))
}

// Steps returns bound/grid. It chooses a suitable power of two if the grid is 0, from 2^-500 to
// 2^498 as any other.
func Steps(name string, bound, noise, shares float64, grid *float64) (float64, error) {
	if *grid == 0 {
		*grid = suit(noise, bound, shares)
	}
	if !PowerOfTwo(*grid) {
		return 0, fmt.Errorf("mechanism: %s.Bound = %v with noise of %v has no grid, want one from 2^-500 to 2^498", name, bound, noise)
	}
	return bound / *grid, nil
}

// Fraction returns num/den >= x. For x > 2^-20 it exceeds x by a relative 2^-20 at most: den is
// 2^40 for x below 1, 2^20 below 2^30, and 1 above.
func Fraction(x float64) (num, den uint64) {
	den = 1
	switch {
	case x < 1:
		den = 1 << 40
	case x < 1<<30:
		den = 1 << 20
	}
	return uint64(math.Ceil(min(x, 1<<62) * float64(den))), den
}
