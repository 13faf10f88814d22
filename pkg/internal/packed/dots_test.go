package packed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// TestKernels compares what is vectorised, or loops over several rows, with the definitions, to
// the last bit.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 70 {
		rows, stride := 1+r.IntN(70), n+r.IntN(3)
		y, x := normals(r, n), normals(r, rows*stride+3)
		dots := make([]float64, rows)
		Dots(dots, x, stride, y)
		for i, v := range dots {
			if want := Dot(y, x[i*stride:]); v != want {
				t.Fatalf("length %d, row %d of %d: <x, y> = %v, want %v", n, i, rows, v, want)
			}
		}
		a := normals(r, Size(n))
		got, want := make([]float64, n), make([]float64, n)
		MulVec(got, a, y)
		for i := range n { // what is left of the diagonal comes before what is below
			want[i] = a[Size(i)+i] * y[i]
			for j := range i {
				want[i] += float64(a[Size(i)+j] * y[j])
			}
			for j := i + 1; j < n; j++ {
				want[i] += float64(a[Size(j)+i] * y[j])
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("order %d: A x = %v, want %v", n, got, want)
		}
		if n > 0 {
			squares := make([]float64, rows)
			x := normals(r, rows*n)
			Quadratics(squares, a, x, n)
			for i, v := range squares {
				if want := Quadratic(a, x[i*n:][:n]); v != want {
					t.Fatalf("order %d, row %d of %d: x^T A x = %v, want %v", n, i, rows, v, want)
				}
			}
		}
		c, sum := r.NormFloat64(), slices.Clone(a)
		for i := range n {
			for j := range i + 1 {
				sum[Size(i)+j] += float64(float64(c*y[i]) * y[j])
			}
		}
		if AddScaledOuter(a, c, y); !slices.Equal(a, sum) {
			t.Fatalf("order %d: A + c x x^T = %v, want %v", n, a, sum)
		}
	}
}

// TestInverse compares with Cholesky and Invert, to the last bit.
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	if !Wide(70) {
		t.Skip("Cholesky and Invert are used")
	}
	for n := wide + 1; n < 70; n++ {
		a, _ := definite(r, n)
		for i := range a {
			a[i] *= math.Pow(10, float64(n%5*20-40))
		}
		switch n % 7 {
		case 5: // not positive definite, or only just
			a[Size(n)-1] *= r.Float64() / 2
		case 6:
			a[r.IntN(len(a))] = []float64{0, -1e50, math.Inf(1), math.NaN()}[r.IntN(4)]
		}
		l, work, got, want := make([]float64, len(a)), make([]float64, 2*n*n), make([]float64, len(a)), make([]float64, len(a))
		logDet, ok := Inverse(got, a, work, n)
		wantLogDet, wantOK := Cholesky(l, a, n)
		if ok != wantOK {
			t.Fatalf("order %d: ok = %v, want %v", n, ok, wantOK)
		}
		if !ok {
			continue
		}
		if Invert(want, l, n); logDet != wantLogDet || !slices.Equal(got, want) {
			t.Fatalf("order %d: A^-1 = %v, ln det A = %v, want %v and %v", n, got, logDet, want, wantLogDet)
		}
	}
}
