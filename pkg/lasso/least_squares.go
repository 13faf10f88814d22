package lasso

import (
	"fmt"
	"math"
)

// LeastSquares returns the w that minimises |y - X w|^2 + ridge |w|^2 and is 0 but for some
// coordinates. The slice is the solver's own, and valid until its next call of LeastSquares; the
// last fit stays as it is.
//
// With a ridge of 0, a coordinate whose column is a combination of those before it stays 0.
func (s *Solver) LeastSquares(on []int, ridge float64) ([]float64, error) {
	if !(ridge >= 0 && ridge <= largest*largest) {
		return nil, fmt.Errorf("lasso: ridge = %v, want finite and >= 0", ridge)
	}
	for _, j := range on {
		if j < 0 || j >= s.Dim {
			return nil, fmt.Errorf("lasso: least squares on coordinate %d, want in [0, Dim = %d)", j, s.Dim)
		}
	}
	k := &s.work
	k.grow(len(on))
	k.at = append(k.at[:0], on...)
	k.read(&s.sums, s.w)
	clear(k.w)
	copy(k.q, k.xy)
	k.part = k.part[:0]
	for i := range k.at {
		k.xx[i*len(on)+i] += ridge
		k.part = append(k.part, i)
	}
	m := k.independent(0)
	k.back(m)
	clear(s.least)
	for a, i := range k.part[:m] {
		s.least[k.at[i]] = k.step[a]
		if math.IsInf(k.step[a], 0) || k.step[a] != k.step[a] {
			return nil, fmt.Errorf("lasso: least squares: coefficient %d = %v, want finite", k.at[i], k.step[a])
		}
	}
	return s.least, nil
}
