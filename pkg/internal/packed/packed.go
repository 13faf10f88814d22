// Package packed does linear algebra on small symmetric matrices without allocating.
//
// A matrix of order n is packed by the rows of its lower triangle: entry (i, j), j <= i, is at
// index i(i+1)/2+j. So the leading block of order k is the first k(k+1)/2 numbers; [Size] counts
// them.
//
//   - [Dot], [Dots], [MulVec] and [Products] multiply; [Quadratic] and [Quadratics] return x^T A x.
//   - [AddOuter], [AddScaledOuter], [Shift] and [Scale] change entries; [Gram] returns L L^T.
//   - [Cholesky] factors a matrix and [Invert] inverts it from the factor; [Inverse] does both.
//   - [NormBound] and [NormBoundTight] bound the operator norm; [Floor] raises small eigenvalues.
//   - [Norm], [Shorten] and [Finite] treat vectors.
//
// Read [Cholesky] first.
package packed

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Size returns the length of a packed matrix of order n.
func Size(n int) int { return n * (n + 1) / 2 }

// Dot returns the inner product of x and the first len(x) numbers of y, len(y) >= len(x).
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// MulVec writes A x into dst.
func MulVec(dst, a, x []float64) {
	if len(x) == 5 {
		mulVec5((*[5]float64)(dst), (*[15]float64)(a), (*[5]float64)(x))
		return
	}
	i := 0
	for ; i+4 <= len(x) && len(x) > short; i += 4 { // four sums that do not wait for each other
		v0, v1, v2, v3 := x[i], x[i+1], x[i+2], x[i+3]
		r0, r1, r2, r3 := a[:i+1], a[i+1:2*i+3], a[2*i+3:3*i+6], a[3*i+6:4*i+10]
		s0, s1, s2, s3 := float64(r0[i]*v0), float64(r1[i+1]*v1), float64(r2[i+2]*v2), float64(r3[i+3]*v3)
		before := x[:i]
		sums, b0, b1, b2, b3 := dst[:len(before)], r0[:len(before)], r1[:len(before)], r2[:len(before)], r3[:len(before)]
		for j, w := range before {
			w0, w1, w2, w3 := b0[j], b1[j], b2[j], b3[j]
			s0 += float64(w0 * w)
			s1 += float64(w1 * w)
			s2 += float64(w2 * w)
			s3 += float64(w3 * w)
			sums[j] = sums[j] + float64(w0*v0) + float64(w1*v1) + float64(w2*v2) + float64(w3*v3)
		}
		dst[i] = s0 + float64(r1[i]*v1) + float64(r2[i]*v2) + float64(r3[i]*v3)
		dst[i+1] = s1 + float64(r1[i]*v0) + float64(r2[i+1]*v2) + float64(r3[i+1]*v3)
		dst[i+2] = s2 + float64(r2[i]*v0) + float64(r2[i+1]*v1) + float64(r3[i+2]*v3)
		dst[i+3] = s3 + float64(r3[i]*v0) + float64(r3[i+1]*v1) + float64(r3[i+2]*v2)
		a = a[4*i+10:]
	}
	for ; i < len(x); i++ {
		v, row := x[i], a[:i]
		before, sums := x[:len(row)], dst[:len(row)]
		sum := a[i] * v
		for j, w := range row {
			sum += float64(w * before[j])
			sums[j] += float64(w * v)
		}
		dst[i] = sum
		a = a[i+1:]
	}
}

// AddOuter adds x x^T to A.
func AddOuter(a, x []float64) {
	if vectors && len(x) > short {
		outerVectors(a[:Size(len(x))], 1, x)
		return
	}
	first := 0
	if len(x) >= 5 {
		addOuter5((*[15]float64)(a), (*[5]float64)(x))
		first, a = 5, a[15:]
	}
	for i := first; i < len(x); i++ {
		v, row := x[i], a[:i+1]
		for j, w := range x[:len(row)] {
			row[j] += float64(v * w)
		}
		a = a[i+1:]
	}
}

