package jdp

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// spectrum returns the least and the largest eigenvalue of the leading d x d block H of a packed
// matrix of order d+1, and |h|_{H^-1} for the first d entries h of its last row.
func spectrum(packed []float64, d int) (least, largest, gamma float64) {
	h := mat.NewSymDense(d, nil)
	for i, p := 0, 0; i < d; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			h.SetSym(i, j, packed[p])
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(h, false)
	values := eigen.Values(nil)
	u := mat.NewVecDense(d, append([]float64(nil), packed[d*(d+1)/2:d*(d+1)/2+d]...))
	var solved mat.VecDense
	if err := solved.SolveVec(h, u); err != nil {
		return values[0], values[d-1], math.Inf(1)
	}
	return values[0], values[d-1], math.Sqrt(math.Max(0, mat.Dot(u, &solved)))
}
