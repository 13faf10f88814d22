// Package screen rules out most arms of a linear bandit at once, so that few upper confidence
// bounds have to be computed.
//
// A [Screen] knows the arms' contexts. [Screen.Sift] bounds what the arms' upper confidence bounds
// can be, within some millionths, and returns the arms for which that is not below a mark.
// [Screen.Top] and [Screen.Above] do so in higher dimensions, and find the mark. A screen works
// in single precision, on eight arms at a time where the machine allows. All its rounding is
// accounted for: an arm that it rules out has an upper confidence bound below the mark in double
// precision. So it does not matter for the choice how a machine rounds.
package screen

import (
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// lanes is the number of arms in a block.
const lanes = 32

// MaxDim is the largest dimension that Sift is for. Beyond it products of contexts take too much
// memory.
const MaxDim = 16

// Screen bounds <x, centre> + beta sqrt(x^T A x) for contexts x that stay the same.
type Screen struct {
	arms, dim int
	length    float64 // greatest |x|
	perUnit   float64 // 1 over the unit of the bounds
	// columns are what a bound is linear in, x_i and x_i x_j, for a block of arms after another. They
	// are scaled so that |x| <= 1. A product off the diagonal counts twice. Beyond MaxDim there are
	// the x_i alone.
	columns []float32
	// factors are those of the columns. Before those of x_i, and before those of x_i x_j, is what is
	// added for the rounding.
	factors []float32
	dot     float64 // |centre|^2 in the unit, and the sum of the squares of beta^2 A
	square  float64
	left    []uint32  // which arms of a block are left, by bit
	bounds  []float32 // of the arms, beyond MaxDim
}

// New returns a screen for up to so many arms.
func New(arms, dim int) *Screen {
	blocks, n := (arms+lanes-1)/lanes, dim+dim*(dim+1)/2
	if dim > MaxDim {
		return &Screen{dim: dim, columns: make([]float32, blocks*lanes*dim), factors: make([]float32, n+2), bounds: make([]float32, blocks*lanes)}
	}
	return &Screen{dim: dim, columns: make([]float32, blocks*lanes*n), factors: make([]float32, n+2), left: make([]uint32, blocks)}
}

// Set takes in the contexts of some arms, row-major. It reports false if the longest is out of
// range.
func (s *Screen) Set(x []float64, arms int) bool {
	if s.dim > MaxDim {
		return s.setWide(x, arms)
	}
	s.arms, s.length, s.perUnit = arms, 0, 0
	for a := range arms {
		s.length = max(s.length, packed.Norm(x[a*s.dim:(a+1)*s.dim]))
	}
	if !(s.length > 1e-100 && s.length < 1e100) {
		return false
	}
	const e = 1.0 / (1 << 24)
	n := len(s.factors) - 2
	s.factors[0] = float32(float64(s.dim+9) * e)
	s.factors[1+s.dim] = float32(float64(n-s.dim+8) * e * math.Sqrt(float64(s.dim)))
	scale := 1 / s.length
	for a := range arms {
		row := x[a*s.dim : (a+1)*s.dim]
		column := s.columns[a/lanes*lanes*n+a%lanes:]
		p := s.dim
		for i, v := range row {
			v *= scale
			column[i*lanes] = float32(v)
			for _, w := range row[:i] {
				column[p*lanes] = float32(2 * float64(v*float64(w*scale)))
				p++
			}
			column[p*lanes] = float32(v * v)
			p++
		}
	}
	return true
}

// Sift appends the arms for which <x, centre> + beta sqrt(x^T A x) may be at least a mark. A is
// packed by the rows of its lower triangle. ok is false if numbers are out of range.
//
// With e = 2^-24, a column and its factor are within a factor of 1 +- e of the truth, and a sum of
// n products is within n e times the sum of their absolute values. In the units of load, that is at
// most 1 for <x, centre>, and |beta^2 A|_F <= sqrt(dim) for x^T (beta^2 A) x. What is added to both
// covers that, and the rounding of the root, of the last sum and of the mark.
func (s *Screen) Sift(centre, a []float64, beta, mark float64, dst []int) (arms []int, ok bool) {
	// As a rule the last unit still fits, which is known only when the rest is under way.
	if !s.load(centre, a, beta) && !s.measure(centre, a, beta) {
		return dst, false
	}
	left := s.left[:(s.arms+lanes-1)/lanes]
	sift(left, s.columns, s.factors, s.dim, float32(mark*s.perUnit))
	for i, b := range left {
		for ; b != 0; b &= b - 1 {
			if arm := i*lanes + bits.TrailingZeros32(b); arm < s.arms {
				dst = append(dst, arm)
			}
		}
	}
	return dst, true
}

// load computes the factors in the unit that is set. It reports whether that fits: |centre| <= 1
// and |beta^2 A|_F <= sqrt(dim), and not both much less.
func (s *Screen) load(centre, a []float64, beta float64) bool {
	scale := s.length * s.perUnit
	var dot, square float64
	linear := s.factors[1:][:len(centre)]
	for i, v := range centre {
		v *= scale
		linear[i] = float32(v)
		dot += float64(v * v)
	}
	scale *= beta
	scale *= scale
	quadratic := s.factors[2+s.dim:][:len(a)]
	for i, v := range a {
		v *= scale
		quadratic[i] = float32(v)
		square += float64(v * v)
	}
	s.dot, s.square = dot, square
	most := float64(s.dim) / 2 // entries off the diagonal count twice
	return dot <= 1 && square <= most && (dot > 0.25 || square > 0.0625)
}

// measure sets a unit in which there is some room for growth, and loads the factors. It reports
// false if that is out of range.
func (s *Screen) measure(centre, a []float64, beta float64) bool {
	unit := 1.25 * s.length * max(packed.Norm(centre), float64(beta*math.Sqrt(packed.Norm(a)*math.Sqrt2)))
	if !(unit > 1e-100 && unit < 1e100) {
		return false
	}
	s.perUnit = 1 / unit
	return s.load(centre, a, beta)
}

// siftPlain sets the bits of the arms in each block whose bound is not below a limit. A NaN is not
// below it.
func siftPlain(left []uint32, columns, factors []float32, dim int, limit float32) {
	n := len(factors) - 2
	for b := range left {
		block := columns[b*lanes*n : (b+1)*lanes*n]
		var dots, squares [lanes]float32
		add(&dots, block, factors[:1+dim])
		add(&squares, block[dim*lanes:], factors[1+dim:])
		left[b] = 0
		for j, dot := range dots {
			if !(dot+float32(math.Sqrt(float64(squares[j]))) < limit) {
				left[b] |= 1 << j
			}
		}
	}
}

// add adds the first factor, and columns times the others.
func add(sums *[lanes]float32, columns, factors []float32) {
	for j := range sums {
		sums[j] = factors[0]
	}
	for _, f := range factors[1:] {
		column := (*[lanes]float32)(columns)
		for j := range sums {
			sums[j] += float32(f * column[j])
		}
		columns = columns[lanes:]
	}
}
