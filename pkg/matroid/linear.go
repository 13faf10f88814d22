package matroid

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Linear is the matroid of integer vectors: a set is independent if its vectors are linearly independent over the real numbers (Whitney 1935).
// The answers are exact.
//
// How: elimination is modulo a prime p, and its answers hold over the reals if no minor reaches p. For if k vectors are
// independent, some k x k minor is not 0; its absolute value is below p, so that it is not 0 modulo p either, and the vectors are independent
// modulo p. And if they are dependent, all these minors are 0, modulo p too. By Hadamard's inequality a minor is at most the product of the Euclidean norms of
// its rows, a part of a row is no longer than the row, and rows of integers other than 0 have norms of at least 1. So with K the rank, the product of the K
// greatest norms bounds all minors. It is compared with p = 2^61-1 in integers of any length. Where it is not below, there are more primes, until their product is above: a minor other than 0 is then not divisible by all of
// them, and a set is independent if it is modulo one of them.
//
// Three reductions, all exact. Each row is divided by its greatest common divisor, up to sign, and parallel vectors share a
// representative. Of the columns only a basis of the column space is kept: the others are linear combinations of it, so that the rank of no set of rows changes.
// Zeros are not stored. With at most z entries other than 0 in a row, asking about an element costs O(z (K-n)) if the set has n elements, and adding it O(K (K-n)).
type Linear struct {
	size, dim, rank int
	class           []int // of each element: parallel vectors share it; 0 is the zero vector's
	first           []int // by class, where its entries start; one more than classes
	coordinate      []int // of the entries that are not 0
	primes          []uint64
	value           [][]uint64 // by prime, the entries
}

var _ Matroid = (*Linear)(nil)

// NewLinear returns the matroid whose element e is the vector vectors[e]. The vectors are of one length, and are copied.
func NewLinear(vectors [][]int) (*Linear, error) {
	m := &Linear{size: len(vectors)}
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
	return m, nil
}

// primitive divides a vector by the greatest common divisor of its entries, and makes the first of them that is not 0 positive.
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

// classify sets the classes of parallel vectors and returns a vector for each but the zero vector's.
func (m *Linear) classify(rows [][]int64) (distinct [][]int64) {
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

// store keeps the entries that are not 0, modulo each prime.
func (m *Linear) store(distinct [][]int64) {
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
func (m *Linear) Size() int { return m.size }

// Rank returns the dimension of their span.
func (m *Linear) Rank() int { return m.rank }

// Dim returns the vectors' length.
func (m *Linear) Dim() int { return m.dim }

// NewBuilder returns an empty set that can grow.
func (m *Linear) NewBuilder() Builder {
	b := &linearBuilder{m: m, done: make([]bool, len(m.first)-1), space: make([]quotient, len(m.primes))}
	for i, p := range m.primes {
		b.space[i] = quotient{p: p, dim: m.rank, image: make([]uint64, m.rank*m.rank), last: make([]uint64, m.rank)}
	}
	b.Clear()
	return b
}

type linearBuilder struct {
	m     *Linear
	n     int
	done  []bool     // by class: it is in the set's span
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

// Add asks modulo each prime. The set being independent, some prime has it so, and the others, modulo which it is not, can be left out: a superset is not independent modulo
// them either. Their quotient's dimension tells them.
func (b *linearBuilder) Add(e int) bool {
	m := b.m
	c := m.class[e]
	if b.done[c] || b.n == m.rank {
		return false
	}
	b.done[c] = true // from now on, whatever the answer
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

// quotient is the space of vectors modulo p, modulo the span of some of them. A vector is outside the span if its image is not 0.
type quotient struct {
	p     uint64
	dim   int      // of the space
	left  int      // of the quotient
	image []uint64 // dim x dim; row c holds the image of the c-th unit vector in its first left entries
	last  []uint64 // a vector's image
}

func (q *quotient) clear() {
	q.left = q.dim
	clear(q.image)
	for c := range q.dim {
		q.image[c*q.dim+c] = 1
	}
}

// add adds the vector of these entries to the span and reports whether it was outside. The span then has its image r, other than 0, for 0: coordinate f of the quotient, with r_f other
// than 0, is eliminated by taking multiples of r from all images.
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

// independentColumns returns a greatest set of columns that are linearly independent modulo p. Row operations do not change which columns are.
func independentColumns(rows [][]int64, dim int, p uint64) []int {
	var columns []int
	var echelon [][]uint64 // of each, -1 in its column
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
