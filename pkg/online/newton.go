package online

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// newton is one second-order expert on the unit ball: a point z and a precision matrix S.
//
// It stores the inverse P of S, packed. S is the sum of a ridge and at most T outer products of
// vectors no longer than the root of the ridge, so P has a condition number of at most about T.
// Rank-one updates are accurate enough then: each contracts the errors of earlier ones.
type newton struct {
	z []float64 // the point
	p []float64 // P = S^-1
	l []float64 // I + lambda P, then its factors
	v []float64 // P g, and other vectors
	y []float64 // the point before its projection
}

// newNewton returns an expert at the point 0, with S = ridge I.
func newNewton(dim int, ridge float64) newton {
	x, m := make([]float64, 3*dim), make([]float64, 2*packed.Size(dim))
	n := newton{z: x[:dim], v: x[dim : 2*dim], y: x[2*dim:], p: m[:packed.Size(dim)], l: m[packed.Size(dim):]}
	for i, at := 0, 0; i < dim; i, at = i+1, at+i+2 {
		n.p[at] = 1 / ridge
	}
	return n
}

// step adds weight g g^T to S. It then moves the point to the projection of z - gain S^-1 g in the
// norm of the new S.
func (n *newton) step(g []float64, weight, gain float64) {
	packed.MulVec(n.v, n.p, g)
	// Sherman and Morrison: P <- P - k v v^T with v = P g and k = weight/(1 + weight g^T v). Hence P g
	// becomes v/(1 + weight g^T v).
	shrink := 1 / (1 + float64(weight*packed.Dot(g, n.v)))
	k := weight * shrink
	gain *= shrink
	var square float64
	at := 0
	for i, v := range n.v {
		y := n.z[i] - float64(gain*v)
		n.y[i] = y
		square += float64(y * y)
		scaled := k * v
		row := n.p[at : at+i+1]
		for j, w := range n.v[:len(row)] {
			row[j] -= float64(scaled * w)
		}
		at += i + 1
	}
	if square <= 1 {
		copy(n.z, n.y)
		return
	}
	n.project(math.Sqrt(square))
}

// near is a distance from the sphere so small that one Newton step leaves an error of only its
// square.
const near = 1e-7

// project moves z to the point of the unit ball nearest to y, |y| = norm > 1, in the norm of S: it
// minimises (z-y)^T S (z-y).
//
// With a multiplier lambda/2 for |z|^2 <= 1 the condition is S (z-y) + lambda z = 0, or (I + lambda
// P) z = y, at the lambda where |z| = 1. As 1/|z| is concave and increasing in lambda, Newton's
// method on it climbs from lambda = 0 to the root without passing it (as in Moré and Sorensen 1983
// for trust regions). The derivative of z is -u with (I + lambda P) u = P z.
func (n *newton) project(norm float64) {
	copy(n.z, n.y)
	packed.MulVec(n.v, n.p, n.y) // u at lambda = 0
	var lambda float64
	for range 100 { // two or three are usual
		step := (norm - 1) * norm * norm / packed.Dot(n.z, n.v)
		if math.Abs(norm-1) <= near {
			for i, u := range n.v {
				n.z[i] -= float64(step * u)
			}
			break
		}
		lambda += step
		n.factor(lambda)
		copy(n.z, n.y)
		n.solve(n.z)
		var square float64
		for i, z := range n.z {
			n.v[i] = (n.y[i] - z) / lambda // P z
			square += float64(z * z)
		}
		norm = math.Sqrt(square)
		n.solve(n.v)
	}
	shrink(n.z)
}

// factor writes the factors of I + lambda P = L D L^T into n.l: the unit triangle L below the
// diagonal, and D^-1 on it.
func (n *newton) factor(lambda float64) {
	a := n.l
	at := 0
	for i := range n.z {
		row := a[at : at+i+1]
		for j, p := range n.p[at : at+i+1] {
			row[j] = lambda * p
		}
		pivot := 1 + row[i]
		q := 0
		for j := range row[:i] {
			other := a[q : q+j+1]
			sum := row[j] // L_ij D_j
			for k, w := range other[:j] {
				sum -= float64(w * row[k])
			}
			row[j] = sum
			q += j + 1
		}
		q = 0
		for j, w := range row[:i] {
			scaled := w * a[q+j]
			pivot -= float64(w * scaled)
			row[j] = scaled
			q += j + 1
		}
		row[i] = 1 / pivot
		at += i + 1
	}
}

// solve solves L D L^T x = b in place.
func (n *newton) solve(x []float64) {
	a := n.l
	at := 0
	for i := range x {
		row := a[at : at+i]
		sum := x[i]
		for j, w := range row {
			sum -= float64(w * x[j])
		}
		x[i] = sum
		at += i + 1
	}
	for i := len(x) - 1; i >= 0; i-- {
		at -= i + 1
		x[i] *= a[at+i]
	}
	at = packed.Size(len(x))
	for i := len(x) - 1; i > 0; i-- {
		at -= i + 1
		v := x[i]
		for j, w := range a[at : at+i] {
			x[j] -= float64(w * v)
		}
	}
}
