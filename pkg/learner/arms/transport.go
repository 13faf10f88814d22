package arms

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/bernoulli"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// looked is what a rule has seen of an arm: the mean m of n rewards in [0, 1] with k draws of
// Laplace noise of scale 1/epsilon in their sum.
type looked struct{ mean, count, noises float64 }

// transport returns the evidence W that arm i is better than arm j: the sum of the Chernoff
// exponents of both arms, for the mean u that suits them best,
//
//	W = min_u D_i(u) + D_j(u),
//	D_i(u) = max_x n_i (x m_i - ln(1 - u + u e^x)) + k_i ln(1 - (x/epsilon)^2),
//	D_j(u) = max_y n_j (-y m_j - ln(1 - u + u e^-y)) + k_j ln(1 - (y/epsilon)^2),
//
// for x and y in [0, epsilon). The probability that an arm of mean u has a mean of at least m_i is
// at most exp(-D_i(u)), and one of at most m_j exp(-D_j(u)): ln E exp(x Z) = -ln(1 -
// (x/epsilon)^2) for the noise, and exp is convex, so that no reward in [0, 1] of mean u has a
// larger moment than a Bernoulli one. Without the last term D is n d_epsilon(m, u); see [DEps].
// W is then the transport cost of Jourdan and Azize 2025. Without noise u is the mean of all
// rewards of both arms.
//
// With noise it looks for u, and for x and y at each u, by bisection. For any x and y the least
// value over u has a closed form, is at most W, and is what it returns. So a search that is not
// exact makes a rule stop too late and not too early.
func transport(epsilon float64, i, j *looked) (w, share float64) {
	of, other := exponents(epsilon, i, j)
	if w = of + other; !(w > 0) {
		return 0, 0.5
	}
	return w, clipped(of / w)
}

// exponents returns the two parts of transport, of which the sum may be below 0.
func exponents(epsilon float64, i, j *looked) (of, other float64) {
	if !(i.mean > j.mean) {
		return 0, 0
	}
	if math.IsInf(epsilon, 1) {
		u := (float64(i.count*i.mean) + float64(j.count*j.mean)) / (i.count + j.count)
		return float64(i.count * bernoulli.KL(i.mean, u)), float64(j.count * bernoulli.KL(j.mean, u))
	}
	most := min(epsilon, mostTilt)
	flipped := looked{1 - j.mean, j.count, j.noises}
	var x, y float64
	for low, high := max(j.mean, 0), min(i.mean, 1); high-low > 0x1p-30; {
		u := float64((low + high) / 2)
		x, y = i.tilt(epsilon, most, u), flipped.tilt(epsilon, most, 1-u)
		a, b := portable.Expm1(x), -portable.Expm1(-y)
		if i.count*a/(1+float64(u*a)) > j.count*b/(1-float64(u*b)) {
			low = u
		} else {
			high = u
		}
	}
	a, b := portable.Expm1(x), -portable.Expm1(-y)
	if !(a > 0 && b > 0) {
		return 0, 0
	}
	u := clipped((float64(i.count*a) - float64(j.count*b)) / ((i.count + j.count) * a * b))
	of = float64(i.count*(float64(x*i.mean)-portable.Log1p(float64(u*a)))) + float64(i.noises*portable.Log1p(-(x/epsilon)*(x/epsilon)))
	other = -float64(j.count*(float64(y*j.mean)+portable.Log1p(-float64(u*b)))) + float64(j.noises*portable.Log1p(-(y/epsilon)*(y/epsilon)))
	return of, other
}

// mostTilt bounds x and y of transport where epsilon is large: an exponent of one reward is at most
// that.
const mostTilt = 40

// tilt returns the x in [0, most) of the largest exponent against the mean u. The exponent is
// concave in x.
func (s *looked) tilt(epsilon, most, u float64) float64 {
	if !(s.mean > u) {
		return 0
	}
	low, high := 0.0, most
	for high-low > high*0x1p-30 && high > 0x1p-60*most {
		x := float64((low + high) / 2)
		e := portable.Exp(-x)
		slope := float64(s.count*(s.mean-u/(u+float64((1-u)*e)))) - 2*s.noises*x/((epsilon-x)*(epsilon+x))
		if slope > 0 {
			low = x
		} else {
			high = x
		}
	}
	return low
}
