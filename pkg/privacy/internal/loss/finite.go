package loss

import (
	"fmt"
	"math"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Discrete returns the pair of two distributions on one finite set, P(i) = p[i] and Q(i) =
// q[i], in either order. Its curve is the pointwise maximum of those of (P, Q) and (Q, P). That is
// the curve of a pair, since it is convex and 1 at x = 0. Masses must sum to 1, to 1e-9; what P
// lacks counts as an infinite loss, and what Q has in excess is taken from it.
func Discrete(p, q []float64) (Pair, error) {
	if len(p) == 0 || len(p) != len(q) {
		return Pair{}, fmt.Errorf("privacy: %d masses under P, %d under Q, want as many and at least 1", len(p), len(q))
	}
	for _, side := range [][]float64{p, q} {
		sum := 0.0
		for i, v := range side {
			if !(v >= 0) {
				return Pair{}, fmt.Errorf("privacy: mass[%d] = %v, want >= 0", i, v)
			}
			sum += v
		}
		if !(math.Abs(sum-1) <= 1e-9) {
			return Pair{}, fmt.Errorf("privacy: masses sum to %v, want 1", sum)
		}
	}
	a, b := lossesOf(p, q), lossesOf(q, p)
	if !sameLaw(a, b) {
		a = higher(a, b)
	}
	return a.closed(), nil
}

func lossesOf(p, q []float64) Pair {
	var x Pair
	all, excess := 0.0, 0.0
	for i := range p {
		all, excess = all+p[i], excess+q[i]
	}
	rounding := float64(float64(len(p)) * 0x1p-52)
	if all < 1-rounding {
		x.inf = 1 - all
	}
	if excess < 1+rounding {
		excess = 1
	}
	for i := range p {
		switch {
		case p[i] == 0:
		case q[i] == 0 || math.IsInf(p[i]/q[i], 1):
			x.inf += p[i]
		default:
			x.atoms = append(x.atoms, lossAtom{portable.Log(p[i] / q[i] * excess), p[i]})
		}
	}
	return x.closed()
}

func sameLaw(a, b Pair) bool {
	if len(a.atoms) != len(b.atoms) || math.Abs(a.inf-b.inf) > 1e-15 {
		return false
	}
	for i, u := range a.atoms {
		v := b.atoms[i]
		if math.Abs(u.loss-v.loss) > 1e-15*(1+math.Abs(u.loss)) || math.Abs(u.p-v.p) > 1e-15*u.p {
			return false
		}
	}
	return true
}

// higher returns the pair whose curve is the pointwise maximum of two piecewise linear ones.
// Between knots each curve is a line, so the larger one changes only at a knot or at one crossing
// between two. The Q-mass of a knot is the rise of the slope there.
func higher(a, b Pair) Pair {
	var knots []float64
	for _, x := range []Pair{a, b} {
		for _, v := range x.atoms {
			knots = append(knots, portable.Exp(v.loss))
		}
	}
	sort.Float64s(knots)
	// line returns the curve at x and its slope to the right of it.
	line := func(c Pair, x float64) (value, slope float64) {
		value = c.inf
		for i := len(c.atoms) - 1; i >= 0; i-- {
			v := c.atoms[i]
			e := portable.Exp(v.loss)
			if e <= x {
				break
			}
			value += float64(v.p * (1 - x/e))
			slope -= v.p / e
		}
		return value, slope
	}
	out := Pair{inf: math.Max(a.inf, b.inf)}
	last := math.NaN() // slope up to here
	step := func(x, slope float64) {
		if rise := slope - last; x > 0 && rise > 0 {
			out.atoms = append(out.atoms, lossAtom{portable.Log(x), rise * x})
		}
		last = slope
	}
	points := append([]float64{0}, knots...)
	for i, x := range points {
		if i > 0 && x == points[i-1] {
			continue
		}
		va, sa := line(a, x)
		vb, sb := line(b, x)
		if vb > va || (vb == va && sb > sa) {
			va, sa, vb, sb = vb, sb, va, sa
		}
		if i == 0 {
			last = sa
		}
		step(x, sa)
		next := math.Inf(1)
		for _, y := range points[i+1:] {
			if y > x {
				next = y
				break
			}
		}
		if cross := x + (va-vb)/(sb-sa); sb > sa && cross > x && cross < next {
			step(cross, sb)
		}
	}
	return out
}
