package random

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Beta draws a Beta(a, b) variable, a and b in (0, 1e300]. The shapes need not be whole. The draw
// is the ratio x/(x+y) of two chi-squares of 2a and 2b degrees of freedom.
func (g *Normals) Beta(a, b float64) float64 {
	if a >= 1 && b >= 1 { // mostly both are the first of ChiSquared's
		d1, d2 := a-1.0/3, b-1.0/3
		c1, c2 := 1/math.Sqrt(9*d1), 1/math.Sqrt(9*d2)
		u, s0, s1, s2, s3 := step(g.s[0], g.s[1], g.s[2], g.s[3])
		z1, inner1 := normalOf(u)
		x1 := float64(c1 * z1)
		u, s0, s1, s2, s3 = step(s0, s1, s2, s3)
		u1 := float64(u>>11) * (1.0 / (1 << 53))
		u, s0, s1, s2, s3 = step(s0, s1, s2, s3)
		z2, inner2 := normalOf(u)
		x2 := float64(c2 * z2)
		u, s0, s1, s2, s3 = step(s0, s1, s2, s3)
		u2 := float64(u>>11) * (1.0 / (1 << 53))
		if inner1 && inner2 && squeezed(d1, x1, u1) && squeezed(d2, x2, u2) {
			g.s = [4]uint64{s0, s1, s2, s3}
			x, y := float64(2*d1*cube(1+x1)), float64(2*d2*cube(1+x2))
			return x / (x + y)
		}
	}
	x := g.ChiSquared(2 * a)
	y := g.ChiSquared(2 * b)
	if x+y == 0 { // both are less than the least number; x is the larger one by far in a/(a+b) of cases
		if float64(g.Uniform()*(1+b/a)) < 1 {
			return 1
		}
		return 0
	}
	return x / (x + y)
}

// BetaBelow knows of most draws of Beta that they are below a number, without computing them. It is
// for those who look for the largest of many draws; see [Normals.SkipBelow]. The zero value knows
// of none.
//
// Let z and u be the first normal and uniform number of a chi-square of k degrees of freedom, d =
// k/2 - 1/3 and x = z/(3 sqrt d). If x > -1/2 and u > 3/2 d x^4, ChiSquared accepts them, and is
// 2 d (1+x)^3. With the numbers of the second chi-square primed, the draw is then below w if
//
//	p (1+x) < 1 + x',   p^3 = (1-w) d/(w d'),
//
// which is linear in z and z'. Inside the ziggurat |z| < 3.66, so that x > -1/2 for d > 6, and
// d^(1/3) (1+x) grows with d, as it does while z < 6 sqrt d. 3/2 d x^4 = z^4/(54 d) falls with d.
// So what holds for the largest first shape and the least second one holds for all, if u is over
// the largest bound.
type BetaBelow struct {
	z1, z2, room float64 // the draw is below w if z1 z + z2 z' < room; never if room <= 0
	u            float64 // u and u' are accepted over u (z^2 + z'^2)^2, in units of 2^-53
}

// Set makes it the value for draws of Beta(a, b'), a in [low, high] and b' >= least, and a number
// w.
func (b *BetaBelow) Set(low, high, least, w float64) {
	const third, rounding = 1.0 / 3, 0x1p-32
	d, d2 := high-third, least-third
	if !(low > 6+third && d2 > 6 && w > 0 && w < 1-0x1p-16) {
		*b = BetaBelow{}
		return
	}
	p := portable.Exp(third * portable.Log((1-w)*d/(w*d2)))
	*b = BetaBelow{
		z1: p / (3 * math.Sqrt(d)), z2: -1 / (3 * math.Sqrt(d2)), room: 1 - p - float64(rounding*(1+p)),
		u: (1 + rounding) * (1 << 53) / (54 * min(low-third, d2)),
	}
}

// SkipBelow makes the draws of Beta of each value in turn, up to the first that may not be below
// its number, and returns how many it has made. The generator is as after these.
func (g *Normals) SkipBelow(of []BetaBelow) int {
	s0, s1, s2, s3 := g.s[0], g.s[1], g.s[2], g.s[3]
	for i := range of {
		b := &of[i]
		if b.room <= 0 {
			g.s = [4]uint64{s0, s1, s2, s3}
			return i
		}
		place1, t0, t1, t2, t3 := step(s0, s1, s2, s3)
		u1, t0, t1, t2, t3 := step(t0, t1, t2, t3)
		place2, t0, t1, t2, t3 := step(t0, t1, t2, t3)
		u2, t0, t1, t2, t3 := step(t0, t1, t2, t3)
		layer1, layer2 := &zigInner[uint8(place1)], &zigInner[uint8(place2)]
		if !(place1+layer1.inner < 2*layer1.inner && place2+layer2.inner < 2*layer2.inner &&
			b.knows(float64(int64(place1))*layer1.width, float64(int64(place2))*layer2.width, float64(min(u1, u2)>>11))) {
			g.s = [4]uint64{s0, s1, s2, s3}
			return i
		}
		s0, s1, s2, s3 = t0, t1, t2, t3
	}
	g.s = [4]uint64{s0, s1, s2, s3}
	return len(of)
}

// knows reports whether a draw of two normals inside the ziggurat is below the number, by the
// lesser of the uniform numbers.
func (b *BetaBelow) knows(z1, z2, u float64) bool {
	square := float64(z1*z1) + float64(z2*z2)
	return float64(b.z1*z1)+float64(b.z2*z2) < b.room && u > b.u*square*square
}