// AddScaledOuter adds c x x^T to A.
func AddScaledOuter(a []float64, c float64, x []float64) {
	if len(x) == 5 {
		addScaledOuter5((*[15]float64)(a), c, (*[5]float64)(x))
		return
	}
	if vectors && len(x) > short {
		outerVectors(a[:Size(len(x))], c, x)
		return
	}
	for i, v := range x {
		v, row := float64(c*v), a[:i+1]
		for j, w := range x[:len(row)] {
			row[j] += float64(v * w)
		}
		a = a[i+1:]
	}
}

// Gram writes c L L^T into dst, for a lower triangular L of order n, packed.
func Gram(dst, l []float64, n int, c float64) {
	first := 0
	if n >= 5 {
		gram5((*[15]float64)(dst), (*[15]float64)(l), c)
		first = 5
	}
	for i, p := first, Size(first); i < n; i++ {
		row := l[p : p+i+1]
		for j, q := 0, 0; j <= i; j++ {
			other := l[q : q+j+1]
			var sum float64
			for k, v := range other {
				sum += float64(v * row[k])
			}
			dst[p+j] = c * sum
			q += j + 1
		}
		p += i + 1
	}
}

// Shift writes A + c I into dst, for an A of order n.
func Shift(dst, a []float64, n int, c float64) {
	first := 0
	if n >= 5 {
		shift5((*[15]float64)(dst), (*[15]float64)(a), c)
		first, dst, a = 5, dst[15:], a[15:]
	}
	for i := first; i < n; i++ {
		copy(dst[:i], a[:i])
		dst[i] = a[i] + c
		dst, a = dst[i+1:], a[i+1:]
	}
}

// Scale multiplies the entries off the diagonal of a matrix of order n by off, those on it by on.
func Scale(a []float64, n int, off, on float64) {
	first := 0
	if n >= 5 {
		scale5((*[15]float64)(a), off, on)
		first, a = 5, a[15:]
	}
	for i := first; i < n; i++ {
		row := a[:i]
		for j := range row {
			row[j] *= off
		}
		a[i] *= on
		a = a[i+1:]
	}
}

// Quadratic returns x^T A x.
func Quadratic(a, x []float64) float64 {
	if len(x) == 5 {
		return quadratic5((*[15]float64)(a), (*[5]float64)(x))
	}
	if len(x) > short {
		var sum float64
		p := 0
		for i, v := range x {
			sum += float64(v * (float64(2*Dot(x[:i], a[p:p+i])) + float64(a[p+i]*v)))
			p += i + 1
		}
		return sum
	}
	var on, off float64
	for i, v := range x {
		row := a[:i]
		var cross float64
		for j, w := range row {
			cross += float64(w * x[j])
		}
		off += float64(v * cross)
		on += float64(a[i] * v * v)
		a = a[i+1:]
	}
	return on + float64(2*off)
}

// Products computes <x, y> and |x|^2 for each row x of a matrix, into dots and squares. The matrix
// is row-major, with len(dots) rows and len(y) columns.
func Products(dots, squares, rows, y []float64) {
	squares = squares[:len(dots)]
	n := len(y)
	if n == 5 {
		y0, y1, y2, y3, y4 := y[0], y[1], y[2], y[3], y[4]
		for i := range dots {
			x := (*[5]float64)(rows[:5])
			rows = rows[5:]
			dots[i] = (float64(x[0]*y0) + float64(x[1]*y1)) + (float64(x[2]*y2) + float64(x[3]*y3)) + float64(x[4]*y4)
			squares[i] = (float64(x[0]*x[0]) + float64(x[1]*x[1])) + (float64(x[2]*x[2]) + float64(x[3]*x[3])) + float64(x[4]*x[4])
		}
		return
	}
	if n > short {
		Dots(dots, rows, n, y)
		for i := range squares {
			squares[i] = Dot(rows[:n], rows)
			rows = rows[n:]
		}
		return
	}
	for i := range dots {
		x := rows[:n]
		rows = rows[n:]
		var dot, square float64
		for j, v := range x {
			dot += float64(v * y[j])
			square += float64(v * v)
		}
		dots[i], squares[i] = dot, square
	}
}

