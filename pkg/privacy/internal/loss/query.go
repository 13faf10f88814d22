package loss

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Delta returns delta at epsilon, with all errors charged: added for side = 1, subtracted for side
// = -1. rounding is the relative error of each mass.
func (l law) Delta(epsilon, side, rounding float64) float64 {
	epsilon -= float64(side * l.shift)
	i := len(l.w)
	var s sums
	for i > 0 && float64(l.off+i-1)*l.h > epsilon {
		i--
		s = l.step(i, s)
	}
	finite := 0.0
	if i < len(l.w) {
		x := float64(float64(l.off+i) * l.h)
		finite = portable.Exp(l.scale-float64(l.theta*x)) * (s.curve - float64(s.weighted*portable.Expm1(epsilon-x)))
	}
	charge := 0.0
	if l.err > 0 {
		charge = l.err * portable.Exp(l.scale-float64(l.theta*epsilon))
	}
	return math.Max(0, l.inf+float64(finite*(1+float64(side*rounding)))+float64(side*charge))
}

// Epsilon returns the least epsilon >= 0 at which delta is at most the one given. It is an upper
// bound for side = 1, and a lower one for side = -1.
func (l law) Epsilon(delta, side, rounding float64) float64 {
	room := (delta - l.inf) / (1 + float64(side*rounding)) // for the finite part
	if room <= 0 {
		if side > 0 {
			return math.Inf(1)
		}
		room = 0
	}
	// One knot more below finds what lies between it and the lowest.
	l.w, l.off = append([]float64{0}, l.w...), l.off-1
	// The charge is in units of the tilted masses, wherever they are.
	charge := float64(side * l.err * (1 + rounding))
	top := len(l.w)
	at := func(i int) float64 { return float64(float64(l.off+i) * l.h) }
	units := func(x float64) float64 { return float64(room * portable.Exp(float64(l.theta*x)-l.scale)) }
	if side > 0 && top > 1 && charge > units(at(top-1)) {
		// The mass that may be misplaced is too much even above all losses.
		return math.Max(0, (l.scale+portable.Log(l.err*(1+rounding)/room))/l.theta+l.shift)
	}
	var s sums
	for i := top - 1; i >= 0; i-- {
		before := s
		s = l.step(i, s)
		x := at(i)
		if s.curve+charge <= units(x) {
			continue
		}
		// Between x and the next knot y, H is curve - weighted expm1(epsilon - y). The charge is taken
		// where it is largest.
		y := x + l.h
		want := math.Max(0, units(y)-float64(charge*portable.Exp(l.theta*l.h))-before.curve)
		return math.Max(0, math.Max(x, y+portable.Log1p(-math.Min(want/before.weighted, 1)))+float64(side*l.shift))
	}
	if side > 0 && top > 1 {
		return math.Max(0, at(0)+l.shift)
	}
	return 0
}

// sums holds the sums of a law from knot i on, tilted to l_i: the curve H there, the mass above
// l_i, and the sum of w e^{l_i - l} from l_i on. All terms are positive, so that no digits are
// lost.
type sums struct{ curve, above, weighted float64 }

// step returns the sums at knot i, given those at knot i+1.
func (l law) step(i int, s sums) sums {
	if i+1 < len(l.w) {
		s.above += l.w[i+1]
	}
	down := portable.Exp(-l.theta * l.h)
	s.above *= down
	s.curve = float64(s.curve*down*portable.Exp(-l.h)) - float64(s.above*portable.Expm1(-l.h))
	s.weighted = float64(s.weighted*down*portable.Exp(-l.h)) + l.w[i]
	return s
}
