package mechanism

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// impulses runs the rows 1..n-1 of a horizon of n through an accumulator whose i-th matrix of fresh noise is replaced by the i-th unit
// vector, and returns B: row t is what the release after t rows, the shift apart, holds of each fresh matrix.
func impulses(t *testing.T, acc privacy.Accumulator, f *factorised, horizon, drawn int) *mat.Dense {
	t.Helper()
	dim := 2
	for dim*(dim+1)/2 < drawn {
		dim++
	}
	if err := acc.Init(privacy.Setup{Dim: dim, Horizon: horizon, Bound: 1, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	acc.Reset(nil)
	f.shift = 0
	i := 0
	f.draw = func(dst []float64) {
		clear(dst)
		dst[i] = 1
		i++
	}
	b := mat.NewDense(horizon-1, drawn, nil)
	zero, release := make([]float64, dim), make([]float64, dim*(dim+1)/2)
	for r := range horizon - 1 {
		if err := acc.AddOuter(zero); err != nil {
			t.Fatal(err)
		}
		acc.Read(release)
		b.SetRow(r, release[:drawn])
	}
	if i != drawn {
		t.Fatalf("%d matrices of fresh noise, want %d", i, drawn)
	}
	return b
}

// toeplitz returns the lower triangular matrix of coefficients.
func toeplitz(coefficients []float64) *mat.Dense {
	n := len(coefficients)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			m.Set(i, j, coefficients[i-j])
		}
	}
	return m
}

// agree compares what the streaming mechanism did, B with a column for each fresh matrix, with the dense factorisation of C: the covariance
// B B^T with A C^-1 C^-T A^T; the largest column norm of C with the claim's, and the largest standard deviation with rowNorm.
func agree(t *testing.T, b, c *mat.Dense, f *factorised) {
	t.Helper()
	n, _ := b.Dims()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	var inverse, dense, want, got mat.Dense
	if err := inverse.Inverse(c); err != nil {
		t.Fatal(err)
	}
	dense.Mul(toeplitz(ones), &inverse)
	want.Mul(&dense, dense.T())
	got.Mul(b, b.T())
	var worst, widest, longest float64
	for i := range n {
		for j := range n {
			worst = max(worst, math.Abs(got.At(i, j)-want.At(i, j)))
		}
		widest = max(widest, math.Sqrt(want.At(i, i)))
	}
	if worst > 1e-10 {
		t.Errorf("the covariance of the noise is off by %v", worst)
	}
	_, columns := c.Dims()
	for j := range columns {
		longest = max(longest, mat.Norm(c.ColView(j), 2))
	}
	event := f.Claim().Event.(privacy.MatrixEvent)
	if event.ColumnNorm < longest || event.ColumnNorm > longest*(1+1e-9) {
		t.Errorf("the claim has the column norm %v, dense algebra %v", event.ColumnNorm, longest)
	}
	if norm := f.by.rowNorm(); norm < widest*(1-1e-14) || norm > widest*(1+1e-9) {
		t.Errorf("the row norm is %v, dense algebra %v", norm, widest)
	}
}

func TestBLTAgainstItsMatrix(t *testing.T) {
	for _, horizon := range []int{2, 3, 4, 10, 100, 512} {
		for _, buffers := range []int{0, 1, 3, 8} {
			blt := &BLT{Budget: budget, Buffers: buffers}
			b := impulses(t, blt, &blt.factorised, horizon, horizon-1)
			c := make([]float64, horizon-1)
			c[0] = 1
			for k := range c[1:] {
				for j, omega := range blt.kernel.omega {
					c[k+1] += omega * math.Pow(1-blt.kernel.theta[j], float64(k))
				}
			}
			agree(t, b, toeplitz(c), &blt.factorised)
		}
	}
}
