package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The functions are compared with sums of series at 300 bits or more.

func number(x float64, bits uint) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func bigExp(x *big.Float) *big.Float {
	bits := x.Prec()
	halvings := max(0, x.MantExp(nil)+8)
	r := new(big.Float).SetPrec(bits).SetMantExp(x, -halvings)
	sum, term := number(1, bits), number(1, bits)
	for k := 1.0; term.Sign() != 0 && term.MantExp(nil) > -int(bits); k++ {
		term.Quo(term.Mul(term, r), number(k, bits))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves e^y = x by Halley's iteration, which triples the digits of the start.
func bigLog(x *big.Float) *big.Float {
	bits := x.Prec()
	if f, _ := x.Float64(); f == 1 && x.Cmp(number(1, bits)) == 0 {
		return number(0, bits)
	}
	var m big.Float
	k := x.MantExp(&m)
	f, _ := m.Float64()
	y := number(math.Log(f)+float64(k)*math.Ln2, bits)
	for range 4 {
		e := bigExp(y)
		d := new(big.Float).SetPrec(bits).Sub(x, e)
		d.Quo(d, e.Add(e, x))
		y.Add(y, d.Add(d, d))
	}
	return y
}

// bigErfc sums the Maclaurin series of erf.
func bigErfc(x float64) *big.Float {
	bits := uint(300 + 6*x*x)
	v := number(x, bits)
	square := new(big.Float).SetPrec(bits).Mul(v, v)
	sum, term := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits).Set(v)
	for n := 0; term.Sign() != 0 && term.MantExp(nil) > -int(bits); n++ {
		part := new(big.Float).SetPrec(bits).Quo(term, number(float64(2*n+1), bits))
		sum.Add(sum, part)
		term.Quo(term.Mul(term, square), number(float64(n+1), bits)).Neg(term)
	}
	root := new(big.Float).SetPrec(bits).Sqrt(bigPi(bits))
	sum.Quo(sum.Add(sum, sum), root)
	return sum.Sub(number(1, bits), sum)
}

// bigPi is Machin's 16 atan(1/5) - 4 atan(1/239).
func bigPi(bits uint) *big.Float {
	atan := func(inverse float64) *big.Float {
		sum, power := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits).Quo(number(1, bits), number(inverse, bits))
		for n := 1.0; power.MantExp(nil) > -int(bits)-8; n += 2 {
			sum.Add(sum, new(big.Float).SetPrec(bits).Quo(power, number(n, bits)))
			power.Quo(power, number(-inverse*inverse, bits))
		}
		return sum
	}
	a := atan(5)
	a.Mul(a, number(16, bits))
	b := atan(239)
	return a.Sub(a, b.Mul(b, number(4, bits)))
}

// off is the error of got in units in the last place of want.
func off(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	unit := math.Nextafter(math.Abs(nearest), math.Inf(1)) - math.Abs(nearest)
	d := new(big.Float).SetPrec(want.Prec()).Sub(number(got, want.Prec()), want)
	v, _ := d.Quo(d, number(unit, want.Prec())).Float64()
	return math.Abs(v)
}

func TestAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	between := func(lo, hi float64) func() float64 { return func() float64 { return lo + (hi-lo)*rng.Float64() } }
	tiny := func() float64 { return math.Ldexp(rng.Float64()-0.5, -rng.IntN(70)) }
	positive := func() float64 { return math.Ldexp(1+rng.Float64(), rng.IntN(2046)-1022) }
	exp := func(x float64) *big.Float { return bigExp(number(x, 300)) }
	expm1 := func(x float64) *big.Float { return new(big.Float).Sub(exp(x), number(1, 300)) }
	log := func(x float64) *big.Float { return bigLog(number(x, 300)) }
	log1p := func(x float64) *big.Float {
		return bigLog(new(big.Float).SetPrec(300).Add(number(x, 300), number(1, 300)))
	}
	log2 := func(x float64) *big.Float { return new(big.Float).Quo(log(x), log(2)) }
	tanh := func(x float64) *big.Float {
		e := exp(2 * x)
		return new(big.Float).Quo(new(big.Float).Sub(e, number(1, 300)), new(big.Float).Add(e, number(1, 300)))
	}
	erf := func(x float64) *big.Float { v := bigErfc(x); return v.Sub(number(1, v.Prec()), v) }
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		exact  func(float64) *big.Float
		draw   func() float64
		points int
		most   float64
	}{
		{"Exp", Exp, exp, between(-700, 700), 4000, 0.52},
		{"Exp", Exp, exp, between(-2, 2), 4000, 0.52},
		{"Exp", Exp, exp, tiny, 1000, 0.52},
		{"Exp", Exp, exp, between(708, 709.7), 300, 0.52},
		{"Exp", Exp, exp, between(-745, -708), 500, 0.76}, // below the normal numbers: rounded twice
		{"Expm1", Expm1, expm1, between(-40, 40), 2000, 0.52},
		{"Expm1", Expm1, expm1, between(-1, 1), 4000, 0.52},
		{"Expm1", Expm1, expm1, between(-0.02, 0.02), 4000, 0.52},
		{"Expm1", Expm1, expm1, tiny, 2000, 0.52},
		{"Log", Log, log, positive, 2000, 0.52},
		{"Log", Log, log, between(0.5, 2), 4000, 0.52},
		{"Log", Log, log, between(0.97, 1.03), 4000, 0.52},
		{"Log", Log, log, func() float64 { return 1 + tiny() }, 1000, 0.52},
		{"Log", Log, log, func() float64 { return math.Float64frombits(rng.Uint64() >> (13 + rng.IntN(50))) }, 500, 0.52},
		{"Log1p", Log1p, log1p, between(-1, 3), 4000, 0.52},
		{"Log1p", Log1p, log1p, between(-0.03, 0.03), 4000, 0.52},
		{"Log1p", Log1p, log1p, tiny, 2000, 0.52},
		{"Log1p", Log1p, log1p, func() float64 { return 1 / math.Ldexp(1+rng.Float64(), -rng.IntN(1000)) }, 1000, 0.52},
		{"Log2", Log2, log2, positive, 1000, 0.55},
		{"Log2", Log2, log2, between(0.7, 1.5), 2000, 0.55},
		{"Tanh", Tanh, tanh, between(-20, 20), 2000, 2},
		{"Tanh", Tanh, tanh, tiny, 1000, 2},
		{"Erfc", Erfc, bigErfc, between(0.25, 6), 1500, 0.8},
		{"Erfc", Erfc, bigErfc, between(6, 26.5), 60, 0.8},
		{"Erfc", Erfc, bigErfc, between(26.5, 27.2), 8, 0.76},
		{"Erfc", Erfc, bigErfc, between(-6, 0.25), 1000, 0.8},
		{"Erf", Erf, erf, between(-4, 4), 1500, 0.8},
		{"Erf", Erf, erf, tiny, 1000, 0.8},
	} {
		worst, at := 0.0, 0.0
		if testing.Short() {
			c.points = c.points/10 + 1
		}
		for range c.points {
			if x := c.draw(); x != 0 {
				if e := off(c.f(x), c.exact(x)); !(e <= worst) {
					worst, at = e, x
				}
			}
		}
		if !(worst <= c.most) {
			t.Errorf("%s(%v) = %v, off by %.3f units, want at most %v", c.name, at, c.f(at), worst, c.most)
		}
		t.Logf("%-6s %.3f at %v", c.name, worst, at)
	}
}

