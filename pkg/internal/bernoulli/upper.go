// Package bernoulli computes with the divergences of Bernoulli laws.
//
//   - [KL]: the divergence kl(p, q)
//   - [Upper]: its inverse, an upper confidence bound, exact to 2^-34
//   - [Below]: whether it is at most a level, mostly without a logarithm
package bernoulli

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// KL returns kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)) for p and q in [0, 1], with 0 ln 0 = 0.
// It is +Inf if q is 0 or 1 and p is not.
func KL(p, q float64) float64 {
	var sum float64
	d := q - p
	if p > 0 {
		sum -= float64(p * portable.Log1p(d/p))
	}
	if p < 1 {
		sum -= float64((1 - p) * portable.Log1p(-d/(1-p)))
	}
	return max(sum, 0)
}

// Upper computes an arm's upper confidence bound max{q <= 1: kl(mean, q) <= level}, over and over
// as its mean and its level change. The zero value is ready.
//
// It holds a power series: at a level x above that of q, the bound is q + x (c1 + x (c2 + x c3)),
// valid for |x| <= reach.
type Upper struct {
	mean, q, level float64 // level = kl(mean, q)
	c1, c2, c3     float64
	reach          float64
}

// At returns max{q <= 1: kl(mean, q) <= level}, rounded, for a mean in [0, 1] and a level >= 0.
// From one round to the next, the level of an arm that was not played grows so little that its
// series still holds. Otherwise the series is moved to the index that it predicts, as often as
// needed: usually once.
func (k *Upper) At(mean, level float64) float64 {
	switch {
	case mean > nearOne:
		return 1
	case mean < 0x1p-50: // rounds to 0
		return onGrid(-portable.Expm1(-level))
	case level < 0x1p-72: // the index is above the mean by sqrt(level/2) at most
		return onGrid(mean)
	}
	for range 64 {
		x := level - k.level
		if mean == k.mean {
			if math.Abs(x) <= k.reach {
				return onGrid(k.at(x))
			}
			if x > 0 && k.q == nearOne {
				return 1
			}
		}
		// Newton's method: kl is convex above the mean, so that it comes down to the root from its right
		next := k.q + float64(x*k.c1)
		if math.Abs(x) <= far/near*k.reach {
			next = k.at(x)
		}
		next += mean - k.mean
		if !(next > mean && next <= nearOne) {
			next = above(mean, level)
		}
		k.move(mean, next)
	}
	return onGrid(k.q) // only rounding is left
}

// at returns the index at the level kl(mean, q) + x.
func (k *Upper) at(x float64) float64 {
	return k.q + float64(x*(k.c1+float64(x*(k.c2+float64(x*k.c3)))))
}

// near and far bound s = M v |x|/d^2 of move: up to near the series is exact to rounding, and up to
// far it is better than Newton's method.
const (
	near = 0x1p-12
	far  = 0x1p-4
)

// move makes the series about another mean and q, 0 < mean < q < 1.
//
// Let d = q - mean and v = q (1-q). The derivative of kl(mean, q) is d/v, so the index q + u(x) at
// the level kl(mean, q) + x obeys (d + u) u' = v + (1-2q) u - u^2, u(0) = 0. Comparing powers of x
// gives the coefficients.
//
// For the error, take all signs as +, which only enlarges the coefficients. They also only grow
// when u = Z d/M with M = max(1, d/v) turns the equation into (1 - Z) Z' = 1 + Z + Z^2 in s = M v
// |x|/d^2, as |1-2q| d/v <= M and d^2/v <= M^2. So Z = s + s^2 + 5/3 s^3 + 37/12 s^4 + ... bounds
// the rest after s^3: it is at most 5 s^4 d/M for s <= 0.1, and 5e-15 within reach, since d/M <= v
// <= 1/4.
func (k *Upper) move(mean, q float64) {
	d, v, w := q-mean, q*(1-q), 1-float64(2*q)
	r := 1 / d
	k.mean, k.q = mean, q
	// the logarithms of kl, exact for small d
	k.level = float64(mean*portable.Log1p(-d/q)) + float64((1-mean)*portable.Log1p(d/(1-q)))
	k.c1 = float64(v * r)
	k.c2 = k.c1 * (w - k.c1) * r * (1. / 2)
	k.c3 = (float64(k.c2*(w-float64(3*k.c1))) - float64(k.c1*k.c1)) * r * (1. / 3)
	k.reach = near * d * min(d/v, 1)
}

// nearOne is the index that is rounded up to 1.
const nearOne = 1 - 0x1p-40

// onGrid rounds a number in [0, 1] to a multiple of 2^-34.
func onGrid(q float64) float64 { return float64(int64(float64(q*(1<<34))+0.5)) * 0x1p-34 }

// above returns a q with kl(mean, q) >= level, or a q that rounds to 1. It uses Pinsker's
// inequality and, near 1, kl(mean, q) >= -(1-mean) ln(1-q) - ln 2.
func above(mean, level float64) float64 {
	return min(mean+math.Sqrt(level/2), -portable.Expm1(-(level+math.Ln2)/(1-mean)), nearOne)
}
