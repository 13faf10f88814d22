//go:build !noasm

package packed

// dotsVectors does what Dots does for four rows at a time (AVX), with each number multiplied and
// added as there. len(dst) is a multiple of 4 and at least 4.
//
//go:noescape
func dotsVectors(dst, rows []float64, stride int, y []float64)

// outerVectors adds c x x^T to A. len(x) is at least 1.
//
//go:noescape
func outerVectors(a []float64, c float64, x []float64)

// columnVectors computes column j of a Cholesky factor, given those before it and the root on the
// diagonal, and takes its squares off what is left of the diagonal. m has the columns as rows of
// stride numbers, a multiple of 4. Numbers that are not below the diagonal are overwritten. Up to
// column plain, products are taken off one by one, then as a sum like Dot's.
//
//go:noescape
func columnVectors(m, diagonal []float64, stride, j, plain int)

// combineVectors writes the sum of multiples of rows, the first 16 numbers of each, added one row
// after another. Row i begins at m[i*mStride], and its factor is c[i*cStride]. There is at least
// one row.
//
//go:noescape
func combineVectors(dst *[16]float64, c, m []float64, cStride, mStride, rows int)
