package loss

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// Limits on grids: on the points of one, and on the standard deviations of a composed loss that a
// window holds.
const (
	maxPoints   = 1 << 20
	maxSpacings = 1 << 23 // for grids that the caller asked for
	windowWidth = 18
)

// plan says how a composition is computed: with which tilt, and on which grids.
type plan struct {
	theta   float64
	spacing float64 // the largest; 0 chooses it
	sigma   float64 // standard deviation of the untilted loss
	aim     float64 // target error of epsilon
	events  float64
}

// newPlan chooses the tilt at which a bound is least.
func newPlan(factors Composition, spacing float64, bound func(theta float64) float64) plan {
	sigma := math.Max(deviation(factors, 0), 1e-12)
	most := math.Min(60/sigma, steepest(factors))
	if spacing > 0 {
		most = math.Min(most, steep/spacing)
	}
	theta := portable.Exp(numeric.Golden(portable.Log(math.Min(1e-3/sigma, most/1e3)), portable.Log(most), 40, func(x float64) float64 { return bound(portable.Exp(x)) }))
	g := plan{theta: theta, spacing: spacing, sigma: sigma, aim: 3e-5 * math.Min(1, sigma)}
	for _, f := range factors {
		g.events += float64(f.Times)
	}
	return g
}

// steep bounds the product of tilt and spacing. What an FFT misplaces counts e^{steep} times as
// much from one point to the next.
const steep = 10

// steepest returns the largest tilt that the grids of Parts allow.
func steepest(factors Composition) float64 {
	most := 1e8
	for _, f := range factors {
		for _, branch := range f.Worst {
			most = math.Min(most, steepest(branch))
		}
		from, to := f.Pair.span()
		step := (to - from) / maxPoints
		if f.Pair.part == nil {
			step = math.Max(step, f.Pair.unit)
		}
		if step > 0 {
			most = math.Min(most, steep/step)
		}
	}
	return most
}

// logBound returns ln of a bound on delta(epsilon) e^{theta epsilon}: E[e^{theta L}]
// theta^theta/(1+theta)^(1+theta) (Canonne, Kamath, Steinke, "The discrete Gaussian for
// differential privacy", 2020, Prop. 12). At the theta that minimises the bound, the tilted loss
// has a mean slightly above epsilon.
func logBound(factors Composition, theta float64) float64 {
	return logMoment(factors, theta) - float64(theta*portable.Log1p(1/theta)) - portable.Log1p(theta)
}

// rounding bounds the relative error of a law's masses: the loss of products of k factors and of
// exponentials of large numbers.
func (g plan) rounding(l law) float64 {
	return 1e-12 * (10 + g.events + math.Abs(l.scale))
}

// law composes factors. If there are several, those that occur more than once are first composed on
// grids of their own.
func (g plan) law(factors Composition, upper bool) (law, error) {
	groups := float64(len(factors))
	if len(factors) == 1 {
		f := factors[0]
		h, err := g.own(f, 1)
		if err != nil {
			return law{}, err
		}
		l, err := g.single(f, h, upper)
		if err != nil {
			return law{}, err
		}
		return compose([]power{{l, f.Times}}, upper)
	}
	h, err := g.common(factors)
	if err != nil {
		return law{}, err
	}
	laws, width := make([]law, len(factors)), 0.0
	for i, f := range factors {
		if f.Times == 1 && f.Worst == nil {
			continue
		}
		at, err := g.own(f, groups)
		if err != nil {
			return law{}, err
		}
		l, err := g.single(f, at, upper)
		if err != nil {
			return law{}, err
		}
		if laws[i], err = compose([]power{{l, f.Times}}, upper); err != nil {
			return law{}, err
		}
		width = math.Max(width, float64(len(laws[i].w))*laws[i].h)
	}
	if h, err = g.widen(h, width); err != nil {
		return law{}, err
	}
	var parts []power
	for i, f := range factors {
		if f.Times == 1 && f.Worst == nil {
			if laws[i], err = g.single(f, h, upper); err != nil {
				return law{}, err
			}
		}
		parts = append(parts, power{laws[i].onto(h, upper), 1})
	}
	return compose(parts, upper)
}

// widen returns h, or a larger spacing if losses in a range of that width have no room at spacing
// h.
func (g plan) widen(h, width float64) (float64, error) {
	if g.spacing > 0 && width/h > 2*maxSpacings {
		return 0, fmt.Errorf("privacy: PLD.Spacing = %v, want at least %v for losses in a range of %.4g", h, width/(2*maxSpacings), width)
	} else if g.spacing == 0 {
		h = math.Max(h, width/maxPoints/4)
	}
	return h, nil
}

// single returns the tilted law of one event of a factor.
func (g plan) single(f Factor, h float64, upper bool) (law, error) {
	if f.Worst == nil {
		if from, to := f.Pair.span(); (to-from)/h > 2*maxSpacings {
			return law{}, fmt.Errorf("privacy: PLD.Spacing = %v, want at least %v for losses from %.4g to %.4g", h, (to-from)/maxSpacings, from, to)
		}
		return f.Pair.law(h, upper).tilt(g.theta), nil
	}
	var laws []law
	best, most := 0, math.Inf(-1)
	from, to := math.Inf(1), math.Inf(-1)
	for i, branch := range f.Worst {
		l, err := g.law(branch, upper)
		if err != nil {
			return law{}, err
		}
		laws = append(laws, l)
		from, to = math.Min(from, float64(l.off)*l.h), math.Max(to, float64(l.off+len(l.w))*l.h)
		if m := logMoment(branch, g.theta); m > most {
			best, most = i, m
		}
	}
	h, err := g.widen(h, to-from)
	if err != nil {
		return law{}, err
	}
	if !upper {
		return laws[best].onto(h, upper), nil // any branch is a lower bound
	}
	for i := range laws {
		laws[i] = laws[i].onto(h, upper)
	}
	return highest(laws), nil
}

