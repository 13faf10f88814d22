package lasso

import (
	"math"
	"slices"
)

// jump moves to the minimum over the support and what violators has found, given their signs, in
// one step: with s the signs, w = (X'X)^-1 (X'y - lambda s). Where a coefficient would change its
// sign, it stops at the first that does, drops it, and goes on with the others; a coordinate that
// violators has found is dropped at once if it does not move away from 0 in its own direction.
//
// It is for few changes: if the factor needs more than 16, or if columns are not independent, it
// does nothing. It reports whether w has changed.
func (s *Solver) jump() (moved bool) {
	f := &s.factor
	if !s.join() {
		return false
	}
	s.sweeps++
	f.half = f.half[:len(f.of)]
	for a, j := range f.of {
		f.half[a] = s.xy[j] - float64(s.lambda*f.sign[a])
	}
	f.forward(f.half)
	for len(f.of) > 0 {
		f.step = append(f.step[:0], f.half...)
		f.back(f.step)
		length, first, finite := 1.0, -1, true
		for a, v := range f.step {
			finite = finite && v-v == 0
			if v == 0 || v > 0 != (f.sign[a] > 0) {
				w := s.w[f.of[a]]
				if t := w / (w - v); first < 0 || t < length {
					length, first = t, a
				}
			}
		}
		if !finite {
			break
		}
		for a, j := range f.of {
			w := s.w[j]
			if first < 0 {
				s.w[j] = f.step[a]
			} else if v := float64(length * (f.step[a] - w)); v != 0 {
				s.w[j] = w + v
			}
			moved = moved || s.w[j] != w
		}
		if first < 0 {
			break
		}
		s.w[f.of[first]] = 0
		f.half = f.remove(first, f.half)
	}
	s.support = s.support[:0]
	for _, j := range f.of {
		if s.w[j] != 0 {
			s.support = append(s.support, j)
		}
	}
	slices.Sort(s.support)
	return moved
}

// join brings the factor to the support and what violators has found, with their signs. It reports
// whether that is done.
func (s *Solver) join() bool {
	const most = 16 // changes
	f, size, kept := &s.factor, len(s.support)+len(s.found), 0
	for _, j := range f.of {
		if s.w[j] != 0 {
			kept++
		}
	}
	if size-kept > most || len(f.of)-kept > most {
		return false
	}
	f.grow(size)
	for a := len(f.of) - 1; a >= 0; a-- {
		j := f.of[a]
		if s.w[j] == 0 {
			f.remove(a, nil)
			continue
		}
		s.in[j], f.sign[a] = true, math.Copysign(1, s.w[j])
	}
	whole := true
	for _, list := range [2][]int{s.support, s.found} {
		for _, j := range list {
			if s.in[j] {
				s.in[j] = false
				continue
			}
			m := len(f.of)
			g, column := f.x[:m], s.column(j)
			for a, k := range f.of {
				g[a] = column[k]
			}
			pivot := f.project(g, s.square[j])
			if !(pivot > independent*s.square[j]) {
				whole = false
				continue
			}
			f.append(j, g, pivot)
			if f.sign[m] = math.Copysign(1, s.w[j]); s.w[j] == 0 {
				f.sign[m] = math.Copysign(1, s.q[j])
			}
		}
	}
	return whole
}
