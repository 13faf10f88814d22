package packed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestUppers5 compares with Products and Quadratic, bit for bit.
func TestUppers5(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 2000 {
		n := 1 + i%40
		rows, dst := make([]float64, 5*n), make([]float64, n)
		for j := range rows {
			rows[j] = r.NormFloat64()
		}
		if n > 3 { // a tie
			copy(rows[5*(n-1):], rows[:5])
			copy(rows[5*(n/2):], rows[:5])
		}
		a, _ := definite(r, 5)
		centre, beta := make([]float64, 5), r.ExpFloat64()
		for j := range centre {
			centre[j] = 3 * r.NormFloat64()
		}
		bad := i%3 == 0
		if bad {
			rows[r.IntN(len(rows))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200}[r.IntN(4)]
		}
		want, finite := 0, true
		top := math.Inf(-1)
		best, ok := Uppers5(dst, rows, (*[5]float64)(centre), (*[15]float64)(a), beta)
		for j := range dst {
			x, dot, square := rows[5*j:5*j+5], []float64{0}, []float64{0}
			Products(dot, square, x, centre)
			v := dot[0] + float64(beta*math.Sqrt(Quadratic(a, x)))
			if v-v != 0 {
				finite = false
			} else if math.Float64bits(v) != math.Float64bits(dst[j]) {
				t.Fatalf("row %d of %d: %v, want %v", j, n, dst[j], v)
			}
			if v > top {
				want, top = j, v
			}
		}
		if ok != finite || ok && best != want {
			t.Fatalf("the best of %d is %d, %v, want %d, %v", n, best, ok, want, finite)
		}
	}
}