// short is the largest length at which plain loops beat unrolled ones.
const short = 10

// Cholesky writes the lower triangular L with L L^T = A into dst, packed, and returns ln det A. It
// returns false, and dst is invalid, if A is not positive definite to working precision. dst may be
// a.
func Cholesky(dst, a []float64, n int) (logDet float64, ok bool) {
	if n == 5 {
		if logDet, ok = cholesky5((*[15]float64)(dst), (*[15]float64)(a)); ok {
			return logDet, true
		}
	}
	det := 1.0 // a factor of det L; its logarithm is taken before it can overflow
	for i, p := 0, 0; i < n; i, p = i+1, p+i+1 {
		row := dst[p : p+i+1]
		square := a[p+i]
		for j, q := 0, 0; j < i; j, q = j+1, q+j+1 {
			other := dst[q : q+j+1]
			v := a[p+j]
			if j > short {
				v -= Dot(row[:j], other)
			} else {
				for k, w := range other[:j] {
					v -= float64(w * row[k])
				}
			}
			v /= other[j]
			row[j] = v
			square -= float64(v * v)
		}
		if !(square > 0) || math.IsInf(square, 1) {
			return 0, false
		}
		root := math.Sqrt(square)
		row[i] = root
		if det *= root; det > 1e100 || det < 1e-100 {
			logDet += portable.Log(det)
			det = 1
		}
	}
	return 2 * (logDet + portable.Log(det)), true
}

// Solve solves L L^T w = b in place of b, given A's Cholesky factor l.
func Solve(l, b []float64) {
	Forward(l, b)
	n := len(b)
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			b[i] -= float64(l[Size(j)+i] * b[j])
		}
		b[i] /= l[Size(i)+i]
	}
}

// Forward solves L w = b in place of b, given A's Cholesky factor l.
func Forward(l, b []float64) {
	for i := range b {
		for j := range i {
			b[i] -= float64(l[Size(i)+j] * b[j])
		}
		b[i] /= l[Size(i)+i]
	}
}

// Invert writes A^-1 into dst, packed, given A's Cholesky factor l. It overwrites l with L^-1.
func Invert(dst, l []float64, n int) {
	if n == 5 {
		invert5((*[15]float64)(dst), (*[15]float64)(l))
		return
	}
	for j, q := 0, 0; j < n; j, q = j+1, q+j+2 { // q is the index of (j, j)
		l[q] = 1 / l[q]
		for i, p := j+1, q+j+1; i < n; i, p = i+1, p+i+1 { // p is the index of (i, j)
			start := p - j // index of row i
			var sum float64
			for k, r := j, q; k < i; k, r = k+1, r+k+1 { // r is the index of (k, j)
				sum += float64(l[start+k] * l[r])
			}
			l[p] = -sum / l[start+i]
		}
	}
	for i, p := 0, 0; i < n; i++ { // A^-1 = L^-T L^-1
		for j := 0; j <= i; j, p = j+1, p+1 {
			var sum float64
			for k, r := i, Size(i); k < n; k, r = k+1, r+k+1 {
				sum += float64(l[r+i] * l[r+j])
			}
			dst[p] = sum
		}
	}
}

// NormBound returns an upper bound on the operator norm: the lesser of the Frobenius norm and the
// largest row sum of absolute values. len(work) >= n.
func NormBound(a, work []float64, n int) float64 {
	if n == 5 {
		return normBound5((*[15]float64)(a))
	}
	var off, diagonal float64
	for i, p := 0, 0; i < n; i++ {
		work[i] = 0
		var sum float64
		for j, v := range a[p : p+i] {
			off += float64(v * v)
			v = math.Abs(v)
			sum += v
			work[j] += v
		}
		p += i
		diagonal += float64(a[p] * a[p])
		work[i] = sum + math.Abs(a[p])
		p++
	}
	var rows float64
	for _, v := range work[:n] {
		rows = max(rows, v)
	}
	return min(rows, math.Sqrt(diagonal+float64(2*off)))
}

