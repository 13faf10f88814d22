package lasso

import (
	"math"
	"slices"
)

// working is the regression on a few coordinates, the working set, with its own copy of their sums.
type working struct {
	at   []int     // the coordinates, increasing
	w, q []float64 // coefficients; X'(y - X w)
	xy   []float64
	xx   []float64 // row-major

	part []int     // places of the factor's coordinates, in its order
	rest []int     // places of other coefficients that are not 0
	in   []bool    // whether the factor has a coordinate
	half []float64 // half of a Newton step, in the order of part
	step []float64 // all of it
}

// grow allocates for a working set of n coordinates.
func (k *working) grow(n int) {
	if n <= cap(k.at) {
		return
	}
	n += n / 2
	*k = working{make([]int, 0, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n),
		make([]int, 0, n), make([]int, 0, n), make([]bool, n), make([]float64, n), make([]float64, n)}
}

// read copies the sums and the coefficients of the working set.
func (k *working) read(s *sums, w []float64) {
	n := len(k.at)
	k.w, k.q, k.xy, k.in = k.w[:n], k.q[:n], k.xy[:n], k.in[:n]
	for i, j := range k.at {
		g := s.column(j)
		row := k.xx[i*n : (i+1)*n]
		for l, m := range k.at {
			row[l] = g[m]
		}
		k.w[i], k.xy[i] = w[j], s.xy[j]
	}
}

// correlate computes q from w.
func (k *working) correlate() {
	n := len(k.at)
	copy(k.q, k.xy)
	for i, v := range k.w {
		if v != 0 {
			subtract(k.q, v, k.xx[i*n:(i+1)*n])
		}
	}
}

// solve minimises n times the objective until the gap is at most target; or at most least, if the
// factor makes that cheap. It adds to sweeps, which may become most, and reports whether a
// coefficient has moved.
//
// A Newton step costs about a sweep, and what the factor needs before it. It comes after sweeps of
// that cost, or at once if warm says that the signs are likely to be right.
func (k *working) solve(f *factor, lambda, target, least, yy float64, warm bool, sweeps *int, most int) (moved bool) {
	k.correlate()
	if k.cost(f) <= 5 {
		target = least
	}
	if warm && target < 1e-6*yy {
		moved = k.newton(f, lambda)
		if k.gap(lambda, yy) <= target {
			return moved
		}
	}
	for since := 1.0; *sweeps < most; since++ {
		*sweeps++
		largest, active := k.sweep(lambda)
		moved = moved || largest > 0
		if k.gap(lambda, yy) <= target {
			return moved
		}
		if active > 0 && since >= k.cost(f) {
			since = 0
			if k.newton(f, lambda) {
				moved = true
			}
			if k.gap(lambda, yy) <= target {
				return moved
			}
		}
		if float64(largest*largest) <= 1e-32*yy { // rounding errors are all that moves
			return moved && largest > 0
		}
	}
	return moved
}

// cost returns about how many sweeps cost as much as bringing the factor to the coefficients that
// are not 0: half of one for each coordinate that comes or goes, or n/6 for n coordinates,
// whichever is less.
func (k *working) cost(f *factor) float64 {
	active, both := 0, 0
	for _, v := range k.w {
		if v != 0 {
			active++
		}
	}
	for _, j := range f.of {
		if i := k.place(j); i >= 0 && k.w[i] != 0 {
			both++
		}
	}
	return min(float64(active)/6, 0.5*float64(len(f.of)+active-2*both))
}

// place returns the place of a coordinate in the working set, or -1.
func (k *working) place(j int) int {
	i, found := slices.BinarySearch(k.at, j)
	if !found {
		return -1
	}
	return i
}

// sweep minimises over one coefficient after the other. It returns the largest change of a fitted
// value's norm and the number of coefficients that are not 0.
func (k *working) sweep(lambda float64) (largest float64, active int) {
	n := len(k.at)
	for i := range n {
		row := k.xx[i*n : (i+1)*n]
		g := row[i]
		if !(g > 0) {
			continue
		}
		old := k.w[i]
		z := k.q[i] + float64(g*old)
		v := 0.0
		if z > lambda {
			v = (z - lambda) / g
		} else if z < -lambda {
			v = (z + lambda) / g
		}
		if v != 0 {
			active++
		}
		if delta := v - old; delta != 0 {
			k.w[i] = v
			subtract(k.q, delta, row)
			largest = max(largest, math.Abs(delta)*math.Sqrt(g))
		}
	}
	return largest, active
}

// newton moves to the minimum over the coefficients that are not 0, while their signs last: at the
// first that would change its sign, it drops that coefficient and goes on with the others. It
// reports whether it has moved.
//
// The coefficient of a column that is a combination of the others, up to rounding, stays where it
// is. But if the gradient says that exchanging it for the others pays, a step goes a long way in
// that direction, until a coefficient becomes 0.
func (k *working) newton(f *factor, lambda float64) (moved bool) {
	k.prepare(f, lambda)
	for range len(k.at) {
		m := len(f.of)
		if m == 0 {
			break
		}

		copy(k.step[:m], k.half)
		last := k.exchange(f, lambda)
		f.back(k.step[:m])
		length, first := 1.0, -1
		for a, i := range k.part[:last] {
			if v := k.w[i] + k.step[a]; v == 0 || v > 0 != (k.w[i] > 0) {
				if t := -k.w[i] / k.step[a]; t < length || first < 0 {
					length, first = t, a
				}
			}
		}
		for a, i := range k.part[:last] {
			if v := float64(length * k.step[a]); v != 0 {
				k.w[i] += v
				moved = true
			}
		}
		if first < 0 {
			break
		}
		k.w[k.part[first]] = 0
		if len(k.rest) > 0 {
			k.correlate()
			k.prepare(f, lambda)
			continue
		}
		for a := range k.half { // all slopes become 0 together
			k.half[a] = float64(k.half[a] * (1 - length))
		}
		k.half = f.remove(first, k.half)
		k.part = slices.Delete(k.part, first, first+1)
	}
	k.correlate()
	for _, i := range k.part {
		if len(k.rest) == 0 && math.Abs(k.slope(i, lambda)) > 1e-6*lambda {
			f.clear() // rounding errors have spoilt it
			break
		}
	}
	return moved
}

