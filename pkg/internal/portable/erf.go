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
	v := float64(16*t) - float64(2*i+1) + float64(16*tLow)
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
	// Maclaurin's series, 2/sqrt(pi) x (1 - x^2/3 + x^4/10 - ...), with 1 taken off its first
	// coefficient
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

// NormalQuantile returns the p-quantile of the standard normal distribution, for 0 <= p <= 1.
func NormalQuantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p > 0.5:
		return -NormalQuantile(1 - p)
	case p == 0.5:
		return 0
	}
	// Hastings's approximation, good to 5e-4 (Abramowitz and Stegun, 26.2.23), and Halley's iteration
	t := math.Sqrt(-2 * Log(p))
	top := 2.515517 + float64(t*(0.802853+float64(t*0.010328)))
	x := top/(1+float64(t*(1.432788+float64(t*(0.189269+float64(t*0.001308)))))) - t
	for range 3 {
		e := (float64(0.5*Erfc(-x/math.Sqrt2)) - p) * math.Sqrt(2*math.Pi) * Exp(float64(x*x)/2)
		x -= e / (1 + float64(x*e/2))
	}
	return x
}