func TestPow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for range 4000 {
		x := math.Exp(rng.Float64()*20 - 10)
		if rng.IntN(2) == 0 {
			x = 0.5 + rng.Float64()
		}
		y := (rng.Float64()*2 - 1) * 700 / math.Max(1, math.Abs(math.Log(x)))
		if rng.IntN(2) == 0 {
			y /= 100
		}
		e := bigLog(number(x, 300))
		if d := off(Pow(x, y), bigExp(e.Mul(e, number(y, 300)))); !(d <= worst) {
			if worst = d; !(d <= 0.55) {
				t.Errorf("Pow(%v, %v) = %v, off by %.3f units", x, y, Pow(x, y), d)
			}
		}
	}
	t.Logf("Pow    %.3f", worst)
	for _, x := range []float64{-2, -1, 0, math.Copysign(0, -1), 1, 3, 10, math.Inf(1), math.Inf(-1), math.NaN(), 1e-310} {
		for _, y := range []float64{-3, -2, -0.5, 0, 0.5, 1, 2, 3, 7, 200, -400, math.Inf(1), math.Inf(-1), math.NaN()} {
			got, want := Pow(x, y), math.Pow(x, y)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) && !(math.Abs(got/want-1) < 1e-13) || math.Signbit(got) != math.Signbit(want) && got == got {
				t.Errorf("Pow(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

// Gamma's values at whole and half numbers are products.
func TestLgamma(t *testing.T) {
	half := new(big.Float).Sqrt(bigPi(300)) // Gamma(1/2)
	whole, worst := number(1, 300), 0.0
	for n := 1.0; n < 400; n++ {
		for _, c := range []struct {
			x     float64
			gamma *big.Float
		}{{n, whole}, {n - 0.5, half}} {
			want := bigLog(c.gamma)
			if c.x < 3 { // ln Gamma is 0 at 1 and 2
				if v, _ := want.Float64(); math.Abs(Lgamma(c.x)-v) > 0x1p-53*math.Abs(v)+0x1p-60 {
					t.Errorf("Lgamma(%v) = %v, want %v", c.x, Lgamma(c.x), v)
				}
				continue
			}
			if e := off(Lgamma(c.x), want); !(e <= worst) {
				if worst = e; !(e <= 0.55) {
					t.Errorf("Lgamma(%v) = %v, off by %.3f units", c.x, Lgamma(c.x), e)
				}
			}
		}
		whole.Mul(whole, number(n, 300))
		half.Mul(half, number(n-0.5, 300))
	}
	t.Logf("Lgamma %.3f", worst)
	if Lgamma(1) != 0 || Lgamma(2) != 0 {
		t.Errorf("Lgamma(1), Lgamma(2) = %v, %v, want 0, 0", Lgamma(1), Lgamma(2))
	}
	for _, x := range []float64{0.001, 1e-10, 1e-300, 3.7, 1e5 + 0.25, 1e12, 1e200, 1e305, 0, math.Inf(1)} {
		if want, _ := math.Lgamma(x); Lgamma(x) != want && !(math.Abs(Lgamma(x)/want-1) < 1e-15) {
			t.Errorf("Lgamma(%v) = %v, want %v", x, Lgamma(x), want)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name string
		f, g func(float64) float64
	}{
		{"Exp", Exp, math.Exp}, {"Expm1", Expm1, math.Expm1}, {"Log", Log, math.Log}, {"Log1p", Log1p, math.Log1p},
		{"Log2", Log2, math.Log2}, {"Tanh", Tanh, math.Tanh}, {"Erf", Erf, math.Erf}, {"Erfc", Erfc, math.Erfc},
	} {
		for _, x := range []float64{0, zero, inf, -inf, nan, -1, 1, -2, 1e300, -1e300, 5e-324, -5e-324, 1e-200, 1e-20, 800, -800} {
			got, want := c.f(x), c.g(x)
			if c.name == "Log" && x == 5e-324 {
				want = -744.4400719213812
			}
			same := got == want && math.Signbit(got) == math.Signbit(want) || math.IsNaN(got) && math.IsNaN(want)
			if !same && !(math.Abs(got/want-1) < 1e-15) {
				t.Errorf("%s(%v) = %v, want %v", c.name, x, got, want)
			}
		}
	}
	for k := -1074; k < 1024; k++ {
		if got := Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Fatalf("Log2(2^%d) = %v", k, got)
		}
	}
	for _, x := range []float64{0, 1, -3, 1e200, -1e200, 1e-200, inf, nan} {
		for _, y := range []float64{0, -4, 1e200, 1e-200, -inf, nan} {
			got, want := Hypot(x, y), math.Hypot(x, y)
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) && !(math.Abs(got/want-1) < 1e-15) {
				t.Errorf("Hypot(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

func BenchmarkLog(b *testing.B)       { benchmark(b, Log) }
func BenchmarkExp(b *testing.B)       { benchmark(b, Exp) }
func BenchmarkLog1p(b *testing.B)     { benchmark(b, Log1p) }
func BenchmarkExpm1(b *testing.B)     { benchmark(b, Expm1) }
func BenchmarkErfc(b *testing.B)      { benchmark(b, Erfc) }
func BenchmarkMathLog(b *testing.B)   { benchmark(b, math.Log) }
func BenchmarkMathExp(b *testing.B)   { benchmark(b, math.Exp) }
func BenchmarkMathLog1p(b *testing.B) { benchmark(b, math.Log1p) }
func BenchmarkMathExpm1(b *testing.B) { benchmark(b, math.Expm1) }
func BenchmarkMathErfc(b *testing.B)  { benchmark(b, math.Erfc) }

func benchmark(b *testing.B, f func(float64) float64) {
	x, sum := 0.3, 0.0
	for b.Loop() {
		sum += f(x)
		x = x*1.0001 + 1e-9
		if x > 3 {
			x = 0.01
		}
	}
	sink = sum
}

var sink float64

func TestNormalQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{ // by mpmath at 40 digits
		{0.975, 1.959963984540054}, {1e-10, -6.361340902404056}, {1e-300, -37.04709629936120}, {0.5, 0}, {0.3, -0.5244005127080408},
	} {
		if got := NormalQuantile(c.p); math.Abs(got-c.want) > 5e-16*math.Abs(c.want) {
			t.Errorf("NormalQuantile(%v) = %v, want %v", c.p, got, c.want)
		}
	}
}

// I_x(a, b) for whole a and b is the probability of a or more successes in a+b-1 trials.
func TestRegIncBeta(t *testing.T) {
	for n := 1; n <= 60; n += 7 {
		for k := 1; k <= n; k++ {
			for _, x := range []float64{1e-9, 0.01, 0.25, 0.5, 0.9, 0.999} {
				sum, p := number(0, 300), number(x, 300)
				q := new(big.Float).Sub(number(1, 300), p)
				for i := k; i <= n; i++ {
					term := new(big.Float).SetPrec(300).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
					for range i {
						term.Mul(term, p)
					}
					for range n - i {
						term.Mul(term, q)
					}
					sum.Add(sum, term)
				}
				want, _ := sum.Float64()
				if got := RegIncBeta(float64(k), float64(n-k+1), x); !(math.Abs(got-want) <= 2e-14*want+1e-300) {
					t.Errorf("RegIncBeta(%d, %d, %v) = %v, want %v", k, n-k+1, x, got, want)
				}
			}
		}
	}
	// by mpmath's quadrature at 40 digits, and symmetry
	for _, c := range []struct{ a, b, x, want, relative float64 }{
		{3e6, 7e6, 0.2998, 0.08376031586513022, 1e-11},
		{100, 1e5, 0.0008, 0.01746403969653776, 1e-13},
		{5e6, 5e6, 0.5, 0.5, 1e-11},
		{0.5, 0.5, 0.5, 0.5, 1e-14},
	} {
		if got := RegIncBeta(c.a, c.b, c.x); math.Abs(got/c.want-1) > c.relative {
			t.Errorf("RegIncBeta(%v, %v, %v) = %v, want %v", c.a, c.b, c.x, got, c.want)
		}
	}
	for _, c := range []struct{ p, freedom, want float64 }{{0.975, 1, 12.706204736174698}, {0.975, 10, 2.2281388519862747}, {0.975, 2, 4.302652729749464}} {
		if got := StudentQuantile(c.p, c.freedom); math.Abs(got/c.want-1) > 1e-13 {
			t.Errorf("StudentQuantile(%v, %v) = %v, want %v", c.p, c.freedom, got, c.want)
		}
	}
}

// bigTurns returns the sine and the cosine of 2 pi t by Maclaurin's series.
func bigTurns(t float64) (sin, cos *big.Float) {
	const bits = 400
	t -= math.RoundToEven(t)
	x := new(big.Float).SetPrec(bits).Mul(number(2*t, bits), bigPi(bits))
	sums := [2]*big.Float{number(0, bits), number(0, bits)}
	term := number(1, bits)
	for k := 0; term.Sign() != 0 && term.MantExp(nil) > -bits; k++ {
		if k%4 < 2 {
			sums[k%2].Add(sums[k%2], term)
		} else {
			sums[k%2].Sub(sums[k%2], term)
		}
		term.Quo(term.Mul(term, x), number(float64(k+1), bits))
	}
	return sums[1], sums[0]
}

func TestTurns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var worst, circle float64
	for i := range 6000 {
		x := rng.Float64() - 0.5
		switch i % 3 {
		case 1:
			x = math.Ldexp(x, rng.IntN(60))
		case 2:
			x = math.Ldexp(x, -rng.IntN(60)) + float64(rng.IntN(9))/8
		}
		sin, cos := Turns(x)
		s, c := bigTurns(x)
		if e := max(off(sin, s), off(cos, c)); !(e <= worst) && x != math.RoundToEven(4*x)/4 {
			if worst = e; !(e <= 0.8) {
				t.Errorf("Turns(%v) = %v, %v, off by %.3f units", x, sin, cos, e)
			}
		}
		circle = max(circle, math.Abs(sin*sin+cos*cos-1))
	}
	t.Logf("Turns  %.3f, sin^2 + cos^2 within %.2g of 1", worst, circle)
	if !(circle < 4e-16) {
		t.Errorf("sin^2 + cos^2 is %v off 1", circle)
	}
	for _, c := range [][3]float64{{0, 0, 1}, {0.25, 1, 0}, {-0.25, -1, 0}, {0.5, 0, -1}, {7.75, -1, 0}, {1e300, 0, 1}, {-(1 << 60), 0, 1}} {
		if sin, cos := Turns(c[0]); sin != c[1] || cos != c[2] {
			t.Errorf("Turns(%v) = %v, %v, want %v, %v", c[0], sin, cos, c[1], c[2])
		}
	}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if sin, cos := Turns(x); sin == sin || cos == cos {
			t.Errorf("Turns(%v) = %v, %v, want NaN", x, sin, cos)
		}
	}
}

func BenchmarkTurns(b *testing.B) {
	benchmark(b, func(x float64) float64 { s, c := Turns(x); return s + c })
}
