package random

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// ChiSquare draws a chi-square variable with k > 0 degrees of freedom; k may be large and need not be
// whole. Its cost does not depend on k: Marsaglia and Tsang, "A simple method for generating gamma
// variables", ACM TOMS 26(3), 2000, for the gamma variable of shape k/2.
func ChiSquare(r *rand.Rand, k float64) float64 {
	shape, boost := k/2, 1.0
	if shape < 1 { // the gamma of shape a is that of shape a+1 times U^(1/a)
		boost = math.Pow(1-r.Float64(), 1/shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := r.NormFloat64()
		v := 1 + c*z
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - r.Float64() // in (0, 1]
		if u < 1-0.0331*(z*z)*(z*z) || math.Log(u) < 0.5*z*z+d*(1-v+math.Log(v)) {
			return 2 * boost * d * v
		}
	}
}

// Wishart draws W ~ W_dim(scale I, freedom), the Gram matrix of freedom independent rows N(0, scale I),
// by Bartlett's decomposition W = scale L L^T: L is lower triangular with standard normals below the
// diagonal and the roots of chi-square variables with freedom, freedom-1, ... degrees of freedom on it. The
// cost, O(dim^3), does not depend on freedom.
type Wishart struct {
	dim     int
	freedom int
	scale   float64
	l       []float64 // the lower triangle, packed by rows
}

// NewWishart allocates the sampler. freedom > dim-1 (else W is singular) and scale > 0.
func NewWishart(dim, freedom int, scale float64) (*Wishart, error) {
	switch {
	case dim < 1:
		return nil, fmt.Errorf("random: Wishart of dimension %d, want >= 1", dim)
	case freedom < dim:
		return nil, fmt.Errorf("random: Wishart with %d degrees of freedom, want >= the dimension %d", freedom, dim)
	case !(scale > 0) || math.IsInf(scale, 1):
		return nil, fmt.Errorf("random: Wishart of scale %v, want finite and > 0", scale)
	}
	return &Wishart{dim: dim, freedom: freedom, scale: scale, l: make([]float64, dim*(dim+1)/2)}, nil
}

// Rand writes W into dst, its lower triangle packed by rows: W_ij at i(i+1)/2+j for j <= i.
func (w *Wishart) Rand(r *rand.Rand, dst []float64) {
	for i, p := 0, 0; i < w.dim; i++ {
		for j := 0; j < i; j, p = j+1, p+1 {
			w.l[p] = r.NormFloat64()
		}
		w.l[p] = math.Sqrt(ChiSquare(r, float64(w.freedom-i)))
		p++
	}
	for i, p := 0, 0; i < w.dim; i++ {
		row := w.l[i*(i+1)/2 : i*(i+1)/2+i+1]
		for j := 0; j <= i; j, p = j+1, p+1 {
			other := w.l[j*(j+1)/2 : j*(j+1)/2+j+1]
			var sum float64
			for k, v := range other {
				sum += v * row[k]
			}
			dst[p] = w.scale * sum
		}
	}
}
