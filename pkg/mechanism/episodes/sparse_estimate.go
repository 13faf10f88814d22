package episodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/largest"
)

// SparseEstimate computes an estimate of theta from a SparseGram: the ridge regression on the
// support, around its centre.
//
// It solves (G + lambda I) w = X'r, with eigenvalues floored at lambda/2, and adds w to the centre.
// lambda is Ridge times the bound s (2 sqrt k + 2 sqrt(ln 20)) on the operator norm of G's noise,
// which fails with probability 0.05 at most, for a support of k coordinates and noise of standard
// deviation s. Without noise lambda is Ridge. All of it is post-processing, which costs no privacy.
type SparseEstimate struct {
	Ridge float64 // > 0; 0 means 1
	// Keep is the number of coordinates to keep, those with the largest absolute values; 0 keeps
	// all.
	Keep int
	// Again solves again on the coordinates kept, within the first solve's ridged matrix.
	Again bool
}

// Validate returns an error if a field is out of its range.
func (s SparseEstimate) Validate() error {
	if !(s.Ridge >= 0 && s.Ridge <= 1e50) {
		return fmt.Errorf("mechanism: SparseEstimate.Ridge = %v, want finite and > 0, 1e50 at most, or 0 for 1", s.Ridge)
	}
	if s.Keep < 0 {
		return fmt.Errorf("mechanism: SparseEstimate.Keep = %d, want >= 1, or 0 for all", s.Keep)
	}
	return nil
}

// Solve writes the estimate, by place in the release's support, into dst and returns it. It
// allocates.
func (s SparseEstimate) Solve(r *SparseGram, dst []float64) []float64 {
	k := len(r.Support)
	ridge := s.Ridge
	if ridge == 0 {
		ridge = 1
	}
	if r.Noise > 0 {
		ridge *= r.Noise * (2*math.Sqrt(float64(k)) + 2*math.Sqrt(portable.Log(20)))
	}
	matrix := slices.Clone(r.Gram)
	packed.AddDiagonal(matrix, k, ridge)
	dst = append(dst[:0], r.Cross...)
	solveFloored(matrix, dst, ridge/2)
	for i, v := range r.Centre {
		dst[i] += v
	}
	if s.Keep == 0 || s.Keep >= k {
		return dst
	}
	size := make([]float64, k)
	for i, v := range dst {
		size[i] = math.Abs(v)
	}
	kept := largest.Of(size, s.Keep, nil)
	slices.Sort(kept)
	old := slices.Clone(dst)
	clear(dst)
	for _, i := range kept {
		dst[i] = old[i]
	}
	if !s.Again {
		return dst
	}
	part, right := make([]float64, packed.Size(s.Keep)), make([]float64, s.Keep)
	for a, i := range kept {
		for b, j := range kept[:a+1] {
			part[packed.Size(a)+b] = r.Gram[packed.Size(i)+j]
		}
		part[packed.Size(a)+a] += ridge
		right[a] = r.Cross[i]
		for j, v := range r.Centre { // what is dropped leaves the centre
			if dst[j] == 0 && v != 0 {
				right[a] += float64(r.Gram[packed.Size(max(i, j))+min(i, j)] * v)
			}
		}
	}
	solveFloored(part, right, ridge/2)
	for a, i := range kept {
		dst[i] = right[a] + r.Centre[i]
	}
	return dst
}

// solveFloored solves A w = b in place of b, with A's eigenvalues raised to at least floor.
func solveFloored(a, b []float64, floor float64) {
	n := len(b)
	packed.Floor(a, make([]float64, 2*n*n), n, floor)
	l := make([]float64, len(a))
	if _, ok := packed.Cholesky(l, a, n); !ok {
		clear(b)
		return
	}
	packed.Solve(l, b)
}
