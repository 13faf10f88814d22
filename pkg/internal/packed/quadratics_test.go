package packed

import (
	"math/rand/v2"
	"testing"
)

func TestQuadratics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 20; n++ {
		a, _ := definite(r, n)
		rows := make([]float64, 17*n)
		for i := range rows {
			rows[i] = r.NormFloat64()
		}
		got := make([]float64, 17)
		Quadratics(got, a, rows, n)
		for i, v := range got {
			if want := Quadratic(a, rows[i*n:(i+1)*n]); v != want {
				t.Errorf("n = %d, row %d: %v, want %v to the bit", n, i, v, want)
			}
		}
	}
}

func BenchmarkQuadratics(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	a, _ := definite(r, 5)
	rows, dst := make([]float64, 500), make([]float64, 100)
	for i := range rows {
		rows[i] = r.NormFloat64()
	}
	b.Run("all/d=5/K=100", func(b *testing.B) {
		for b.Loop() {
			Quadratics(dst, a, rows, 5)
		}
	})
	b.Run("each/d=5/K=100", func(b *testing.B) {
		for b.Loop() {
			for i := range dst {
				dst[i] = Quadratic(a, rows[5*i:5*i+5])
			}
		}
	})
}