// NormBoundTight returns an upper bound on the operator norm that exceeds it by a factor of at most
// n^(1/64), 7% for n = 64. It is the Frobenius norm of A^32, by repeated squaring, to the power
// 1/32. It costs 5/2 n^3 multiplications. len(work) >= 2 n^2.
func NormBoundTight(a, work []float64, n int) float64 {
	m, square := work[:n*n], work[n*n:2*n*n] // full, row-major
	for i, p := 0, 0; i < n; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			m[i*n+j], m[j*n+i] = a[p], a[p]
		}
	}
	// Each matrix is scaled to Frobenius norm 1 before it is squared: |A| <= |A^2k|^(1/2k). log keeps
	// the scales. Squares of entries below 1e-162 vanish, and those above 1e154 overflow: the largest
	// entry is then made 1 first.
	var log float64
	for power := 1.0; ; power *= 2 {
		norm := math.Sqrt(Dot(m, m))
		if power == 1 && !(norm > 1e-150 && norm < 1e150) {
			largest := 0.0
			for _, v := range m {
				largest = max(largest, math.Abs(v))
			}
			if largest == 0 {
				return 0
			}
			for i := range m {
				m[i] /= largest
			}
			log, norm = portable.Log(largest), math.Sqrt(Dot(m, m))
		}
		log += portable.Log(norm) / power
		if power == 32 {
			return portable.Exp(log) * (1 + 1e-9)
		}
		scale := 1 / norm
		for i := range m {
			m[i] *= scale
		}
		for i := range n {
			row := square[i*n : i*n+i+1]
			Dots(row, m, n, m[i*n:(i+1)*n])
			for j, v := range row {
				square[j*n+i] = v
			}
		}
		m, square = square, m
	}
}

// Floor raises the eigenvalues of A that are below least to least, in place, by Jacobi's rotations.
// work holds 2n^2 numbers.
func Floor(a, work []float64, n int, least float64) {
	m, v := work[:n*n], work[n*n:2*n*n] // A, and its eigenvectors by columns
	clear(v)
	for i := range n {
		v[i*n+i] = 1
	}
	for i, p := 0, 0; i < n; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			m[i*n+j], m[j*n+i] = a[p], a[p]
		}
	}
	for range 60 {
		var off, on float64
		for i := range n {
			on += float64(m[i*n+i] * m[i*n+i])
			for j := range i {
				off += float64(m[i*n+j] * m[i*n+j])
			}
		}
		if off <= 1e-30*(on+off) {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				if m[p*n+q] == 0 {
					continue
				}
				half := (m[q*n+q] - m[p*n+p]) / (2 * m[p*n+q])
				t := math.Copysign(1, half) / (math.Abs(half) + math.Sqrt(float64(half*half)+1))
				c := 1 / math.Sqrt(float64(t*t)+1)
				s := t * c
				for k := range n {
					m[k*n+p], m[k*n+q] = float64(c*m[k*n+p])-float64(s*m[k*n+q]), float64(s*m[k*n+p])+float64(c*m[k*n+q])
				}
				for k := range n {
					m[p*n+k], m[q*n+k] = float64(c*m[p*n+k])-float64(s*m[q*n+k]), float64(s*m[p*n+k])+float64(c*m[q*n+k])
				}
				for k := range n {
					v[k*n+p], v[k*n+q] = float64(c*v[k*n+p])-float64(s*v[k*n+q]), float64(s*v[k*n+p])+float64(c*v[k*n+q])
				}
			}
		}
	}
	for i, p := 0, 0; i < n; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			var sum float64
			for k := range n {
				sum += float64(v[i*n+k] * math.Max(m[k*n+k], least) * v[j*n+k])
			}
			a[p] = sum
		}
	}
}
