package packed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// random positive definite matrices, packed and dense.
func definite(r *rand.Rand, n int) ([]float64, *mat.SymDense) {
	g := mat.NewDense(n+2, n, nil)
	for i := range n + 2 {
		for j := range n {
			g.Set(i, j, r.NormFloat64())
		}
	}
	var s mat.SymDense
	s.SymOuterK(1, g.T())
	return pack(&s), &s
}

func pack(s mat.Symmetric) []float64 {
	var a []float64
	for i := range s.SymmetricDim() {
		for j := range i + 1 {
			a = append(a, s.At(i, j))
		}
	}
	return a
}

func close(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestAgainstGonum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 5, 8, 33, 64} {
		a, s := definite(r, n)
		var chol mat.Cholesky
		chol.Factorize(s)
		l := make([]float64, Size(n))
		logDet, ok := Cholesky(l, a, n)
		if !ok {
			t.Fatalf("n = %d: not positive definite", n)
		}
		close(t, "log det", logDet, chol.LogDet(), 1e-10)
		var inverse mat.SymDense
		if err := chol.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		got, want := make([]float64, Size(n)), pack(&inverse)
		Invert(got, l, n)
		for i := range got {
			close(t, "inverse", got[i], want[i], 1e-7)
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		v := mat.NewVecDense(n, x)
		close(t, "quadratic form", Quadratic(a, x), mat.Inner(v, s, v), 1e-12)
		var product mat.VecDense
		product.MulVec(s, v)
		y := make([]float64, n)
		MulVec(y, a, x)
		for i := range y {
			close(t, "A x", y[i], product.AtVec(i), 1e-12)
		}
		rows := append(append([]float64(nil), x...), y...)
		dots, squares := make([]float64, 2), make([]float64, 2)
		Products(dots, squares, rows, x)
		close(t, "<x, x>", dots[0], mat.Dot(v, v), 1e-12)
		close(t, "<y, x>", dots[1], mat.Dot(v, &product), 1e-12)
		close(t, "|x|^2", squares[0], dots[0], 1e-12)
		close(t, "|y|^2", squares[1], mat.Dot(&product, &product), 1e-12)
		var eig mat.EigenSym
		eig.Factorize(s, true)
		values := eig.Values(nil)
		if bound := NormBound(a, make([]float64, n), n); bound < values[n-1]*(1-1e-12) || bound > math.Sqrt(float64(n))*values[n-1]*(1+1e-12) {
			t.Errorf("n = %d: norm bound %v of a matrix of norm %v", n, bound, values[n-1])
		}
		if bound := NormBoundTight(a, make([]float64, 2*n*n), n); bound < values[n-1] || bound > math.Pow(float64(n), 1.0/64)*values[n-1]*(1+1e-6) {
			t.Errorf("n = %d: tight norm bound %v of a matrix of norm %v", n, bound, values[n-1])
		}
		for _, scale := range []float64{1e-300, 1e-160, 1e160, 1e300} { // squares vanish, or overflow
			far := make([]float64, len(a))
			for i, v := range a {
				far[i] = scale * v
			}
			if bound := NormBoundTight(far, make([]float64, 2*n*n), n) / scale; !(bound >= values[n-1] && bound <= math.Pow(float64(n), 1.0/64)*values[n-1]*(1+1e-6)) {
				t.Errorf("n = %d: tight norm bound %v times %v of a matrix of norm %v", n, bound, scale, values[n-1])
			}
		}
		least := values[n/2] + 0.1
		var vectors, floored mat.Dense
		eig.VectorsTo(&vectors)
		d := mat.NewDiagDense(n, nil)
		for i, e := range values {
			d.SetDiag(i, math.Max(e, least))
		}
		floored.Product(&vectors, d, vectors.T())
		Floor(a, make([]float64, 2*n*n), n, least)
		for i, p := 0, 0; i < n; i++ {
			for j := 0; j <= i; j, p = j+1, p+1 {
				close(t, "floored", a[p], floored.At(i, j), 1e-9)
			}
		}
	}
}

func TestCholeskyOfLargeDeterminants(t *testing.T) {
	const n = 64
	a := make([]float64, Size(n))
	for i, p := 0, 0; i < n; i, p = i+1, p+i+2 {
		a[p] = 1e30
	}
	logDet, ok := Cholesky(a, a, n)
	if !ok {
		t.Fatal("not positive definite")
	}
	close(t, "log det", logDet, n*30*math.Ln10, 1e-12)
}

func TestCholeskyRefusesIndefinite(t *testing.T) {
	for _, a := range [][]float64{{0}, {-1}, {1, 2, 1}, {math.NaN()}, {1, math.NaN(), 1}, {math.Inf(1)}} {
		n := 1
		if len(a) == 3 {
			n = 2
		}
		if _, ok := Cholesky(make([]float64, len(a)), a, n); ok {
			t.Errorf("%v is accepted", a)
		}
	}
}

// Solve undoes the product with A, to rounding.
func TestSolve(t *testing.T) {
	a := []float64{4, 2, 5, -1, 0.5, 3} // packed, positive definite
	want := []float64{1, -2, 0.25}
	b, l := make([]float64, 3), make([]float64, 6)
	MulVec(b, a, want)
	if _, ok := Cholesky(l, a, 3); !ok {
		t.Fatal("not positive definite")
	}
	Solve(l, b)
	for i, v := range want {
		if !(math.Abs(b[i]-v) <= 1e-14) {
			t.Errorf("w = %v, want %v", b, want)
		}
	}
}
