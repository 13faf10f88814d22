package lasso

import "math"

// working is the regression on a few coordinates, the working set, with its own copy of their sums.
type working struct {
	at   []int     // the coordinates, increasing
	w, q []float64 // coefficients; X'(y - X w)
	xy   []float64
	xx   []float64 // row-major

	part   []int     // places of the coefficients that are not 0
	step   []float64 // their Newton step
	factor []float64 // of the Cholesky decomposition of their sums, row-major
}

// grow allocates for a working set of n coordinates.
func (k *working) grow(n int) {
	if n <= cap(k.at) {
		return
	}
	n += n / 2
	*k = working{make([]int, 0, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n),
		make([]int, 0, n), make([]float64, n), make([]float64, n*n)}
}

// read copies the sums and the coefficients of the working set.
func (k *working) read(s *sums, w []float64) {
	n := len(k.at)
	k.w, k.q, k.xy = k.w[:n], k.q[:n], k.xy[:n]
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

// solve minimises n times the objective until the gap is at most target. It adds to sweeps, which
// may become most, and reports whether a coefficient has moved.
//
// A Newton step costs about n/6 sweeps for n coefficients that are not 0. It comes after as many, or
// at once if the target is small and warm says that the signs are likely to be right.
func (k *working) solve(lambda, target, yy float64, warm bool, sweeps *int, most int) (moved bool) {
	k.correlate()
	soon := warm && target < 1e-6*yy
	for since := 1; *sweeps < most; since++ {
		*sweeps++
		largest, active, stable := k.sweep(lambda)
		moved = moved || largest > 0
		if k.gap(lambda, yy) <= target {
			return moved
		}
		if stable && active > 0 && (soon || 6*since >= active) {
			since = 0
			if k.newton(lambda) {
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

// sweep minimises over one coefficient after the other. It returns the largest change of a fitted
// value's norm, the number of coefficients that are not 0, and whether these are the same as
// before, with the same signs.
func (k *working) sweep(lambda float64) (largest float64, active int, stable bool) {
	n := len(k.at)
	stable = true
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
			stable = stable && v != 0 && old != 0 && v > 0 == (old > 0)
		}
	}
	return largest, active, stable
}

// newton moves to the minimum over the coefficients that are not 0, while their signs last: at the
// first that would change its sign, it drops that coefficient and goes on with the others. It
// reports whether it has moved.
func (k *working) newton(lambda float64) (moved bool) {
	for range len(k.at) {
		m := k.decompose(lambda)
		k.back(m)
		length, first := 1.0, -1
		for a, i := range k.part[:m] {
			if v := k.w[i] + k.step[a]; v == 0 || v > 0 != (k.w[i] > 0) {
				if t := -k.w[i] / k.step[a]; t < length || first < 0 {
					length, first = t, a
				}
			}
		}
		for a, i := range k.part[:m] {
			if v := float64(length * k.step[a]); v != 0 {
				k.w[i] += v
				moved = true
			}
			if a == first {
				k.w[i] = 0
			}
		}
		k.correlate()
		if first < 0 {
			break
		}
	}
	return moved
}

// decompose lists the coefficients that are not 0 in part, computes the Cholesky factor of the sums
// of as many as are independent, brings these to the front and returns their number. step becomes
// the factor's inverse times minus the gradient.
//
// The coefficient of a column that is a combination of the others, up to rounding, stays where it
// is. But if the gradient says that exchanging it for the others pays, it comes last, so that the
// step goes a long way in that direction, until a coefficient becomes 0.
func (k *working) decompose(lambda float64) (m int) {
	n := len(k.at)
	k.part = k.part[:0]
	for i, v := range k.w {
		if v != 0 {
			k.part = append(k.part, i)
		}
	}
	m = k.independent(lambda)
	for a, i := range k.part[m:] {
		pivot, slope := k.eliminate(m, i, lambda)
		if math.Abs(slope) <= 1e-12*lambda {
			continue
		}
		root := math.Sqrt(max(pivot, 1e-14*k.xx[i*n+i]))
		k.factor[m*n+m], k.step[m] = root, slope/root
		k.part[m+a], k.part[m] = k.part[m], i
		return m + 1
	}
	return m
}

// independent brings the coefficients of part with independent columns to its front, with their
// rows of the factor, and returns their number.
func (k *working) independent(lambda float64) (m int) {
	n := len(k.at)
	for a, i := range k.part {
		pivot, slope := k.eliminate(m, i, lambda)
		if !(pivot > 1e-10*k.xx[i*n+i]) {
			continue
		}
		root := math.Sqrt(pivot)
		k.factor[m*n+m], k.step[m] = root, slope/root
		k.part[a], k.part[m] = k.part[m], i
		m++
	}
	return m
}

// back multiplies step by the inverse of the factor's transpose.
func (k *working) back(m int) {
	for a := m - 1; a >= 0; a-- {
		row := k.factor[a*len(k.at):]
		v := k.step[a] / row[a]
		k.step[a] = v
		for b, f := range row[:a] {
			k.step[b] -= float64(f * v)
		}
	}
}

// eliminate computes row m of the factor for coefficient i, and returns what the rows before leave
// of its diagonal entry and of minus its gradient.
func (k *working) eliminate(m, i int, lambda float64) (pivot, slope float64) {
	n := len(k.at)
	row := k.factor[m*n : m*n+m]
	pivot, slope = k.xx[i*n+i], k.q[i]-math.Copysign(lambda, k.w[i])
	for b := range row {
		other := k.factor[b*n : b*n+b+1]
		sum := (k.xx[i*n+k.part[b]] - dot(other[:b], row)) / other[b]
		row[b] = sum
		pivot -= float64(sum * sum)
		slope -= float64(sum * k.step[b])
	}
	return pivot, slope
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