// prepare aligns the factor and computes half of its step, R'^-1 times the slopes.
func (k *working) prepare(f *factor, lambda float64) {
	k.align(f)
	k.half = k.half[:len(f.of)]
	for a, i := range k.part {
		k.half[a] = k.slope(i, lambda)
	}
	f.forward(k.half)
}

// slope returns minus the derivative by a coefficient that is not 0.
func (k *working) slope(i int, lambda float64) float64 {
	return k.q[i] - math.Copysign(lambda, k.w[i])
}

// align brings the factor to the coefficients that are not 0, as many as have independent columns.
// It lists their places in part, in the factor's order, and then the others'.
func (k *working) align(f *factor) {
	n := len(k.at)
	if 2*k.cost(f) > float64(len(f.of)) {
		f.clear()
	}
	f.grow(n + 1)
	k.part = k.part[:0]
	clear(k.in)
	for a := len(f.of) - 1; a >= 0; a-- {
		i := k.place(f.of[a])
		if i < 0 || k.w[i] == 0 {
			f.remove(a, nil)
			continue
		}
		k.in[i] = true
		k.part = append(k.part, i)
	}
	slices.Reverse(k.part)
	k.rest = k.rest[:0]
	for i, v := range k.w {
		if v == 0 || k.in[i] {
			continue
		}
		if pivot := k.project(f, i); pivot > independent*k.xx[i*n+i] {
			f.append(k.at[i], f.x[:len(f.of)], pivot)
			k.part = append(k.part, i)
		} else {
			k.rest = append(k.rest, i)
		}
	}
}

// project projects the column of a coordinate on those of the factor; the result is in f.x.
func (k *working) project(f *factor, i int) (pivot float64) {
	n := len(k.at)
	g := f.x[:len(f.of)]
	for a, l := range k.part[:len(g)] {
		g[a] = k.xx[i*n+l]
	}
	return f.project(g, k.xx[i*n+i])
}

// exchange looks for a coefficient outside the factor that has a slope, given that the others step
// by R^-1 step. If there is one, it moves it to part[m] and its step to step[m], changes the
// others' steps accordingly, and returns m + 1.
func (k *working) exchange(f *factor, lambda float64) int {
	m, n := len(f.of), len(k.at)
	step := k.step[:m]
	for _, i := range k.rest {
		pivot := k.project(f, i)
		slope := k.slope(i, lambda) - dot(f.x[:m], step)
		if math.Abs(slope) <= 1e-12*lambda {
			continue
		}
		v := slope / max(pivot, 1e-14*k.xx[i*n+i])
		subtract(step, v, f.x[:m])
		k.part, k.step[m] = append(k.part[:m], i), v
		return m + 1
	}
	return m
}

// dot returns <a, b[:len(a)]> by four sums, which need not wait for each other.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s, t, u, v float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s += float64(x[0] * y[0])
		t += float64(x[1] * y[1])
		u += float64(x[2] * y[2])
		v += float64(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s += float64(a[i] * b[i])
	}
	return (s + t) + (u + v)
}

// gap returns the duality gap of the working set's problem.
func (k *working) gap(lambda, yy float64) float64 {
	most := 0.0
	f := fit{whole: yy, rest: yy}
	for i, v := range k.w {
		if k.xx[i*len(k.at)+i] > 0 {
			most = max(most, math.Abs(k.q[i]))
		}
		if v != 0 {
			f.add(v, k.q[i], k.xy[i])
		}
	}
	gap, _ := f.gap(lambda, most)
	return gap
}

// fit sums up what the duality gap is made of.
type fit struct {
	whole float64 // |y|^2
	rest  float64 // |r|^2, r = y - X w
	norm  float64 // |w|_1
	along float64 // w'X'r
}

// add takes in a coefficient w, with its entries q of X'r and c of X'y.
func (f *fit) add(w, q, c float64) {
	f.rest -= float64(w * (c + q))
	f.norm += math.Abs(w)
	f.along += float64(w * q)
}

// gap returns the duality gap at the dual point scale r/lambda, the best multiple of r with |X' r|
// scale <= lambda, where most is the largest entry of |X' r|:
//
//	|r|^2 (1 - scale)^2/2 + lambda |w|_1 - scale w'X'r.
//
// Neither |y|^2 nor any other large number cancels in it.
func (f *fit) gap(lambda, most float64) (gap, scale float64) {
	if f.rest < -1e-6*f.whole || f.rest != f.rest { // of sums that no rows have
		return math.Inf(1), 1
	}
	rest := max(0, f.rest)
	scale = 1
	if rest > 0 {
		scale = 1 + f.along/rest
	}
	if float64(scale*most) > lambda {
		scale = lambda / most
	}
	return float64(0.5*rest*float64((1-scale)*(1-scale))) + max(0, float64(lambda*f.norm)-float64(scale*f.along)), scale
}
