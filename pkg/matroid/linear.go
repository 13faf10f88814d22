package matroid

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// linear is the matroid of integer vectors, exactly.
//
// It eliminates modulo a prime p, and the answers hold over the reals if every minor is below p in
// absolute value. If k vectors are independent, some k x k minor is not 0. Being below p, it is not
// 0 modulo p either, so the vectors are independent modulo p. If they are dependent, all these
// minors are 0, and also 0 modulo p.
//
// By Hadamard's inequality a minor is at most the product of the Euclidean norms of its rows. A
// part of a row is no longer than the row, and a nonzero row of integers has norm at least 1. With
// K the rank, the product of the K greatest norms therefore bounds all minors. It is compared with
// p = 2^61-1 in integers of any length. If it is not below p, more primes are used, until their
// product is above it. A nonzero minor is then not divisible by all of them, and a set is
// independent if it is independent modulo one of them.
//
// Three exact reductions save work. Each row is divided by its greatest common divisor, up to sign,
// and parallel vectors share a representative. Only a basis of the column space is kept of the
// columns: the others are linear combinations of it, so the rank of no set of rows changes. Zeros
// are not stored.
type linear struct {
	size, dim, rank int
	class           []int // by element; parallel vectors share a class, and 0 is the zero vector's
	first           []int // by class, where its entries start; one more entry than classes
	coordinate      []int // of the nonzero entries
	primes          []uint64
	value           [][]uint64 // by prime, the nonzero entries
}

var _ Matroid = (*linear)(nil)

// NewLinear returns the matroid of integer vectors: a set is independent if its vectors are
// linearly independent over the real numbers (Whitney 1935). Its answers are exact, and its rank is
// the dimension of the vectors' span. Element e is the vector vectors[e]. The vectors have one
// length and are copied. Entries are above -2^63.
//
// With at most z nonzero entries in a row, rank K and n elements in the set, asking about an
// element costs O(z (K-n)), and adding it O(K (K-n)).
func NewLinear(vectors [][]int) (Matroid, error) {
	m := &linear{size: len(vectors)}
	rows := make([][]int64, len(vectors))
	for e, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("matroid: Linear vectors[%d] has length %d, want %d, as vectors[0]", e, len(v), len(vectors[0]))
		}
		m.dim = len(v)
		rows[e] = make([]int64, len(v))
		for j, x := range v {
			if int64(x) == math.MinInt64 {
				return nil, fmt.Errorf("matroid: Linear vectors[%d][%d] = %d, want > -2^63", e, j, x)
			}
			rows[e][j] = int64(x)
		}
		primitive(rows[e])
	}
	distinct := m.classify(rows)

	// The column basis, over a bound on the minors of all rows and columns.
	primes := primesAbove(hadamard(distinct, min(len(distinct), m.dim)))
	var columns []int
	for _, p := range primes {
		if c := independentColumns(distinct, m.dim, p); len(c) > len(columns) {
			columns = c
		}
	}
	m.rank = len(columns)
	for i, row := range distinct {
		part := make([]int64, len(columns))
		for j, c := range columns {
			part[j] = row[c]
		}
		primitive(part)
		distinct[i] = part
	}
	m.primes = primes[:len(primesAbove(hadamard(distinct, m.rank)))]
	m.store(distinct)
	return &made{m, "NewLinear", []any{rowsOf(vectors)}}, nil
}

// primitive divides a vector by the greatest common divisor of its entries and makes the first
// nonzero entry positive.
func primitive(v []int64) {
	var g, sign int64
	for _, x := range v {
		if g == 0 && x != 0 {
			sign = 1
			if x < 0 {
				sign = -1
			}
		}
		for a, b := g, max(x, -x); ; a, b = b, a%b {
			if b == 0 {
				g = a
				break
			}
		}
	}
	if g == 0 {
		return
	}
	for j := range v {
		v[j] /= sign * g
	}
}

// classify sets the classes of parallel vectors. It returns one vector of each class except the
// zero vector's.
func (m *linear) classify(rows [][]int64) (distinct [][]int64) {
	order := make([]int, len(rows))
	for e := range order {
		order[e] = e
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(slices.Compare(rows[a], rows[b]), cmp.Compare(a, b)) })
	m.class = make([]int, len(rows))
	for _, e := range order {
		zero := !slices.ContainsFunc(rows[e], func(x int64) bool { return x != 0 })
		if zero {
			continue
		}
		if n := len(distinct); n == 0 || !slices.Equal(distinct[n-1], rows[e]) {
			distinct = append(distinct, rows[e])
		}
		m.class[e] = len(distinct)
	}
	return distinct
}

// store stores the nonzero entries modulo each prime.
func (m *linear) store(distinct [][]int64) {
	m.first = make([]int, 0, len(distinct)+2)
	m.first = append(m.first, 0, 0)
	m.value = make([][]uint64, len(m.primes))
	for _, row := range distinct {
		for j, x := range row {
			if x == 0 {
				continue
			}
			m.coordinate = append(m.coordinate, j)
			for i, p := range m.primes {
				m.value[i] = append(m.value[i], residue(x, p))
			}
		}
		m.first = append(m.first, len(m.coordinate))
	}
}

