package packed

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// wide is the largest order at which plain loops invert about as fast as vectors do.
const wide = 16

// Wide reports whether [Inverse] is for matrices of order n on this machine. Otherwise [Cholesky]
// and [Invert] are.
func Wide(n int) bool { return vectors && n > wide }

// Inverse writes A^-1 into dst and returns ln det A. It returns false, and dst is as before, if A
// is not positive definite to working precision. The numbers are those of [Cholesky] and [Invert],
// in another order, in which a vector has numbers that do not wait for each other. n is [Wide], and
// len(work) >= 2 n^2.
//
// One square holds the columns of L as rows, above the diagonal, and L^-1 below.
func Inverse(dst, a, work []float64, n int) (logDet float64, ok bool) {
	stride := (n + 3) &^ 3
	// combineVectors reads up to 16 numbers beyond a row
	m, work := work[:n*stride+16], work[n*stride:]
	diagonal, row := work[16:][:stride], work[16+stride:][:stride+16]
	for i, p := 0, 0; i < n; i, p = i+1, p+i+1 {
		for j, v := range a[p : p+i] {
			m[j*stride+i] = v
		}
		diagonal[i] = a[p+i]
	}
	det := 1.0
	for j := range n {
		square := diagonal[j]
		if !(square > 0) || math.IsInf(square, 1) {
			return 0, false
		}
		root := math.Sqrt(square)
		if det *= root; det > 1e100 || det < 1e-100 {
			logDet += portable.Log(det)
			det = 1
		}
		m[j*stride+j] = root
		columnVectors(m, diagonal, stride, j, short)
		m[j*stride+j] = root
	}
	for i := range n { // L^-1, by rows
		this := m[i*stride:][:i+1]
		for j := 0; j < i; j += 16 {
			combineVectors((*[16]float64)(row[j:]), m[j*stride+i:], m[j*stride+j:], stride, stride, i-j)
		}
		root := this[i]
		for j, sum := range row[:i] {
			this[j] = -sum / root
			m[j*stride+i] = 0 // row i of L, which is done with
		}
		this[i] = 1 / root
	}
	for i := range n { // L^-T L^-1
		for j := 0; j <= i; j += 16 {
			combineVectors((*[16]float64)(row[j:]), m[i*stride+i:], m[i*stride+j:], stride, stride, n-i)
		}
		dst = dst[copy(dst, row[:i+1]):]
	}
	return 2 * (logDet + portable.Log(det)), true
}
