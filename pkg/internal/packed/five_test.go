package packed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLeadingBlock compares AddOuter, Gram, Shift and Scale with their definitions, for orders up
// to 8.
// From order 5 on the leading block is written out.
func TestLeadingBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 9 {
		a, x, c, off, on := make([]float64, Size(n)), make([]float64, n), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		for i := range a {
			a[i] = r.NormFloat64()
		}
		for i := range x {
			x[i] = r.NormFloat64()
		}
		outer, shifted, scaled := slices.Clone(a), slices.Clone(a), slices.Clone(a)
		p := 0
		for i := range n {
			for j := range i {
				outer[p] += float64(x[i] * x[j])
				scaled[p] *= off
				p++
			}
			outer[p] += float64(x[i] * x[i])
			scaled[p] *= on
			shifted[p] += c
			p++
		}
		got := make([]float64, len(a))
		if Shift(got, a, n, c); !slices.Equal(got, shifted) {
			t.Errorf("order %d: A + c I = %v, want %v", n, got, shifted)
		}
		gram := make([]float64, len(a))
		for i := range n {
			for j := range i + 1 {
				for k := range j + 1 {
					gram[Size(i)+j] += float64(a[Size(j)+k] * a[Size(i)+k])
				}
				gram[Size(i)+j] *= c
			}
		}
		if Gram(got, a, n, c); !slices.Equal(got, gram) {
			t.Errorf("order %d: c L L^T = %v, want %v", n, got, gram)
		}
		copy(got, a)
		if AddOuter(got, x); !slices.Equal(got, outer) {
			t.Errorf("order %d: A + x x^T = %v, want %v", n, got, outer)
		}
		if Scale(a, n, off, on); !slices.Equal(a, scaled) {
			t.Errorf("order %d: scaled %v, want %v", n, a, scaled)
		}
	}
}

// TestFive compares what is written out for order 5 with the loops, to the last bit. The loops get
// the same matrix bordered by a row of the identity, or of zeros, which changes no number.
func TestFive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	border := []float64{0, 0, 0, 0, 0, 1}
	same := func(what string, got, want []float64) {
		t.Helper()
		if !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("%s = %v, the loops have %v", what, got, want)
		}
	}
	for i := range 1000 {
		a, _ := definite(r, 5)
		for j := range a {
			a[j] *= math.Pow(10, float64(i%7*50-150))
		}
		if i%10 == 0 {
			a[r.IntN(len(a))] = []float64{0, -1, math.Inf(1), math.NaN()}[r.IntN(4)]
		}
		b := append(slices.Clone(a), border...)
		x := make([]float64, 6)
		for j := range 5 {
			x[j] = r.NormFloat64()
		}
		y, z := make([]float64, 5), make([]float64, 6)
		MulVec(y, a, x[:5])
		MulVec(z, b, x)
		if !slices.ContainsFunc(a, func(v float64) bool { return v-v != 0 }) {
			same("A x", y, z)
		}
		small := append(slices.Clone(a), 0, 0, 0, 0, 0, 0)
		if got, want := NormBound(a, nil, 5), NormBound(small, make([]float64, 6), 6); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("norm bound %v, the loops have %v", got, want)
		}
		l, m := make([]float64, Size(5)), make([]float64, Size(6))
		logDet, ok := Cholesky(l, a, 5)
		wanted, okay := Cholesky(m, b, 6)
		if ok != okay {
			t.Fatalf("Cholesky of %v: %v, the loops have %v", a, ok, okay)
		}
		if !ok {
			continue
		}
		if logDet != wanted {
			t.Fatalf("ln det A = %v, the loops have %v", logDet, wanted)
		}
		same("L", l, m)
		inverse, other := make([]float64, Size(5)), make([]float64, Size(6))
		Invert(inverse, l, 5)
		Invert(other, m, 6)
		same("L^-1", l, m)
		same("A^-1", inverse, other)
		Cholesky(a, a, 5) // in place
		Invert(l, a, 5)
		same("in place, A^-1", l, inverse)
	}
}
