package portable

import "math"

// Lgamma returns ln Gamma(x) for x > 0. Its absolute error is below an ulp of the result or 2^-60.
func Lgamma(x float64) float64 {
	switch {
	case x == 1 || x == 2:
		return 0
	case x > 1e300:
		return x * (Log(x) - 1)
	case x == 0:
		return math.Inf(1)
	case !(x > 0):
		return math.NaN()
	}
	hi, lo := lgammaPair(x)
	return hi + lo
}

// lgammaPair returns ln Gamma(x) in two parts, to about 64 bits.
func lgammaPair(x float64) (hi, lo float64) {
	// Gamma(x) = Gamma(x+n)/(x (x+1) ... (x+n-1)), with x+n in two parts.
	z, zLow, down, downLow := x, 0.0, 1.0, 0.0
	for z < 16 {
		h, low := product(down, z)
		down, downLow = twoSum(h, low+float64(downLow*z)+float64(down*zLow))
		var left float64
		z, left = twoSum(z, 1)
		zLow += left
	}
	// Stirling: (z - 1/2) ln z - z + ln(2 pi)/2 + 1/(12 z) - ...
	const half, halfLow = 0.9189385332046728, -3.8782941580672414e-17
	log, logLow := logPair(z)
	logLow += zLow / z
	factor, factorLow := twoSum(z, -0.5)
	factorLow += zLow
	a, aLow := product(factor, log)
	aLow += float64(factor*logLow) + float64(factorLow*log) - zLow
	inverse := 1 / z
	q := float64(inverse * inverse)
	s := -691.0 / 360360
	for _, c := range [...]float64{1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360} {
		s = c + float64(s*q)
	}
	first := float64(1.0 / 12 * inverse)
	s = first + float64(float64(s*q)*inverse)
	sum, b := twoSum(a, -z)
	sum, c := twoSum(sum, half)
	low := aLow + b + c + halfLow + s
	if down != 1 {
		d, dLow := logPair(down)
		var left float64
		sum, left = twoSum(sum, -d)
		low += left - dLow - downLow/down
	}
	return twoSum(sum, low)
}

// RegIncBeta returns the regularised incomplete beta function I_x(a, b), the distribution function
// of a Beta(a, b) variable, for a, b > 0 and 0 <= x <= 1.
func RegIncBeta(a, b, x float64) float64 {
	switch {
	case !(a > 0 && b > 0 && x >= 0 && x <= 1):
		return math.NaN()
	case x == 0 || x == 1:
		return x
	case x > (a+1)/(a+b+2): // the fraction converges fast below the mean
		return 1 - incomplete(b, a, 1-x, x)
	}
	return incomplete(a, b, x, 1-x)
}

// incomplete returns I_x(a, b), given y = 1-x, by the continued fraction 8.17.22 of the NIST
// Handbook and Lentz's method.
func incomplete(a, b, x, y float64) float64 {
	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/guard(1-float64((a+b)*x/(a+1)))
	f := d
	for m := 1.0; m < 1e7; m++ {
		even := float64(m * (b - m) * x / ((a + float64(2*m) - 1) * (a + float64(2*m))))
		d = 1 / guard(1+float64(even*d))
		c = guard(1 + even/c)
		f = float64(f * d * c)
		odd := float64(-(a + m) * (a + b + m) * x / ((a + float64(2*m)) * (a + float64(2*m) + 1)))
		d = 1 / guard(1+float64(odd*d))
		c = guard(1 + odd/c)
		change := float64(d * c)
		f = float64(f * change)
		if math.Abs(change-1) < 1e-16 {
			break
		}
	}
	// This is x^a y^b Gamma(a+b)/(Gamma(a) Gamma(b) a). The terms of its logarithm cancel.
	sum, low := 0.0, 0.0
	add := func(hi, lo float64) {
		var left float64
		sum, left = twoSum(sum, hi)
		low += left + lo
	}
	times := func(factor, hi, lo float64) {
		p, left := product(factor, hi)
		add(p, left+float64(factor*lo))
	}
	gamma := func(sign, v float64) {
		hi, lo := lgammaPair(v)
		add(sign*hi, sign*lo)
	}
	if x < y { // here y = 1-x is rounded
		hi, lo := logPair(x)
		times(a, hi, lo)
		_, left := twoSum(1, -x)
		hi, lo = logPair(y)
		times(b, hi, lo+left/y)
	} else {
		_, left := twoSum(1, -y)
		hi, lo := logPair(x)
		times(a, hi, lo+left/x)
		hi, lo = logPair(y)
		times(b, hi, lo)
	}
	total, left := twoSum(a, b)
	hi, lo := lgammaPair(total)
	add(hi, lo+float64(left*Log(total)))
	gamma(-1, a)
	gamma(-1, b)
	hi, lo = logPair(a)
	add(-hi, -lo)
	if sum < -746 {
		return 0
	}
	return math.Min(1, f*raise(expPair(sum, low)))
}

// StudentQuantile returns the p-quantile of Student's t with freedom degrees of freedom, for 1/2 <=
// p < 1.
func StudentQuantile(p, freedom float64) float64 {
	above := func(t float64) float64 { // P(T > t)
		square := float64(t * t)
		return RegIncBeta(freedom/2, 0.5, freedom/(freedom+square)) / 2
	}
	hi := 1.0
	for above(hi) > 1-p {
		hi *= 2
	}
	lo := 0.0
	for {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			return hi
		}
		if above(mid) > 1-p {
			lo = mid
		} else {
			hi = mid
		}
	}
}
