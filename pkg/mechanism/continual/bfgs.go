package continual

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// minimise returns a point where a smooth function of a few variables is least, searching from x.
//
// It is BFGS with the bisection of Lewis and Overton ("Nonsmooth optimization via quasi-Newton
// methods", 2013) for the weak Wolfe conditions. Gradients are central differences. All sums are in
// a fixed order, so that every machine finds the same point. An objective of NaN or +Inf counts as
// worse than any number.
func minimise(f func([]float64) float64, x []float64) []float64 {
	const (
		iterations, bisections = 200, 40
		flat                   = 1e-6 // the largest component of a gradient that ends the search
		decrease, curvature    = 1e-4, 0.9
	)
	n := len(x)
	x = append([]float64(nil), x...)
	at := append([]float64(nil), x...)
	gradient := func(dst, x []float64) {
		const h = 1e-5
		copy(at, x)
		for i, v := range x {
			at[i] = v + h
			above := f(at)
			at[i] = v - h
			dst[i] = (above - f(at)) / (2 * h)
			at[i] = v
		}
	}
	inverse := make([][]float64, n) // the inverse of the Hessian
	for i := range inverse {
		inverse[i] = make([]float64, n)
	}
	restart := func(scale float64) {
		for i, row := range inverse {
			clear(row)
			row[i] = scale
		}
	}
	g, next, direction := make([]float64, n), make([]float64, n), make([]float64, n)
	there, move, turn := make([]float64, n), make([]float64, n), make([]float64, n)
	value := f(x)
	gradient(g, x)
	restart(1 / math.Max(1, math.Sqrt(packed.Dot(g, g))))
	for first, tries := true, 0; tries < iterations; tries++ {
		most := 0.0
		for _, v := range g {
			most = math.Max(most, math.Abs(v))
		}
		if !(most >= flat) {
			break
		}
		for i, row := range inverse {
			direction[i] = -packed.Dot(row, g)
		}
		slope := packed.Dot(direction, g)
		lo, hi, step, found := 0.0, math.Inf(1), 1.0, false
		var reached float64
		for range bisections {
			for i, v := range direction {
				there[i] = x[i] + float64(step*v)
			}
			reached = f(there)
			if !(reached <= value+float64(decrease*step*slope)) {
				hi = step
			} else if gradient(next, there); packed.Dot(next, direction) < curvature*slope {
				lo = step
			} else {
				found = true
				break
			}
			if step = 2 * lo; !math.IsInf(hi, 1) {
				step = (lo + hi) / 2
			}
		}
		if !found || !(slope < 0) { // no more to gain in the rounding, but perhaps downhill
			if first {
				break
			}
			restart(1 / math.Max(1, math.Sqrt(packed.Dot(g, g))))
			first = true
			continue
		}
		for i := range x {
			move[i], turn[i] = there[i]-x[i], next[i]-g[i]
			x[i], g[i] = there[i], next[i]
		}
		value = reached
		bend := packed.Dot(move, turn) // > 0 by the second condition
		if first {
			restart(bend / packed.Dot(turn, turn))
			first = false
		}
		for i, row := range inverse {
			at[i] = packed.Dot(row, turn)
		}
		factor := (1 + packed.Dot(turn, at)/bend) / bend
		for i, row := range inverse {
			for j := range row {
				row[j] += float64(factor*move[i]*move[j]) - float64(at[i]*move[j])/bend - float64(move[i]*at[j])/bend
			}
		}
	}
	return x
}
