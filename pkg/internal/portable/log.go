package portable

import "math"

const (
	ln2Hi = 0.6931471805598903 // a multiple of 2^-42, so that its products with exponents are exact
	ln2Lo = 5.497923018708371e-14
	least = 0x1p-1022 // least normal number
)

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if x >= least && x <= math.MaxFloat64 {
		return logOf(x, 0)
	}
	return logFar(x)
}

func logFar(x float64) float64 {
	if x > 0 && x < least {
		return logOf(x*0x1p52, -52)
	}
	return math.Log(x) // NaN or infinite
}

// logOf returns ln x + k ln 2 for a normal x.
//
// With x = 2^k z, c is a number of few bits near 1/z, so that r = z c - 1 is computed without error
// in two parts. Then ln z = ln(1+r) - ln c (Tang, "Table-driven implementation of the logarithm
// function in IEEE floating-point arithmetic", 1990).
func logOf(x, k float64) float64 {
	from := math.Float64bits(x) - 0x3fe6000000000000
	k += float64(int64(from) >> 52)
	entry := &inverses[from>>45&127]
	z := math.Float64frombits(math.Float64bits(x) - from&(0xfff<<52))
	head := math.Float64frombits(math.Float64bits(z) &^ (1<<27 - 1))
	most, rest := float64(head*entry.c)-1, float64((z-head)*entry.c)
	r := most + rest
	w := float64(k*ln2Hi) + entry.hi
	sum := w + r
	low := (w - sum) + r + ((most - r) + rest) + (float64(k*ln2Lo) + entry.lo)
	return sum + (low + tail(r))
}

// tail returns ln(1+r) - r for -2^-8 <= r <= 2^-7.
func tail(r float64) float64 {
	q := float64(r * r)
	a := -1.0/2 + float64(r*(1.0/3))
	b := -1.0/4 + float64(r*(1.0/5))
	c := -1.0/6 + float64(r*(1.0/7)) - float64(q*(1.0/8))
	return float64(q * (a + float64(q*(b+float64(q*c)))))
}

// Log1p returns ln(1+x), accurate for small x.
func Log1p(x float64) float64 {
	if !(x > -1 && x < 0x1p60) || math.Abs(x) < 0x1p-54 {
		return log1pFar(x)
	}
	u := 1 + x
	var lost float64
	if x < 1 {
		lost = x - (u - 1)
	} else {
		lost = 1 - (u - x)
	}
	from := math.Float64bits(u) - 0x3fe6000000000000
	exponent := int64(from) >> 52
	k := float64(exponent)
	entry := &inverses[from>>45&127]
	z := math.Float64frombits(math.Float64bits(u) - from&(0xfff<<52))
	head := math.Float64frombits(math.Float64bits(z) &^ (1<<27 - 1))
	lost = float64(lost * math.Float64frombits(uint64(1023-exponent)<<52) * entry.c)
	most, rest := float64(head*entry.c)-1, float64((z-head)*entry.c)
	near := most + rest
	r := near + lost
	w := float64(k*ln2Hi) + entry.hi
	sum := w + r
	low := (w - sum) + r + ((most - near) + rest) + ((near - r) + lost) + (float64(k*ln2Lo) + entry.lo)
	return sum + (low + tail(r))
}

func log1pFar(x float64) float64 {
	switch {
	case math.Abs(x) < 0x1p-54:
		return x
	case x == -1:
		return math.Inf(-1)
	case x < -1:
		return math.NaN()
	}
	return Log(x)
}

// logPair returns ln x to 66 bits in two parts, for a finite x > 0.
func logPair(x float64) (hi, lo float64) {
	k := 0.0
	if x < least {
		x, k = x*0x1p52, -52
	}
	from := math.Float64bits(x) - 0x3fe6000000000000
	k += float64(int64(from) >> 52)
	entry := &inverses[from>>45&127]
	z := math.Float64frombits(math.Float64bits(x) - from&(0xfff<<52))
	r, low := product(z, entry.c)
	r, low = twoSum(r-1, low)
	half, rest := product(r, -0.5*r)
	q := float64(r * r)
	p := 1.0/7 - float64(r*(1.0/8)) + float64(q*(1.0/9-float64(r*(1.0/10))))
	p = 1.0/3 - float64(r*(1.0/4)) + float64(q*(1.0/5-float64(r*(1.0/6))+float64(q*p)))
	rest += float64(float64(q*r)*p) - float64(r*low)
	hi, a := twoSum(float64(k*ln2Hi)+entry.hi, r)
	hi, b := twoSum(hi, half)
	return twoSum(hi, a+(low+(b+(float64(k*ln2Lo)+entry.lo)+rest)))
}

// Log2 returns the logarithm of x in base 2, exact for powers of 2.
func Log2(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log(x)
	}
	const hi, lo = 1.4426950408889634, 2.0355273740931033e-17 // 1/ln 2
	frac, k := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac, k = 2*frac, k-1
	}
	a, b := logPair(frac)
	p, low := product(a, hi)
	sum, left := twoSum(float64(k), p)
	return sum + (left + (low + float64(a*lo) + float64(b*hi)))
}

// Pow returns x^y, with the special cases of math.Pow.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1 || x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0):
		return math.Pow(x, y) // by definition, without arithmetic
	case x < 0:
		if y != math.Trunc(y) {
			return math.NaN()
		}
		p := Pow(-x, y)
		if math.Mod(y, 2) != 0 {
			p = -p
		}
		return p
	}
	hi, lo := logPair(x)
	p, low := product(y, hi)
	low += float64(y * lo)
	switch {
	case p > 710:
		return math.Inf(1)
	case p < -746:
		return 0
	}
	return raise(expPair(p, low))
}

// Hypot returns sqrt(x^2+y^2) without unnecessary overflow or underflow.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if math.IsInf(x, 1) || math.IsInf(y, 1) {
		return math.Inf(1)
	}
	if x < y {
		x, y = y, x
	}
	if x == 0 {
		return y // 0, or no number
	}
	q := y / x
	return x * math.Sqrt(1+float64(q*q))
}
