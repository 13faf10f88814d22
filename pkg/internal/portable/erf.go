package portable

import "math"

// Erfc returns 1 - erf x, the complementary error function.
func Erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < 0.25:
		if x < -6 {
			return 2
		}
		if x < -0.25 {
			return 2 - Erfc(-x)
		}
		return 1 - Erf(x)
	case x > 27.3:
		return 0
	}
	// t = 2/(2+x) in two parts, and e^(x^2) erfc(x)/t from its polynomial there
	sum, left := twoSum(2, x)
	t := 2 / sum
	tLow := (math.FMA(-t, sum, 2) - float64(t*left)) / sum
	i := min(int(8*t), 7)
	v := (16*t - float64(2*i+1)) + 16*tLow
	c := &scaled[i]
	p := c[13]
	for j := 12; j >= 1; j-- {
		p = float64(p*v) + c[j]
	}
	g, gLow := twoSum(c[0], c[14]+float64(p*v))
	square, low := product(x, x)
	k, e, eLow := expPair(-square, -low)
	e, eLow = twoSum(e, eLow)
	// e g t
	h, hLow := product(e, g)
	hLow += float64(e*gLow) + float64(eLow*g)
	r, rLow := product(h, t)
	return raise(k, r, rLow+float64(h*tLow)+float64(hLow*t))
}

// Erf returns the error function, 2/sqrt(pi) times the integral of e^(-u^2) from 0 to x.
func Erf(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Copysign(1-Erfc(math.Abs(x)), x)
	}
	if !(math.Abs(x) > 1e-150) {
		return x + float64(0.1283791670955126*x)
	}
	// Maclaurin's series, 2/sqrt(pi) x (1 - x^2/3 + x^4/10 - ...), with 1 taken off its first coefficient
	q := float64(x * x)
	p := -1.2290555301717928e-09
	for _, c := range [...]float64{
		1.4807192815879218e-08, -1.6365844691234924e-07, 1.6462114365889248e-06, -1.492565035840625e-05,
		0.00012055332981789664, -0.0008548327023450853, 0.005223977625442188, -0.026866170645131252,
		0.11283791670955126, -0.37612638903183754, 0.1283791670955126,
	} {
		p = float64(p*q) + c
	}
	return x + float64(x*p)
}

// Lgamma returns ln Gamma(x) for x > 0; its absolute error is below an ulp of the result or 2^-60.
func Lgamma(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		v, _ := math.Lgamma(x)
		if x < 0 {
			v = math.NaN()
		}
		return v
	}
	if x == 1 || x == 2 {
		return 0
	}
	if x > 1e300 {
		return x * (Log(x) - 1)
	}
	// Gamma(x) = Gamma(x+n)/(x (x+1) ... (x+n-1)), x+n in two parts
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
	hi, lo := logPair(z)
	lo += zLow / z
	factor, factorLow := twoSum(z, -0.5)
	factorLow += zLow
	a, aLow := product(factor, hi)
	aLow += float64(factor*lo) + float64(factorLow*hi) - zLow
	inverse := 1 / z
	q := float64(inverse * inverse)
	s := -691.0 / 360360
	for _, c := range [...]float64{1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360} {
		s = c + float64(s*q)
	}
	first := 1.0 / 12 * inverse
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
	return sum + low
}
