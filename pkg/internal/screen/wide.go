package screen

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// setWide is Set beyond MaxDim. As contexts may change all the time, the length that they are
// scaled by and the unit stay for as long as they fit.
func (s *Screen) setWide(x []float64, arms int) bool {
	s.arms, x = arms, x[:arms*s.dim]
	if most := s.fill(x); !(most <= s.length && 2*most > s.length) {
		s.length = most * (1 + 1e-9)
		if !(most > 1e-100 && most < 1e100) {
			return false
		}
		s.fill(x)
	}
	return true
}

// fill fills the columns, and returns the greatest |x|.
func (s *Screen) fill(x []float64) float64 {
	scale, most := 1/s.length, 0.0
	for columns := s.columns; len(x) > 0; {
		arms, k := min(lanes, len(x)/s.dim), 0
		for ; k+4 <= arms; k += 4 {
			x0, x1 := x[k*s.dim:(k+1)*s.dim], x[(k+1)*s.dim:(k+2)*s.dim]
			x2, x3 := x[(k+2)*s.dim:(k+3)*s.dim], x[(k+3)*s.dim:(k+4)*s.dim]
			x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
			var q0, q1, q2, q3 float64
			for i, v0 := range x0 {
				column := (*[4]float32)(columns[i*lanes+k:])
				v1, v2, v3 := x1[i], x2[i], x3[i]
				q0, q1, q2, q3 = q0+float64(v0*v0), q1+float64(v1*v1), q2+float64(v2*v2), q3+float64(v3*v3)
				column[0], column[1], column[2], column[3] = float32(v0*scale), float32(v1*scale), float32(v2*scale), float32(v3*scale)
			}
			most = max(most, q0, q1, q2, q3)
		}
		for ; k < arms; k++ {
			row := x[k*s.dim : (k+1)*s.dim]
			for i, v := range row {
				columns[i*lanes+k] = float32(v * scale)
			}
			most = max(most, packed.Dot(row, row))
		}
		x, columns = x[arms*s.dim:], columns[lanes*s.dim:]
	}
	return math.Sqrt(most)
}

// Top bounds all arms in a dimension beyond [MaxDim], and returns the one with the highest bound,
// whose upper confidence bound is within some millionths of the greatest. [Screen.Above] then says
// which arms may have one that is greater. ok is false if numbers are out of range.
//
// A product of x_i, an entry of A and x_j is rounded at most 3 times before it is added to x_i's
// factor, up to dim times there and up to dim times with that: in parts of 2^-24 and in all, x^T A
// x is off by (2 dim + 3) |A|_F. In the same parts <x, centre> is off by (dim + 2) |centre|, and
// the root, the last sum and the mark by |A|_F^0.5 + 3 (|centre| + |A|_F^0.5).
func (s *Screen) Top(centre, a []float64, beta float64) (best int, ok bool) {
	if !s.load(centre, a, beta) && !s.measure(centre, a, beta) {
		return 0, false
	}
	const e = 1.0 / (1 << 24)
	length, norm := math.Sqrt(s.dot), math.Sqrt(2*s.square) // entries off the diagonal count twice
	s.factors[0] = float32(e * (float64(float64(s.dim+8)*length) + float64(8*math.Sqrt(norm))))
	s.factors[1+s.dim] = float32(e * float64(2*s.dim+8) * norm)
	bound(s.bounds[:(s.arms+lanes-1)/lanes*lanes], s.columns, s.factors, s.dim)
	top := float32(math.Inf(-1))
	for a, b := range s.bounds[:s.arms] {
		if b > top {
			best, top = a, b
		}
	}
	return best, true
}

// Above appends the arms whose upper confidence bounds may be at least a mark, after Top.
func (s *Screen) Above(mark float64, dst []int) []int {
	limit := float32(mark * s.perUnit)
	for a, b := range s.bounds[:s.arms] {
		if !(b < limit) {
			dst = append(dst, a)
		}
	}
	return dst
}

// boundPlain bounds the arms of each block.
func boundPlain(bounds, columns, factors []float32, dim int) {
	for ; len(bounds) > 0; bounds, columns = bounds[lanes:], columns[dim*lanes:] {
		var dots, squares [lanes]float32
		add(&dots, columns, factors[:1+dim])
		for k := range squares {
			squares[k] = factors[1+dim]
		}
		a := factors[2+dim:]
		for i := range dim {
			var sums [lanes]float32
			add(&sums, columns, append([]float32{0}, a[:i]...))
			for k, x := range columns[i*lanes:][:lanes] {
				squares[k] += float32(x * (float32(2*sums[k]) + float32(a[i]*x)))
			}
			a = a[i+1:]
		}
		for k, d := range dots {
			bounds[k] = d + float32(math.Sqrt(float64(squares[k])))
		}
	}
}
