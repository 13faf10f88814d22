package design

import "math"

// reduce drops arms until at most so many have a weight.
//
// Among more than m(m+1)/2 arms there are numbers c, not all 0, with sum c_a a a^T = 0. Adding a
// multiple of c to the weights leaves V as it is; the sign is the one that does not increase their
// sum, and the multiple the one that makes a first weight 0. Dividing by the new sum increases V,
// which decreases every g.
func (o *Finder) reduce(most int) {
	for len(o.core) > most {
		c := o.dependence(o.core[:most+1], most)
		var total float64
		for _, v := range c {
			total += v
		}
		sign := 1.0
		if total > 0 {
			sign = -1
		}
		first, step := 0, math.Inf(1)
		for i, v := range c {
			if v *= sign; v < 0 && o.weight[o.core[i]]/-v < step {
				first, step = i, o.weight[o.core[i]]/-v
			}
		}
		for i, v := range c {
			w := &o.weight[o.core[i]]
			*w = max(0, *w+float64(step*sign*v))
		}
		o.weight[o.core[first]] = 0
		o.core = append(o.core[:first], o.core[first+1:]...)
	}
}

// dependence returns numbers c, not all 0, with sum c_i a_i a_i^T = 0, for one arm more than such a
// matrix has entries, by Gaussian elimination with full pivoting.
func (o *Finder) dependence(arms []int, entries int) []float64 {
	n := len(arms)
	if cap(o.matrix) < entries*n {
		o.matrix, o.null = make([]float64, entries*n), make([]float64, n)
	}
	a, c := o.matrix[:entries*n], o.null[:n]
	order := make([]int, n)
	for j, arm := range arms {
		order[j] = j
		z := o.Coordinates(arm)
		row := 0
		for i, x := range z {
			for _, y := range z[:i+1] {
				a[row*n+j] = x * y
				row++
			}
		}
	}
	pivots := 0
	for ; pivots < entries; pivots++ {
		row, column, largest := pivots, pivots, 0.0
		for i := pivots; i < entries; i++ {
			for j := pivots; j < n; j++ {
				if v := math.Abs(a[i*n+j]); v > largest {
					row, column, largest = i, j, v
				}
			}
		}
		if largest < 1e-14 {
			break
		}
		for j := range n {
			a[pivots*n+j], a[row*n+j] = a[row*n+j], a[pivots*n+j]
		}
		for i := range entries {
			a[i*n+pivots], a[i*n+column] = a[i*n+column], a[i*n+pivots]
		}
		order[pivots], order[column] = order[column], order[pivots]
		for i := range entries {
			if i == pivots || a[i*n+pivots] == 0 {
				continue
			}
			by := a[i*n+pivots] / a[pivots*n+pivots]
			for j := pivots; j < n; j++ {
				a[i*n+j] -= float64(by * a[pivots*n+j])
			}
		}
	}
	clear(c)
	c[order[pivots]] = 1
	for i := range pivots {
		c[order[i]] = -a[i*n+pivots] / a[i*n+i]
	}
	return c
}
