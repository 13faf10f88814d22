package loss

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// grid gathers the tilted masses of a law on a grid before they are made a bound. Cell j lies
// between the knots j and j+1; a and b are what the connect-the-dots rule puts at its ends, and on
// is what lies on a knot.
type grid struct {
	h, theta float64
	off      int
	a, b, on []float64
}

func newGrid(h, theta, from, to float64) *grid {
	off := int(math.Floor(from/h)) - 1
	n := int(math.Ceil(to/h)) + 1 - off
	return &grid{h: h, theta: theta, off: off, a: make([]float64, n), b: make([]float64, n), on: make([]float64, n+1)}
}

// add puts an atom of tilted mass w at loss l. It returns how far it moved the atom.
func (g *grid) add(l, w float64) (moved float64) {
	x := l / g.h
	k := math.Round(x)
	if math.Abs(x-k) <= 1e-9 {
		g.on[int(k)-g.off] += w
		return math.Abs(l - float64(k*g.h))
	}
	k = math.Floor(x)
	t := portable.Expm1(float64(k*g.h)-l) / portable.Expm1(-g.h)
	j := int(k) - g.off
	g.a[j] += float64(w * (1 - t) * portable.Exp(g.theta*(float64(k*g.h)-l)))
	g.b[j] += float64(w * t * portable.Exp(g.theta*(float64((k+1)*g.h)-l)))
	return 0
}

// law discretises a pair on the grid of spacing h. The curve of the result lies above the pair's
// curve if upper is set, and otherwise below it.
//
// The bound above connects the dots (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the
// dots: tighter discrete approximations of privacy loss distributions", 2022, Sec. 4). A cell
// between a = e^{ih} and b = e^{(i+1)h} with P-mass p and Q-mass q is split between its ends such
// that both masses stay: (p - a q)/(b - a) of Q goes to b, and e^loss times that of P.
func (x Pair) law(h float64, upper bool) law {
	from, to := x.from, x.to
	if n := len(x.atoms); n > 0 {
		if x.part == nil {
			from, to = x.atoms[0].loss, x.atoms[n-1].loss
		}
		from, to = math.Min(from, x.atoms[0].loss), math.Max(to, x.atoms[n-1].loss)
	}
	g := newGrid(h, 0, from, to)
	shift, lost := 0.0, x.lost
	for _, v := range x.atoms {
		shift = math.Max(shift, g.add(v.loss, v.p))
	}
	side := -1.0
	if upper {
		side = 1
	}
	if x.part != nil {
		part := x.part()
		below, above := float64(g.off)*h, float64(g.off+len(g.a))*h
		p, _, _, _ := part(math.Inf(-1), below)
		g.on[0] += float64(p * (1 + side) / 2)
		p, _, _, _ = part(above, math.Inf(1))
		lost += p
		for j := range g.a {
			a := float64(float64(g.off+j) * h)
			p, share, rel, off := part(a, a+h)
			if p <= 0 {
				continue
			}
			// This is the fraction of p at b. Rounding moves it, so it is rounded to the safe side.
			t := (1 - share + float64(side*off)) / -portable.Expm1(-h)
			t = math.Min(1, math.Max(0, t))
			p *= 1 + float64(side*rel)
			g.a[j] += float64(p * (1 - t))
			g.b[j] += float64(p * t)
		}
	}
	out := g.law(upper)
	out.inf, out.shift = x.inf, shift
	if upper {
		out.inf += lost
	}
	return out
}

// law makes the gathered masses a law whose curve lies above the truth or below it.
//
// For a bound below, the curve's values at the knots are lowered and joined by lines. Within a cell
// the curve lies above its tangents at both ends. These meet at m = p/q, below the chord by e = Q_a
// Q_b (b-a)/(Q_a+Q_b), where Q_a and Q_b are the masses above. The knots are lowered by r, such
// that r interpolated at m is at least e in each cell; that gives a curve below the truth, of which
// the lower convex envelope is taken. No knot is lowered below the line 1 - x or below 0, which the
// curve does not cross.
func (g *grid) law(upper bool) law {
	n := len(g.on)
	out := law{h: g.h, theta: g.theta, off: g.off, w: make([]float64, n)}
	for i := range out.w {
		out.w[i] = g.on[i]
		if i < n-1 {
			out.w[i] += g.a[i]
		}
		if i > 0 {
			out.w[i] += g.b[i-1]
		}
	}
	if !upper {
		g.lower(&out)
	}
	out.normalise()
	return out
}

