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
		if j < 0 || j >= s.of.Dim {
			return nil, fmt.Errorf("lasso: least squares on coordinate %d, want in [0, Dim = %d)", j, s.of.Dim)
		}
	}
	k, f, n := &s.work, &s.own, len(on)
	k.grow(n)
	k.at = append(k.at[:0], on...)
	k.read(&s.sums, s.w)
	k.part = k.part[:0]
	f.clear()
	f.grow(n)
	for i, j := range on {
		k.xx[i*n+i] += ridge
		if pivot := k.project(f, i); pivot > independent*k.xx[i*n+i] {
			f.append(j, f.x[:len(f.of)], pivot)
			k.part = append(k.part, i)
		}
	}
	w := k.step[:len(f.of)]
	for a, i := range k.part {
		w[a] = k.xy[i]
	}
	f.forward(w)
	f.back(w)
	clear(s.least)
	for a, j := range f.of {
		s.least[j] = w[a]
		if math.IsInf(w[a], 0) || w[a] != w[a] {
			return nil, fmt.Errorf("lasso: least squares: coefficient %d = %v, want finite", j, w[a])
		}
	}
	return s.least, nil
}
