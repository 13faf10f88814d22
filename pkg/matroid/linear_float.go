package matroid

import (
	"fmt"
	"math"
)

// linearFloat is what NewLinearFloat returns.
type linearFloat struct {
	size, dim, rank int
	tolerance       float64
	unit            []float64 // size x dim, row-major: the vectors at length 1
	loop            []bool
}

var _ Matroid = (*linearFloat)(nil)

// defaultTolerance is the tolerance that 0 stands for.
const defaultTolerance = 1e-9

// NewLinearFloat returns the matroid of real vectors (Whitney 1935), as far as floating point can
// tell. For integers use [NewLinear], which is exact. Element e is the vector vectors[e]. The
// vectors are finite, have one length and are copied.
//
// A vector counts as dependent on a set if its distance from the set's span is at most tolerance
// times its length. The tolerance is in [1e-13, 1), so that rounding errors stay below it; 0 means
// 1e-9. With such a tolerance this is a matroid only if all vectors are clear cases: each distance,
// relative to the length, is either below the tolerance or well above 1e-16/tolerance. The latter
// is because a rounding error of 1e-16 turns the direction of a remainder by 1e-16 over its
// relative length. For the default these thresholds are 1e-9 and 1e-7. In other cases the answer
// may depend on the order in which elements were added. [Check] can find that out.
func NewLinearFloat(vectors [][]float64, tolerance float64) (Matroid, error) {
	const least = 1e-13
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if !(tolerance >= least && tolerance < 1) {
		return nil, fmt.Errorf("matroid: LinearFloat tolerance = %v, want in [%v, 1), or 0 for %v", tolerance, least, defaultTolerance)
	}
	m := &linearFloat{size: len(vectors), tolerance: tolerance, loop: make([]bool, len(vectors))}
	for e, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("matroid: LinearFloat vectors[%d] has length %d, want %d, as vectors[0]", e, len(v), len(vectors[0]))
		}
		m.dim = len(v)
		greatest := 0.0
		for j, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("matroid: LinearFloat vectors[%d][%d] = %v, want finite", e, j, x)
			}
			greatest = max(greatest, math.Abs(x))
		}
		m.loop[e] = greatest == 0
		for _, x := range v {
			if greatest > 0 {
				x /= greatest // so that no square is infinite, or all are 0
			}
			m.unit = append(m.unit, x)
		}
		if u := m.unit[e*m.dim:]; greatest > 0 {
			length := math.Sqrt(dot(u, u))
			for j := range u {
				u[j] /= length
			}
		}
	}
	m.rank = fullRank(m)
	return &made{m, "NewLinearFloat", []any{rowsOf(vectors), tolerance}}, nil
}

// Size returns the number of vectors.
func (m *linearFloat) Size() int { return m.size }

// Rank returns the number of vectors that were found independent when added in order of index.
func (m *linearFloat) Rank() int { return m.rank }

// NewBuilder returns an empty set that can grow. It keeps an orthonormal basis of the set's span by
// modified Gram-Schmidt. An element costs O(d n) if the set has n elements.
func (m *linearFloat) NewBuilder() Builder {
	most := min(m.size, m.dim)
	return &floatBuilder{m: m, in: make([]bool, m.size), basis: make([]float64, most*m.dim), v: make([]float64, m.dim)}
}

type floatBuilder struct {
	m *linearFloat
	n int
	// by element, whether it is in the set or was refused; refusals last, as the distance from the
	// span only decreases
	in    []bool
	basis []float64 // n rows
	v     []float64
}

func (b *floatBuilder) Clear() {
	b.n = 0
	clear(b.in)
}

func (b *floatBuilder) Add(e int) bool {
	m := b.m
	if b.in[e] || m.loop[e] || b.n == m.dim {
		return false
	}
	b.in[e] = true
	v := b.v
	copy(v, m.unit[e*m.dim:])
	for i := range b.n {
		q := b.basis[i*m.dim:][:m.dim]
		c := dot(q, v)
		for j := range v {
			v[j] -= float64(c * q[j])
		}
	}
	distance := math.Sqrt(dot(v, v))
	if distance <= m.tolerance {
		return false
	}
	q := b.basis[b.n*m.dim:][:m.dim]
	for j, x := range v {
		q[j] = x / distance
	}
	b.n++
	return true
}

func (b *floatBuilder) Len() int { return b.n }

func dot(x, y []float64) float64 {
	y = y[:len(x)]
	sum := 0.0
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}
