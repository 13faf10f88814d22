package loss

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// The least and largest loss of events for which a grid of float64 has room.
const (
	leastLoss = 1e-12
	mostLoss  = 1e7
)

// Tails are the shares of delta tried for the tail of binomial noise, which is not accounted for:
// the first suits little noise, the last much noise.
var Tails = [...]float64{1e-2, 1e-3, 1e-4}

// Composition is an adaptive composition of factors.
type Composition []Factor

// Factor is a pair, or the worst of several compositions, that is composed with itself.
type Factor struct {
	Pair   Pair
	Worst  []Composition // set instead of Pair
	Times  int
	coarse law // to choose tilts and grids
}

// Epsilon returns lower and upper bounds on the least epsilon >= 0 at which the composition is
// (epsilon, delta)-private. The lower one is 0 unless both are asked for. A spacing of 0 is chosen.
func (c Composition) Epsilon(delta, spacing float64, both bool) (lo, hi float64, err error) {
	sup, inf := limits(c)
	switch {
	case delta < inf*(1-1e-12):
		return math.Inf(1), math.Inf(1), nil
	case delta == 0: // sup bounds the loss, and every neighbourhood of it has P-mass
		return sup, sup, nil
	}
	g := newPlan(c, spacing, func(theta float64) float64 { return (logBound(c, theta) - portable.Log(delta)) / theta })
	l, err := g.law(c, true)
	if err != nil {
		return 0, 0, err
	}
	hi = math.Min(sup, l.Epsilon(delta, 1, g.rounding(l)))
	if !both {
		return 0, hi, nil
	}
	if l, err = g.law(c, false); err != nil {
		return 0, 0, err
	}
	return math.Min(hi, l.Epsilon(delta, -1, g.rounding(l))), hi, nil
}

// Delta returns the same bounds on the least delta at epsilon >= 0.
func (c Composition) Delta(epsilon, spacing float64, both bool) (lo, hi float64, err error) {
	sup, inf := limits(c)
	if epsilon >= sup || inf == 1 {
		return inf, inf, nil
	}
	g := newPlan(c, spacing, func(theta float64) float64 { return logBound(c, theta) - float64(theta*epsilon) })
	l, err := g.law(c, true)
	if err != nil {
		return 0, 0, err
	}
	// Some loss is above epsilon, however rare.
	hi = math.Min(1, math.Max(l.Delta(epsilon, 1, g.rounding(l)), math.SmallestNonzeroFloat64))
	if !both {
		return 0, hi, nil
	}
	if l, err = g.law(c, false); err != nil {
		return 0, 0, err
	}
	return math.Min(hi, math.Max(inf*(1-1e-12), l.Delta(epsilon, -1, g.rounding(l)))), hi, nil
}

// Sketch prepares the factors. It returns an error if the losses of one have no room on a grid.
func (c Composition) Sketch() error {
	for i := range c {
		from, to := c[i].Pair.span()
		if far := math.Max(math.Abs(from), math.Abs(to)); far > 0 && !(far >= leastLoss && far <= mostLoss) {
			return fmt.Errorf("losses of %.4g, want between %g and %g for a grid: %w", far, leastLoss, mostLoss, ErrUnsupported)
		}
		c[i].Sketch()
	}
	return nil
}

// Sketch discretises coarsely, well enough to choose a tilt and a grid.
func (f *Factor) Sketch() {
	if f.Worst != nil {
		return
	}
	from, to := f.Pair.span()
	if unit := f.Pair.unit; f.Pair.part == nil && unit > 0 && (to-from)/unit < 1<<19 {
		f.coarse = f.Pair.law(unit, true)
		return
	}
	least := 1e-9 * math.Max(math.Abs(from), math.Abs(to))
	if least == 0 {
		least = 1 // without any loss, every grid will do
	}
	h := math.Max((to-from)/2000, least)
	for range 4 { // finer each time, if the loss is a narrow one between rare extremes
		f.coarse = f.Pair.law(h, true)
		_, variance := f.coarse.moments()
		if finer := math.Max(math.Sqrt(variance)/30, (to-from)/(1<<19)); finer < h/2 && h > least {
			h = math.Max(finer, least)
			continue
		}
		break
	}
}

// span returns the range of the finite losses, without the tails of a continuous part.
func (x Pair) span() (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	if x.part != nil {
		from, to = x.from, x.to
	}
	if n := len(x.atoms); n > 0 {
		from, to = math.Min(from, x.atoms[0].loss), math.Max(to, x.atoms[n-1].loss)
	}
	if from > to {
		return 0, 0
	}
	return from, to
}

// logMoment returns about ln E[e^{theta L}] of a composition.
func logMoment(c Composition, theta float64) float64 {
	sum := 0.0
	for _, f := range c {
		sum += float64(float64(f.Times) * f.logMoment(theta))
	}
	return sum
}

func (f Factor) logMoment(theta float64) float64 {
	if f.Worst == nil {
		return f.coarse.scale + f.coarse.logMoment(theta)
	}
	most := math.Inf(-1)
	for _, branch := range f.Worst {
		most = math.Max(most, logMoment(branch, theta))
	}
	return most
}

// deviation returns about the standard deviation of a composition's loss, under a tilt.
func deviation(c Composition, theta float64) float64 {
	sum := 0.0
	for _, f := range c {
		d := f.deviation(theta)
		sum += float64(float64(f.Times) * d * d)
	}
	return math.Sqrt(sum)
}

func (f Factor) deviation(theta float64) float64 {
	if f.Worst == nil {
		_, variance := f.coarse.tilt(theta).moments()
		return math.Sqrt(variance)
	}
	most := 0.0
	for _, branch := range f.Worst {
		most = math.Max(most, deviation(branch, theta))
	}
	return most
}

// limits returns the largest finite loss of a composition and its probability of an infinite loss,
// without truncated mass.
func limits(c Composition) (sup, inf float64) {
	for _, f := range c {
		s, v := f.Pair.sup, f.Pair.inf
		for _, branch := range f.Worst {
			bs, bv := limits(branch)
			s, v = math.Max(s, bs), math.Max(v, bv)
		}
		sup += float64(float64(f.Times) * s)
		inf += float64(float64(f.Times) * portable.Log1p(-v))
	}
	return sup, -portable.Expm1(inf)
}
