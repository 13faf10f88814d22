package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// SelectionEvent is a number of choices of bounded range, one after the other, and then a Gaussian
// release; each may depend on all that came before. It costs what the worst adversary achieves, who
// chooses each mechanism by the outputs so far. The composition of the same choices as
// ExponentialEvents costs more: it grants the adversary the worst response for each epsilon of the
// curve at once.
//
// Let H_0(x) be the curve of the Gaussian: delta at epsilon = ln x. In general, h_0(a, b) = a
// H_0(b/a) is what is left to gain when the outputs so far have probability a in one world and b in
// the other. A choice (P, Q) before it turns this into the sum of h_0(a P(o), b Q(o)) over its
// outputs o. Its losses lie in [t - r, t] for some t in [0, r], where r = Epsilon. Split each
// output into two with the losses t and t - r and the same masses in both worlds: the sum does not
// fall, as h_0 is convex and homogeneous. So the response of two outputs with these losses is worst
// for its t (Dong, Durfee and Rogers 2020), and
//
//	H_1(x) = max over t of p H_0(x e^-t) + (1-p) H_0(x e^(r-t)),  p = (1 - e^(t-r))/(1 - e^-r).
//
// h_1 is convex and homogeneous as well. By induction, H_k is what k choices before the Gaussian
// are worth, exactly, and no pair with a lower curve dominates them. (The maximum may be at another
// t for each x and each step, so it is no composition of fixed pairs.)
//
// Pair computes on a grid of x, e^h apart, with chords between the points. H_0 is convex, so chords
// are above it; the maximum over t for chords has a closed form; and this maximum is convex in x
// again. So the result is an upper bound. Rounding errors are charged in each step.
type SelectionEvent struct {
	Epsilon float64 // bounded range of a choice
	Picks   int     // choices, in [1, 4096]
	Mu      float64 // of the Gaussian, >= 0
}

var _ LossEvent = SelectionEvent{}

func (e SelectionEvent) String() string {
	return fmt.Sprintf("%d choices of range %.4g, then a Gaussian of mu = %.4g", e.Picks, e.Epsilon, e.Mu)
}

// Validate returns an error unless all fields are in their ranges.
func (e SelectionEvent) Validate() error {
	switch {
	case !(e.Epsilon >= 1e-9 && e.Epsilon <= 100):
		return fmt.Errorf("privacy: SelectionEvent.Epsilon = %v, want in [1e-9, 100]", e.Epsilon)
	case e.Picks < 1 || e.Picks > mostAdaptive:
		return fmt.Errorf("privacy: SelectionEvent.Picks = %d, want in [1, %d]", e.Picks, mostAdaptive)
	case !(e.Mu >= 0 && e.Mu <= 100 && e.Mu <= 1e3*e.Epsilon):
		return fmt.Errorf("privacy: SelectionEvent.Mu = %v, want in [0, 100], and at most 1000 Epsilon = %v", e.Mu, 1e3*e.Epsilon)
	}
	return nil
}

// Pair returns the pair that dominates the event.
func (e SelectionEvent) Pair() (Pair, error) {
	if err := e.Validate(); err != nil {
		return Pair{}, err
	}
	// Beyond the last point the curve counts as constant, which is below 1e-30.
	picks := float64(e.Picks)
	tail := float64(e.Mu*e.Mu/2) + float64(12*e.Mu)
	ranges := picks + tail/e.Epsilon
	cells := int(min(64, max(1, min(math.Sqrt(3e7/(picks*ranges)), 4e4/ranges)))) // in a range
	h := e.Epsilon / float64(cells)
	if largest := float64(picks*e.Epsilon) + tail; largest > 300 {
		return Pair{}, fmt.Errorf("privacy: %v: losses of up to %.4g, want <= 300: %w", e, largest, ErrUnsupported)
	}
	n := e.Picks*cells + int(tail/h) + 2
	c := newSelectionCurve(n, h)
	for j := range n + 1 {
		c.set(j, min(1, GaussianDelta(float64(j)*h, e.Mu)*(1+1e-12)))
	}
	for range e.Picks {
		c.choose(cells, e.Epsilon)
	}
	x := c.pair()
	x.group = func(k int) (Pair, error) {
		return SelectionEvent{float64(k) * e.Epsilon, e.Picks, float64(k) * e.Mu}.Pair()
	}
	return x, nil
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