func (g *grid) lower(out *law) {
	n := len(g.on)
	// Tilted values are relative to their own knot. up is the step from one knot to the next.
	up := portable.Exp(g.theta * g.h)
	e, lambda := make([]float64, n-1), make([]float64, n-1)
	any := false
	for j := range e {
		a, b := g.a[j], float64(g.b[j]/up*portable.Exp(-g.h))
		if a > 0 && b > 0 {
			any = true
			lambda[j] = b / (a + b)
			e[j] = (1 - lambda[j]) * b * portable.Expm1(g.h) * (1 + 1e-12)
		}
	}
	if !any {
		return
	}
	r, most := make([]float64, n), g.room(out.w)
	for i := range r {
		if i < n-1 {
			r[i] = e[i]
		}
		if i > 0 {
			r[i] = math.Max(r[i], e[i-1]*up)
		}
		r[i] = math.Min(r[i], most[i])
	}
	// A knot with less room than its cell asks for leaves the rest to the other end.
	for j := range e {
		if need := (e[j] - float64((1-lambda[j])*r[j])) / lambda[j] * up; e[j] > 0 && r[j+1] < need {
			r[j+1] = math.Min(need, most[j+1])
		}
	}
	for j := n - 2; j >= 0; j-- {
		if need := (e[j] - lambda[j]*r[j+1]/up) / (1 - lambda[j]); e[j] > 0 && r[j] < need {
			r[j] = math.Min(need, most[j])
		}
	}
	for j := range e {
		if float64((1-lambda[j])*r[j])+lambda[j]*r[j+1]/up < e[j]*(1-1e-9) {
			// Both ends are out of room, on either side of the kink of (1 - x)+. Then all losses go down to
			// the knot below them, which is accurate to first order only, but rare.
			for i := range out.w {
				out.w[i] = g.on[i]
				if i < n-1 {
					out.w[i] += g.a[i] + g.b[i]/up
				}
			}
			return
		}
	}
	// These are e^{l_i} over the widths of the cells to the right and left.
	right, left := 1/portable.Expm1(g.h), -1/portable.Expm1(-g.h)
	for i := range out.w {
		out.w[i] += float64(r[i] * (left + right))
		if i < n-1 {
			out.w[i] -= float64(r[i+1] / up * right)
		}
		if i > 0 {
			out.w[i] -= float64(r[i-1] * up * left)
		}
	}
	g.envelope(out)
}

// room returns how far the curve of a law lies above the larger of 0 and its own tangent at x = 0,
// at each knot, tilted.
func (g *grid) room(w []float64) []float64 {
	n := len(w)
	most := make([]float64, n)
	up, d := portable.Exp(g.theta*g.h), portable.Exp(-g.h)
	var curve, above float64
	for i := n - 2; i >= 0; i-- {
		curve = (float64(curve*d) + float64((above+w[i+1])*-portable.Expm1(-g.h))) / up
		above = (above + w[i+1]) / up
		most[i] = curve
	}
	var under, below float64
	for i := 1; i < n; i++ {
		below = (below + w[i-1]) * up
		under = under*up/d + float64(below*portable.Expm1(g.h))
		most[i] = math.Min(most[i], under)
	}
	most[0] = 0
	return most
}

// envelope removes the knots of negative mass, where the curve is concave. Their mass goes to the
// knots on either side, in the proportions that keep P- and Q-mass.
func (g *grid) envelope(out *law) {
	var kept []int
	w := out.w
	for i := range w {
		kept = append(kept, i)
		for len(kept) > 0 {
			last := len(kept) - 1
			k := kept[last]
			if w[k] >= 0 {
				break
			}
			kept = kept[:last]
			if i+1 == len(w) { // by rounding only: the last knot has none on its right
				out.err -= w[k]
				w[k] = 0
				break
			}
			right, t := float64(float64(i+1-k)*g.h), 1.0
			if last > 0 {
				j := kept[last-1]
				left := float64(float64(k-j) * g.h)
				t = portable.Expm1(-left) / portable.Expm1(-left-right)
				w[j] += float64(w[k] * (1 - t) * portable.Exp(-g.theta*left))
			}
			w[i+1] += float64(w[k] * t * portable.Exp(g.theta*right))
			w[k] = 0
		}
	}
}