// Size returns the number of vectors.
func (m *linear) Size() int { return m.size }

// Rank returns the dimension of the vectors' span.
func (m *linear) Rank() int { return m.rank }

// NewBuilder returns an empty set that can grow.
func (m *linear) NewBuilder() Builder {
	b := &linearBuilder{m: m, done: make([]bool, len(m.first)-1), space: make([]quotient, len(m.primes))}
	for i, p := range m.primes {
		b.space[i] = quotient{p: p, dim: m.rank, image: make([]uint64, m.rank*m.rank), last: make([]uint64, m.rank)}
	}
	b.Clear()
	return b
}

type linearBuilder struct {
	m     *linear
	n     int
	done  []bool     // by class, whether it is in the set's span
	space []quotient // by prime
}

func (b *linearBuilder) Clear() {
	b.n = 0
	clear(b.done)
	b.done[0] = true
	for i := range b.space {
		b.space[i].clear()
	}
}

// Add tests the element modulo each prime. The current set is independent modulo some prime. A
// prime modulo which it is dependent can be left out, as every superset is dependent modulo that
// prime, too; the dimension of the prime's quotient shows it.
func (b *linearBuilder) Add(e int) bool {
	m := b.m
	c := m.class[e]
	if b.done[c] || b.n == m.rank {
		return false
	}
	b.done[c] = true // the class is in the span from now on, whatever the answer
	from, to := m.first[c], m.first[c+1]
	added := false
	for i := range b.space {
		q := &b.space[i]
		if q.dim-q.left == b.n && q.add(m.coordinate[from:to], m.value[i][from:to]) {
			added = true
		}
	}
	if added {
		b.n++
	}
	return added
}

func (b *linearBuilder) Len() int { return b.n }

// quotient is the space of vectors modulo p, modulo the span of some of them. A vector is outside
// the span if its image is not 0.
type quotient struct {
	p    uint64
	dim  int // of the space
	left int // dimension of the quotient
	// dim x dim; the first left entries of row c are the image of the c-th unit vector
	image []uint64
	last  []uint64 // image of the vector being added
}

func (q *quotient) clear() {
	q.left = q.dim
	clear(q.image)
	for c := range q.dim {
		q.image[c*q.dim+c] = 1
	}
}

// add adds the vector with these entries to the span and reports whether it was outside. If so, its
// image r is not 0, and the span now contains what maps to r: some coordinate f with r_f not 0 is
// eliminated from the quotient by subtracting multiples of r from all images.
func (q *quotient) add(coordinate []int, value []uint64) bool {
	r := q.last[:q.left]
	clear(r)
	for i, c := range coordinate {
		addMul(r, q.image[c*q.dim:][:len(r)], value[i], q.p)
	}
	f := -1
	for g, x := range r {
		if x != 0 {
			f = g
			if x == 1 || x == q.p-1 { // its own inverse
				break
			}
		}
	}
	if f < 0 {
		return false
	}
	q.left--
	minus := q.p - inverse(r[f], q.p)
	r[f] = r[q.left]
	for c := range q.dim {
		row := q.image[c*q.dim:][:q.left+1]
		x := row[f]
		row[f] = row[q.left]
		if x != 0 {
			addMul(row[:q.left], r[:q.left], mul(x, minus, q.p), q.p)
		}
	}
	return true
}

// hadamard returns the square of the product of the k greatest norms of rows.
func hadamard(rows [][]int64, k int) *big.Int {
	squares := make([]*big.Int, len(rows))
	for i, row := range rows {
		squares[i] = new(big.Int)
		for _, x := range row {
			y := big.NewInt(x)
			squares[i].Add(squares[i], y.Mul(y, y))
		}
	}
	slices.SortFunc(squares, func(a, b *big.Int) int { return b.Cmp(a) })
	bound := big.NewInt(1)
	for _, s := range squares[:k] {
		bound.Mul(bound, s)
	}
	return bound
}

// independentColumns returns a largest set of columns that are linearly independent modulo p. Row
// operations do not change which columns are independent.
func independentColumns(rows [][]int64, dim int, p uint64) []int {
	var columns []int
	var echelon [][]uint64 // each with -1 in its own column
	for _, row := range rows {
		v := make([]uint64, dim)
		for j, x := range row {
			v[j] = residue(x, p)
		}
		for i, c := range columns {
			addMul(v, echelon[i], v[c], p)
		}
		f := slices.IndexFunc(v, func(x uint64) bool { return x != 0 })
		if f < 0 {
			continue
		}
		minus := p - inverse(v[f], p)
		for j := range v {
			v[j] = mul(v[j], minus, p)
		}
		columns, echelon = append(columns, f), append(echelon, v)
		if len(columns) == dim {
			break
		}
	}
	slices.Sort(columns)
	return columns
}
