package loss

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Selection returns the pair of picks of a range of epsilon each, one after the other, and then
// a Gaussian of mu, whose delta at epsilon it is given. account.SelectionEvent has the proof.
func Selection(epsilon float64, picks int, mu float64, delta func(epsilon, mu float64) float64) (Pair, error) {
	// Beyond the last point the curve counts as constant, which is below 1e-30.
	times := float64(picks)
	tail := float64(mu*mu/2) + float64(12*mu)
	ranges := times + tail/epsilon
	cells := int(min(64, max(1, min(math.Sqrt(3e7/(times*ranges)), 4e4/ranges)))) // in a range
	h := epsilon / float64(cells)
	if largest := float64(times*epsilon) + tail; largest > 300 {
		return Pair{}, fmt.Errorf("losses of up to %.4g, want <= 300: %w", largest, ErrUnsupported)
	}
	n := picks*cells + int(tail/h) + 2
	c := newSelectionCurve(n, h)
	for j := range n + 1 {
		c.set(j, min(1, delta(float64(j)*h, mu)*(1+1e-12)))
	}
	for range picks {
		c.choose(cells, epsilon)
	}
	return c.pair(), nil
}

// selectionCurve is a convex curve H by its values at x = e^(jh), j = -n to n, and chords between;
// it has H(0) = 1, is constant beyond the last point, and H(x) = 1 - x + x H(1/x), since both
// worlds may change places.
type selectionCurve struct {
	n    int
	h    float64
	x    []float64 // by j + n, and so on
	of   []float64
	next []float64
	base []float64 // chord j + n + 1 is base + slope x from point j to j + 1
	rise []float64
}

func newSelectionCurve(n int, h float64) *selectionCurve {
	c := &selectionCurve{n: n, h: h, x: make([]float64, 2*n+1), of: make([]float64, 2*n+1), next: make([]float64, n+1),
		base: make([]float64, 2*n+2), rise: make([]float64, 2*n+2)}
	for i := range c.x {
		c.x[i] = portable.Exp(float64(i-n) * h)
	}
	return c
}

// set sets H at point j >= 0, and at point -j.
func (c *selectionCurve) set(j int, v float64) {
	c.of[c.n+j] = v
	x := c.x[c.n-j]
	c.of[c.n-j] = min(1, 1-x+float64(x*v))
}

// connect computes the chords.
func (c *selectionCurve) connect() {
	last := 2*c.n + 1
	c.base[0], c.rise[0] = 1, (c.of[0]-1)/c.x[0]
	for i := range 2 * c.n {
		slope := (c.of[i+1] - c.of[i]) / (c.x[i+1] - c.x[i])
		c.base[i+1], c.rise[i+1] = c.of[i+1]-float64(slope*c.x[i+1]), slope
	}
	c.base[last], c.rise[last] = c.of[last-1], 0
}

// choose puts a choice of a range of so many cells before the rest.
//
// With u = e^t in a cell between two points, x/u and x e^r/u stay on a chord each, and what is to
// be maximised is K + A u + B/u. As the chords of a convex curve have bases that fall and slopes
// that rise, A and B are at most 0, and the maximum is at sqrt(B/A), or at the end of the cell next
// to it.
func (c *selectionCurve) choose(cells int, width float64) {
	c.connect()
	r := portable.Exp(-width)
	all := -portable.Expm1(-width)
	// A term is off by a few units in the last place, and by as many as its exponent for points of the
	// grid and for r.
	off := (32 + float64(8*float64(c.n)*c.h)) * roundoff
	for j := range c.n + 1 {
		x, most := c.x[c.n+j], 0.0
		for m := range cells {
			near, far := max(0, c.n+j-m), min(2*c.n+1, c.n+j+cells-m) // chords
			a, s, b, v := c.base[near], c.rise[near], c.base[far], c.rise[far]
			up, down := min(0, r*(b-a)), min(0, x*(s-v))
			lo, hi := c.x[c.n+m], c.x[c.n+m+1]
			u := lo
			if up < 0 {
				u = min(hi, max(lo, math.Sqrt(down/up)))
			} else {
				u = hi
			}
			k := a - float64(b*r) + float64(x*(v-float64(s*r)))
			size := float64(math.Abs(a)*(1+float64(r*hi))) + float64(r*math.Abs(b)*(1+hi)) +
				float64(x*math.Abs(s)*(r+1/lo)) + float64(x*math.Abs(v)*(1+1/lo))
			most = max(most, (k+float64(up*u)+down/u+float64(off*size))/all)
		}
		c.next[j] = min(1, most*(1+1e-12))
	}
	for j, v := range c.next {
		c.set(j, v)
	}
}

// pair returns the pair with this curve: the Q-mass of a point is the rise of the slope there.
func (c *selectionCurve) pair() Pair {
	c.connect()
	var p Pair
	for i := range 2*c.n + 1 {
		if j := i - c.n; j < 0 { // by symmetry, where the curve is near 1 and its slope near -1
			other := 2*c.n - i
			if mass := c.rise[other+1] - c.rise[other]; mass > 0 {
				p.atoms = append(p.atoms, lossAtom{float64(j) * c.h, mass})
			}
		} else if j == 0 {
			if mass := float64(2*c.rise[i+1]) + 1 - c.of[i]; mass > 0 {
				p.atoms = append(p.atoms, lossAtom{0, mass})
			}
		} else if mass := c.rise[i+1] - c.rise[i]; mass > 0 {
			p.atoms = append(p.atoms, lossAtom{float64(j) * c.h, float64(mass * c.x[i])})
		}
	}
	p.inf, p.unit = c.of[2*c.n], c.h
	return p.closed()
}
