// Package portable has elementary functions whose results are the same bits on every machine.
//
//   - Exponentials: [Exp], [Expm1], [Tanh].
//   - Logarithms and powers: [Log], [Log1p], [Log2], [Pow], [Hypot].
//   - Angles: [Turns].
//   - The normal distribution: [Erf], [Erfc], [NormalQuantile].
//   - Gamma, beta, Student's t: [Lgamma], [RegIncBeta], [StudentQuantile].
//
// Package math does not promise equal bits. Its Exp and Log are assembly on some processors, its
// other functions follow them, and a compiler may fuse x*y + z into one rounding. Here an explicit
// conversion rounds each product that a sum takes in, which the Go specification says prevents it.
// What is exact or correctly rounded by definition is still math's: Sqrt, FMA, Floor, Ldexp.
//
// Errors are in units in the last place (ulp), as the tests measure them; half a unit is the least
// possible. Exp, Expm1, Log, Log1p: 0.52. Log2, Pow, Lgamma: 0.55. Erf, Erfc, Turns: 0.8.
// Tanh, Hypot: 2.
package portable

import "math"

const (
	inverseStep = 184.6649652337873       // 128/ln 2
	stepHi      = 0.0054152123482253955   // ln 2/128, a multiple of 2^-42
	stepLo      = -1.0082281460997769e-13 // the rest of ln 2/128
	// Adding shifter leaves the nearest whole number in the low bits.
	shifter = 0x1.8p52
)

// Exp returns e^x.
func Exp(x float64) float64 {
	if !(math.Abs(x) < 708) {
		return expFar(x)
	}
	shifted := float64(x*inverseStep) + shifter
	steps := int64(math.Float64bits(shifted)<<13) >> 13 // modulo 2^51
	n := shifted - shifter
	r := x - float64(n*stepHi) - float64(n*stepLo)
	power := &powers[steps&127]
	// This is e^r - 1 for |r| <= ln 2/256.
	square := float64(r * r)
	p := r + float64(square*(0.5+float64(r*(1.0/6))+float64(square*(1.0/24+float64(r*(1.0/120))))))
	scale := math.Float64frombits(uint64(steps>>7+1023) << 52)
	return (power[0] + (power[1] + float64(power[0]*p))) * scale
}

// expFar returns e^x for an x that may overflow, underflow, or be NaN.
func expFar(x float64) float64 {
	switch {
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	return raise(expPair(x, 0))
}

// expPair returns e^(x+low) as 2^k (hi + lo), |lo| < 2^-8 hi, to 62 bits. |x| <= 2^20, and low is
// below an ulp of x.
func expPair(x, low float64) (k int, hi, lo float64) {
	shifted := float64(x*inverseStep) + shifter
	steps := int64(math.Float64bits(shifted)<<13) >> 13
	n := shifted - shifter
	r := x - float64(n*stepHi) + (low - float64(n*stepLo))
	power := &powers[steps&127]
	square := float64(r * r)
	p := float64(r*(1.0/24)) + float64(square*(1.0/120+float64(r*(1.0/720))))
	p = r + float64(square*(0.5+float64(r*(1.0/6))+float64(r*p)))
	return int(steps >> 7), power[0], power[1] + float64(power[0]*p)
}

// raise returns 2^k (hi + lo). A result below the normal numbers is rounded at most twice.
func raise(k int, hi, lo float64) float64 {
	if k > -1023 && k < 1024 {
		// A product with a power of 2 is exact where it is normal.
		if y := float64((hi + lo) * math.Float64frombits(uint64(k+1023)<<52)); math.Abs(y) > 0x1p-1022 {
			return y
		}
	}
	return math.Ldexp(hi+lo, k)
}

// Expm1 returns e^x - 1.
func Expm1(x float64) float64 {
	switch {
	case x < -40:
		return -1
	case !(x < 700):
		return Exp(x) // also NaN
	case math.Abs(x) < 0x1p-54:
		return x
	}
	shifted := float64(x*inverseStep) + shifter
	steps := int64(math.Float64bits(shifted)<<13) >> 13
	n := shifted - shifter
	r, low := x-float64(n*stepHi), -float64(n*stepLo)
	r, low = twoSum(r, low)
	power := &powers[steps&127]
	square := float64(r * r)
	p := float64(r*(1.0/24)) + float64(square*(1.0/120+float64(r*(1.0/720))))
	p = float64(square * (0.5 + float64(r*(1.0/6)) + float64(r*p))) // e^r - 1 - r
	scale := math.Float64frombits(uint64(steps>>7+1023) << 52)
	one := 1 / scale
	// 2^k (hi e^r - one) = 2^k ((hi - one) + one r + (hi - one) r + hi p)
	s, left := twoSum(power[0], -one)
	sum, t := twoSum(s, float64(one*r))
	t += left + float64(s*r) + float64(power[0]*(p+low)) + float64(power[1]*(1+r))
	return (sum + t) * scale
}

// Tanh returns the hyperbolic tangent.
func Tanh(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Copysign(1-2/(Exp(2*math.Abs(x))+1), x)
	}
	t := Expm1(2 * math.Abs(x))
	return math.Copysign(t/(2+t), x)
}

// twoSum returns a+b and its rounding error (Knuth).
func twoSum(a, b float64) (sum, low float64) {
	sum = a + b
	other := sum - a
	return sum, (a - (sum - other)) + (b - other)
}

// product returns a*b and its rounding error.
func product(a, b float64) (p, low float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}
