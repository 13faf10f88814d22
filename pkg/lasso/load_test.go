package lasso

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestIndefinite: of random sums, most of them noisy, Load refuses those with an eigenvalue below
// 0, beyond rounding, and no others. After a ridge of what is missing it takes them, and fits
// converge.
func TestIndefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	refused, taken := 0, 0
	for range 300 {
		d, n, noise := 1+r.IntN(12), 1+r.IntN(20), math.Pow(10, -14+16*r.Float64())
		all := make([]float64, (d+1)*(d+1)) // of the rows (x, y)
		row := make([]float64, d+1)
		for range n {
			for j := range row {
				row[j] = r.NormFloat64()
			}
			for j, u := range row {
				for k, v := range row {
					all[j*(d+1)+k] += u * v
				}
			}
		}
		for j := range d + 1 {
			for k := range j {
				all[j*(d+1)+k] += noise * r.NormFloat64()
				all[k*(d+1)+j] = all[j*(d+1)+k]
			}
		}
		load := func() (*Solver, error) {
			s := opened(t, Regression{Dim: d})
			xx, xy := make([]float64, d*d), make([]float64, d)
			for j := range d {
				copy(xx[j*d:(j+1)*d], all[j*(d+1):])
				xy[j] = all[j*(d+1)+d]
			}
			return s, s.Load(xx, xy, all[len(all)-1], n)
		}
		least := func() float64 { // with a diagonal of 1
			scaled := mat.NewSymDense(d+1, nil)
			for j := range d + 1 {
				for k := range d + 1 {
					scaled.SetSym(j, k, all[j*(d+1)+k]/math.Sqrt(all[j*(d+1)+j]*all[k*(d+1)+k]))
				}
			}
			var e mat.EigenSym
			if !e.Factorize(scaled, false) {
				t.Fatal("no eigenvalues")
			}
			return e.Values(nil)[0]
		}
		_, err := load()
		switch low := least(); {
		case low < -2e-9:
			refused++
			if !errors.Is(err, errIndefinite) {
				t.Errorf("d = %d, n = %d, least eigenvalue %v: %v", d, n, low, err)
			}
			for j := range d + 1 {
				all[j*(d+1)+j] *= 1 - 1.001*low
			}
		case low > -0.5e-9:
			taken++
			if err != nil {
				t.Errorf("d = %d, n = %d, least eigenvalue %v: %v", d, n, low, err)
			}
		default:
			continue
		}
		s, err := load()
		if err != nil {
			t.Errorf("after a ridge: %v", err)
			continue
		}
		if alpha := 0.1 * s.AlphaMax(); alpha > 0 {
			if _, err := s.Fit(alpha); err != nil {
				t.Errorf("least eigenvalue %v: %v", least(), err)
			}
		}
	}
	if refused < 50 || taken < 50 {
		t.Errorf("%d refused, %d taken, want both many", refused, taken)
	}
	s := opened(t, Regression{Dim: 3})
	for want, sums := range map[string]struct{ xx, xy []float64 }{
		"entry 0 of row 1 of X'X = 3, want <= 1 in size":           {[]float64{1, 3, 0, 3, 1, 0, 0, 0, 1}, []float64{0, 0, 0}},
		"row 2 of X'X: rows before it explain more than all of":    {[]float64{1, 0.9, -0.9, 0.9, 1, 0.9, -0.9, 0.9, 1}, []float64{0, 0, 0}},
		"X'y: rows before it explain more than all of its":         {[]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, []float64{0.9, 0.9, 0}},
		"entry 1 of X'y = 2, want <= 1 in size":                    {[]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, []float64{0, 2, 0}},
		"entries (1, 0) and (0, 1) of X'X = 0.5 and 0, want equal": {[]float64{1, 0, 0, 0.5, 1, 0, 0, 0, 1}, []float64{0, 0, 0}},
		"entry 0 of row 2 of X'X = 1, want <= 0 in size":           {[]float64{0, 0, 1, 0, 1, 0, 1, 0, 1}, []float64{0, 0, 0}},
	} {
		err := s.Load(sums.xx, sums.xy, 1, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
		if indefinite := !strings.Contains(want, "equal"); errors.Is(err, errIndefinite) != indefinite {
			t.Errorf("%v is errIndefinite: %v, want %v", err, !indefinite, indefinite)
		}
	}
}