// own returns the grid of a factor that is composed with itself. Its atoms lie on the grid, if
// there is such a grid. Connecting the dots of k events adds at most theta (theta+1) k h^2/12 to ln
// E[e^{theta L}], hence (theta+1) k h^2/12 to epsilon.
func (g plan) own(f Factor, groups float64) (float64, error) {
	k := float64(f.Times)
	h := g.spacing
	sigma := math.Sqrt(k) * f.deviation(g.theta)
	if h == 0 {
		h = math.Sqrt(12 * g.aim / (groups * k * (g.theta + 1)))
		if from, to := f.Pair.span(); f.Worst == nil {
			if f.Pair.part == nil && f.Pair.unit == 0 {
				h = math.Min(h, g.fine())
			}
			h = math.Max(h, (to-from)/maxPoints/4)
		}
		h = math.Max(h, windowWidth*sigma/maxPoints)
	} else if windowWidth*sigma/h > maxSpacings {
		return 0, fmt.Errorf("privacy: PLD.Spacing = %v, want at least %v for a loss of standard deviation %.4g", h, windowWidth*sigma/maxSpacings, sigma)
	}
	unit := f.Pair.unit
	switch {
	case unit == 0:
		return h, nil
	case f.Pair.part == nil:
		from, to := f.Pair.span()
		if most := math.Min(windowWidth*sigma, k*(to-from)); most/unit < maxPoints {
			return unit, nil
		}
		return unit * math.Ceil(h/unit), nil
	}
	return unit / math.Ceil(unit/h), nil
}

// common returns the grid on which unequal factors are composed.
func (g plan) common(factors Composition) (float64, error) {
	sigma := deviation(factors, g.theta)
	if h := g.spacing; h > 0 {
		if windowWidth*sigma/h > maxSpacings {
			return 0, fmt.Errorf("privacy: PLD.Spacing = %v, want at least %v for a loss of standard deviation %.4g", h, windowWidth*sigma/maxSpacings, sigma)
		}
		return h, nil
	}
	h := math.Sqrt(12 * g.aim / (float64(len(factors)) * (g.theta + 1)))
	h = math.Max(math.Min(h, g.fine()), windowWidth*sigma/maxPoints)
	for _, f := range factors {
		if from, to := f.Pair.span(); f.Times == 1 && f.Worst == nil {
			h = math.Max(h, (to-from)/maxPoints)
		}
	}
	return h, nil
}

// fine returns the spacing for atoms that lie on no point of the grid. They cost the lower bound at
// most its spacing.
func (g plan) fine() float64 { return 2e-4 * math.Min(1, g.sigma) }

// highest returns a law whose curve lies above those of several laws on one grid, with one tilt:
// their maximum at the knots, and lines between. Where one law is highest at a knot and at both
// neighbours, the mass there is its mass. Elsewhere the lead of the maximum over it at the
// neighbours is added.
func highest(laws []law) law {
	first := laws[0]
	lo, hi := math.MaxInt, math.MinInt
	out := law{h: first.h, theta: first.theta, scale: math.Inf(-1)}
	for _, l := range laws {
		out.inf, out.err, out.shift = math.Max(out.inf, l.inf), math.Max(out.err, l.err), math.Max(out.shift, l.shift)
		if l.w != nil {
			out.scale = math.Max(out.scale, l.scale)
			lo, hi = min(lo, l.off), max(hi, l.off+len(l.w))
		}
	}
	if lo > hi {
		return out
	}
	out.off = lo - 1
	n := hi - lo + 2
	masses, curves := make([][]float64, len(laws)), make([][]float64, len(laws))
	for k, l := range laws {
		w, curve := make([]float64, n), make([]float64, n)
		for j, v := range l.w {
			w[l.off-out.off+j] = v * portable.Exp(l.scale-out.scale)
		}
		wide := law{h: l.h, theta: l.theta, off: out.off, w: w}
		var s sums
		for i := n - 1; i >= 0; i-- {
			s = wide.step(i, s)
			curve[i] = s.curve
		}
		masses[k], curves[k] = w, curve
	}
	up := portable.Exp(out.theta * out.h)
	right, left := 1/portable.Expm1(out.h), -1/portable.Expm1(-out.h)
	out.w = make([]float64, n)
	most := make([]float64, n)
	for i := range most {
		for k := range laws {
			most[i] = math.Max(most[i], curves[k][i])
		}
	}
	best := 0
	for i := range out.w {
		for k := range laws {
			if curves[k][i] > curves[best][i] {
				best = k
			}
		}
		out.w[i] = masses[best][i]
		if i+1 < n {
			out.w[i] += float64((most[i+1] - curves[best][i+1]) / up * right)
		}
		if i > 0 {
			out.w[i] += float64((most[i-1] - curves[best][i-1]) * up * left)
		}
	}
	// Left of the first knot the curves are lines up to 1 - inf at x = 0.
	sum, need := 0.0, 0.0
	for i, v := range out.w {
		sum += float64(v * portable.Exp(-out.theta*float64(i)*out.h))
	}
	for k := range laws {
		total := 0.0
		for i, v := range masses[k] {
			total += float64(v * portable.Exp(-out.theta*float64(i)*out.h))
		}
		need = math.Max(need, total)
	}
	out.w[0] += math.Max(0, need-sum)
	out.normalise()
	return out
}
