package weighted

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// Regression makes estimates, and the matrix R of the next messages, of what an epoch's messages
// show: the mean of (x, y) z^T, with noise, by rows. z is R x times a weight in [0, 1]. H is the
// part with x, and b the one with y.
type Regression struct {
	dim       int
	factor    []float64 // R^-1, packed
	matrix    []float64 // work space
	inverse   []float64
	work      []float64
	Broadcast []float64
}

// NewRegression begins with R = scale I. It allocates for so many estimates.
func NewRegression(dim, estimates int, scale float64) Regression {
	r := Regression{dim: dim, matrix: make([]float64, dim*dim), inverse: make([]float64, dim*dim), work: make([]float64, 2*dim*dim), factor: make([]float64, packed.Size(dim))}
	packed.AddDiagonal(r.factor, dim, scale)
	r.Broadcast = append(make([]float64, 0, packed.Size(dim)+estimates*(dim+dim*dim)), r.factor...)
	clear(r.factor)
	packed.AddDiagonal(r.factor, dim, 1/scale)
	return r
}

// Estimate appends theta = (H^T + kappa R)^-1 b and beta A, A = (H + kappa R^T)^-1, to the
// broadcast. If the matrix is singular to working precision, as good as never under noise, the
// epoch says nothing.
func (r *Regression) Estimate(mean []float64, beta, kappa float64) {
	d := r.dim
	for i := range d {
		for j := range d {
			v := mean[i*d+j] // H^T + kappa R, row j, column i
			if i <= j {
				v += float64(kappa * r.Broadcast[packed.Size(j)+i])
			}
			r.matrix[j*d+i] = v
		}
	}
	if !invert(r.inverse, r.matrix, d) {
		return
	}
	old := len(r.Broadcast)
	for i := range d {
		r.Broadcast = append(r.Broadcast, packed.Dot(r.inverse[i*d:(i+1)*d], mean[d*d:]))
	}
	for i := range d {
		for j := range d {
			r.Broadcast = append(r.Broadcast, float64(beta*r.inverse[j*d+i]))
		}
	}
	for _, v := range r.Broadcast[old:] {
		if !(math.Abs(v) <= Largest) {
			r.Broadcast = r.Broadcast[:old]
			return
		}
	}
}

// Spread returns an upper bound on the operator norm of the symmetric part of R H, which is the
// mean of z (R x)^T, with noise.
func (r *Regression) Spread(mean []float64) float64 {
	d := r.dim
	product, square := r.matrix, r.inverse[:packed.Size(d)]
	for i := range d {
		for j := range d {
			var sum float64
			for k, v := range r.Broadcast[packed.Size(i):packed.Size(i+1)] {
				sum += float64(v * mean[k*d+j])
			}
			product[i*d+j] = sum
		}
	}
	for i, p := 0, 0; i < d; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			square[p] = (product[i*d+j] + product[j*d+i]) / 2
		}
	}
	return packed.NormBoundTight(square, r.work, d)
}

// Step sets R to the inverse of a root of C + kappa I, with C = H R^-T made symmetric. Where noise
// takes an eigenvalue below kappa, it is set to kappa.
func (r *Regression) Step(mean []float64, kappa float64) {
	d := r.dim
	square, root := r.matrix[:packed.Size(d)], r.inverse[:packed.Size(d)]
	for i, p := 0, 0; i < d; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			a := packed.Dot(r.factor[packed.Size(j):packed.Size(j+1)], mean[i*d:])
			b := packed.Dot(r.factor[packed.Size(i):packed.Size(i+1)], mean[j*d:])
			square[p] = (a + b) / 2
		}
	}
	_, definite := packed.Cholesky(root, square, d)
	packed.AddDiagonal(square, d, kappa)
	if !definite {
		packed.Floor(square, r.work, d, kappa)
	}
	if _, ok := packed.Cholesky(root, square, d); !ok {
		return // R stays: any will do
	}
	copy(r.factor, root)
	packed.Invert(square, root, d)
	copy(r.Broadcast, root)
}

// invert writes the inverse of a square matrix into dst, row by row, by elimination with pivots. It
// overwrites m, and returns false if m is singular to working precision.
func invert(dst, m []float64, d int) bool {
	clear(dst)
	for i := range d {
		dst[i*d+i] = 1
	}
	for c := range d {
		pivot := c
		for i := c + 1; i < d; i++ {
			if math.Abs(m[i*d+c]) > math.Abs(m[pivot*d+c]) {
				pivot = i
			}
		}
		if !(math.Abs(m[pivot*d+c]) > 1e-100) {
			return false
		}
		for j := range d {
			m[c*d+j], m[pivot*d+j] = m[pivot*d+j], m[c*d+j]
			dst[c*d+j], dst[pivot*d+j] = dst[pivot*d+j], dst[c*d+j]
		}
		scale := 1 / m[c*d+c]
		for j := range d {
			m[c*d+j] *= scale
			dst[c*d+j] *= scale
		}
		for i := range d {
			factor := m[i*d+c]
			if i == c || factor == 0 {
				continue
			}
			for j := range d {
				m[i*d+j] -= float64(factor * m[c*d+j])
				dst[i*d+j] -= float64(factor * dst[c*d+j])
			}
		}
	}
	return true
}
