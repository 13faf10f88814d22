package continual

import (
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/toeplitz"
)

// logPowers are the exponents of Unbounded's c(z), and the norm of its coefficients, rounded up.
type logPowers struct{ gamma, delta, norm float64 }

// The powers with about the least noise in release 100, and in release 100,000.
var (
	logSeldom = logPowers{-4, 5.25, 1.703645}
	logOften  = logPowers{-2.5, 3.6, 2.502664}
)

// logKernel is the noise correlation of Unbounded. Its rows and columns are those of releases.
type logKernel struct {
	norm    float64           // |C|, of a column without an end
	ends    []int             // rows taken in by each release
	rows    []float64         // |B_k|, the norms of the rows of B
	columns []float64         // of the first column of C's leading blocks
	like    *toeplitz.Product // of a run's noise
}

func newLogKernel(ends []int, powers logPowers) *logKernel {
	n := max(1, len(ends))
	b, c := powers.coefficients(length(n))
	k := &logKernel{norm: powers.norm, ends: ends, rows: norms(b[:n]), columns: norms(c[:n])}
	k.like = toeplitz.NewProduct(b, 0)
	return k
}

// norms returns the Euclidean norms of the leading parts of v.
func norms(v []float64) []float64 {
	all, square := make([]float64, len(v)), 0.0
	for i, w := range v {
		square += float64(w * w)
		all[i] = math.Sqrt(square)
	}
	return all
}

// coefficients returns the first n coefficients of b and c, n a power of two.
//
// Differentiate ln c = -ln(1-z)/2 + gamma ln l + delta ln m: with q = 1/(2(1-z)) + gamma l'/l +
// delta m'/m, c' = q c, so that k c_k = sum_{j<k} q_{k-1-j} c_j. For b the signs of gamma and delta
// are opposite. The coefficients of l are 1/(k+1), and m = 2 ln(l)/z is an integral of r = l'/l:
// m_k = 2 r_k/(k+1). Quotients are sums of the same kind, r l = l' and p m = m'.
func (l logPowers) coefficients(n int) (b, c []float64) {
	r := unfold(2*n, func(j int) float64 { return 1 / float64(j+2) },
		func(k int, sum float64) float64 { return float64(k+1)/float64(k+2) - sum })
	p := unfold(n, func(j int) float64 { return 2 * r[j+1] / float64(j+2) },
		func(k int, sum float64) float64 { return 2*r[k+1]*float64(k+1)/float64(k+2) - sum })
	power := func(gamma, delta float64) []float64 {
		return unfold(n, func(j int) float64 { return 0.5 + float64(gamma*r[j]) + float64(delta*p[j]) },
			func(k int, sum float64) float64 {
				if k == 0 {
					return 1
				}
				return sum / float64(k)
			})
	}
	return power(-l.gamma, -l.delta), power(l.gamma, l.delta)
}

// unfold returns x_0, ..., x_{n-1}, where x_k = next(k, sum_{j<k} f(k-1-j) x_j).
func unfold(n int, f func(j int) float64, next func(k int, sum float64) float64) []float64 {
	kernel, x := make([]float64, n), make([]float64, n)
	for j := range kernel {
		kernel[j] = f(j)
	}
	product, sum := toeplitz.NewProduct(kernel, 1), []float64{0}
	for k := range x {
		x[k] = next(k, sum[0])
		product.Next(sum, x[k:k+1])
	}
	return x
}

// finished returns how many releases there are after so many rows.
func (k *logKernel) finished(rows int) int { return ended(k.ends, rows) }

// ended returns how many of the releases that end after so many rows each there are.
func ended(ends []int, rows int) int {
	i, _ := slices.BinarySearch(ends, rows+1)
	return i
}

// columnNorm returns the norm of the first column of C's block of the releases of so many rows,
// which is the longest.
func (k *logKernel) columnNorm(rows int) float64 {
	if i := k.finished(rows); i > 0 {
		return k.columns[i-1] + roundingMargin(1e-12, i)
	}
	return 0
}

// rowNorm returns the norm of B's last row, which is the longest, rounded up.
func (k *logKernel) rowNorm() float64 { return k.rows[len(k.rows)-1] * (1 + 1e-9) }

func (k *logKernel) begin(size int) correlated { return &rootRun{k.like.Begin(size)} }
