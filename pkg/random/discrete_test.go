package random

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// Every statistical check below has a fixed seed; for a new seed each raises a false alarm with
// probability falseAlarm, less than 1e-4 for all hundred together.
const (
	falseAlarm = 1e-6
	// standard errors that a normal variable exceeds, either way, with that probability
	errors1e6 = 4.9
)

// law is a probability mass function on cells of stride integers, an odd number, the i-th around (i
// - reach) stride; what is left out of it is negligible.
type law struct {
	reach, stride int64
	p             []float64
}

// massFunction normalises a weight over the integers out to some distance. For stride > 1 a cell
// has the weight of its centre times stride, which is off by a relative (stride/scale)^2/24: below
// 1e-7 here.
func massFunction(out float64, stride int64, weight func(z float64) float64) law {
	reach := int64(out)/stride + 10
	l := law{reach, stride, make([]float64, 2*reach+1)}
	var sum float64
	for i := range l.p {
		l.p[i] = weight(l.at(i))
		sum += l.p[i]
	}
	for i := range l.p {
		l.p[i] /= sum
	}
	return l
}

func (l law) at(i int) float64 { return float64((int64(i) - l.reach) * l.stride) }

// stride is 1 up to a scale of 2000: there the law is exact.
func stride(scale float64) int64 { return 2*int64(scale/2000) + 1 }

func gaussianLaw(square float64) law {
	sigma := math.Sqrt(square)
	return massFunction(10*sigma, stride(sigma), func(z float64) float64 { return math.Exp(-z * z / (2 * square)) })
}

func laplaceLaw(scale float64) law {
	return massFunction(40*scale, stride(scale), func(z float64) float64 { return math.Exp(-math.Abs(z) / scale) })
}

func (l law) variance() (v, fourth float64) {
	for i, p := range l.p {
		z := l.at(i)
		v += p * z * z
		fourth += p * z * z * z * z
	}
	return v, fourth
}

// pValue is that of a chi-square test of a sample against the law, in up to 60 cells of
// neighbouring integers with at least 20 expected draws each.
func (l law) pValue(sample []int64) float64 {
	n := float64(len(sample))
	cell := make([]int, len(l.p))
	var expected []float64
	var mass, rest float64 = 0, 1
	for i, p := range l.p {
		cell[i] = len(expected)
		mass += p
		rest -= p
		if mass*n >= 20 && mass >= 1.0/60 && rest*n >= 20 || i == len(l.p)-1 {
			expected = append(expected, mass*n)
			mass = 0
		}
	}
	seen := make([]float64, len(expected))
	for _, z := range sample {
		i := z + l.stride*l.reach + l.stride/2
		if i < 0 || i/l.stride >= int64(len(cell)) {
			return 0 // outside of what has probability 1 to rounding
		}
		seen[cell[i/l.stride]]++
	}
	var chi float64
	for i, e := range expected {
		chi += (seen[i] - e) * (seen[i] - e) / e
	}
	return distuv.ChiSquared{K: float64(len(expected) - 1)}.Survival(chi)
}

type sampler interface {
	Rand(rand.Source) int64
	Fill(rand.Source, []int64)
}

func draw(s sampler, n, stream int) []int64 {
	sample := make([]int64, n)
	s.Fill(Source(11, stream, "discrete"), sample)
	return sample
}

// check tests a sample against its law: cells, mean, variance, symmetry and, where the law is wide,
// the residues modulo 8, which show what is wrong with low digits.
func check(t *testing.T, name string, sample []int64, l law) {
	t.Helper()
	if p := l.pValue(sample); p < falseAlarm {
		t.Errorf("%s: chi-square test of the cells has p = %.2g", name, p)
	}
	n := float64(len(sample))
	variance, fourth := l.variance()
	var sum, square, sign, signs float64
	var residues [8]float64
	for _, z := range sample {
		sum += float64(z)
		square += float64(z) * float64(z)
		if z > 0 {
			sign++
			signs++
		} else if z < 0 {
			sign--
			signs++
		}
		residues[z&7]++
	}
	if e := sum / math.Sqrt(n*variance); math.Abs(e) > errors1e6 {
		t.Errorf("%s: the mean is %.1f standard errors from 0", name, e)
	}
	if e := (square/n - variance) / math.Sqrt((fourth-variance*variance)/n); math.Abs(e) > errors1e6 {
		t.Errorf("%s: the variance is %v, %.1f standard errors from %v", name, square/n, e, variance)
	}
	if e := sign / math.Sqrt(signs); signs > 0 && math.Abs(e) > errors1e6 {
		t.Errorf("%s: the signs are %.1f standard errors from even", name, e)
	}
	if variance > 1e4 {
		var chi float64
		for _, r := range residues {
			chi += (r - n/8) * (r - n/8) / (n / 8)
		}
		if p := (distuv.ChiSquared{K: 7}).Survival(chi); p < falseAlarm {
			t.Errorf("%s: chi-square test of the residues modulo 8 has p = %.2g", name, p)
		}
	}
}

func TestDiscreteGaussian(t *testing.T) {
	for i, c := range []struct{ num, den uint64 }{
		{1, 16}, {1, 2}, {1, 1}, {4, 1}, {7, 3}, {123456789, 10_000_000}, {100, 1}, {12_345_678, 100}, {1_000_000_000_000, 1}, {3_000_001, 1 << 20},
	} {
		g, err := NewDiscreteGaussian(c.num, c.den)
		if err != nil {
			t.Fatal(err)
		}
		square := float64(c.num) / float64(c.den)
		if got := g.Sigma(); math.Abs(got*got/square-1) > 1e-14 {
			t.Errorf("Sigma() = %v, want the root of %v", got, square)
		}
		sample := draw(g, 300_000, i)
		check(t, gName(c.num, c.den), sample, gaussianLaw(square))
		if square >= 0.5 { // the test has power: it sees a sigma^2 that is 4% off
			if p := gaussianLaw(1.04 * square).pValue(sample); p > falseAlarm {
				t.Errorf("%s: passes as 1.04 times its sigma^2, p = %.2g", gName(c.num, c.den), p)
			}
		}
	}
}

func gName(num, den uint64) string { return "sigma^2 = " + big.NewRat(int64(num), int64(den)).String() }

func TestDiscreteLaplace(t *testing.T) {
	for i, c := range []struct{ num, den uint64 }{{1, 5}, {1, 1}, {2, 1}, {7, 3}, {1000, 333}, {100, 1}, {1 << 40, 3 << 30}, {1_000_000, 1}} {
		d, err := NewDiscreteLaplace(c.num, c.den)
		if err != nil {
			t.Fatal(err)
		}
		scale := float64(c.num) / float64(c.den)
		if got := d.Scale(); math.Abs(got/scale-1) > 1e-14 {
			t.Errorf("Scale() = %v, want %v", got, scale)
		}
		sample := draw(d, 300_000, 100+i)
		name := "scale = " + big.NewRat(int64(c.num), int64(c.den)).String()
		check(t, name, sample, laplaceLaw(scale))
		if scale >= 1 {
			if p := laplaceLaw(1.03 * scale).pValue(sample); p > falseAlarm {
				t.Errorf("%s: passes as 1.03 times that, p = %.2g", name, p)
			}
		}
	}
}

// TestDiscreteSums: a sum of discrete Gaussians has, to 1e-12 at these widths, the law of the
// discrete Gaussian whose sigma^2 is the sum. The difference of two geometric variables is discrete
// Laplace.
func TestDiscreteSums(t *testing.T) {
	a, _ := NewDiscreteGaussian(10, 1)
	b, _ := NewDiscreteGaussian(15, 2)
	sum := draw(a, 300_000, 200)
	for i, z := range draw(b, len(sum), 201) {
		sum[i] += z
	}
	check(t, "a sum of discrete Gaussians", sum, gaussianLaw(17.5))

	src := Source(11, 202, "discrete")
	difference := make([]int64, 300_000)
	for i := range difference {
		up, down := laplaceMagnitude(src, 6), laplaceMagnitude(src, 6)
		difference[i] = int64(up) - int64(down)
	}
	check(t, "a difference of geometric variables", difference, laplaceLaw(6))
}

func TestDiscreteLowestTerms(t *testing.T) {
	a, _ := NewDiscreteGaussian(7, 3)
	b, _ := NewDiscreteGaussian(700, 300)
	c, _ := NewDiscreteLaplace(7, 3)
	d, _ := NewDiscreteLaplace(700, 300)
	for _, pair := range [][2]sampler{{a, b}, {c, d}} {
		one, two := draw(pair[0], 1000, 1), draw(pair[1], 1000, 1)
		for i := range one {
			if one[i] != two[i] {
				t.Fatalf("%v and %v: draw %d is %d and %d", pair[0], pair[1], i, one[i], two[i])
			}
		}
	}
}

func TestDiscreteRefuses(t *testing.T) {
	for _, c := range []struct {
		num, den        uint64
		gauss, laplace  bool // accepted
		inGauss, inLapl string
	}{
		{0, 1, false, false, "0/1", "0/1"},
		{1, 0, false, false, "1/0", "1/0"},
		{1, 1, true, true, "", ""},
		{1 << 51, 1, true, false, "", "<= 2^50"},
		{1 << 51, 2, true, true, "", ""},
		{1 << 52, 1, false, false, "<= 2^52", "<= 2^50"}, // (2^26 + 1)^2 is just above
		{1<<52 - 1, 1, true, false, "", ""},
		{1, 1 << 52, true, true, "", ""},
		{1, 1<<52 + 1, false, true, "<= 2^52", ""},
		{math.MaxUint64, 1, false, false, "<= 2^52", "<= 2^50"},
		{math.MaxUint64, 2, false, false, "<= 2^52", "<= 2^50"},
		{1, math.MaxUint64, false, true, "<= 2^52", ""},
		{math.MaxUint64, math.MaxUint64, true, true, "", ""},
	} {
		_, err := NewDiscreteGaussian(c.num, c.den)
		if (err == nil) != c.gauss || err != nil && !strings.Contains(err.Error(), c.inGauss) {
			t.Errorf("NewDiscreteGaussian(%d, %d): %v", c.num, c.den, err)
		}
		_, err = NewDiscreteLaplace(c.num, c.den)
		if (err == nil) != c.laplace || err != nil && !strings.Contains(err.Error(), c.inLapl) {
			t.Errorf("NewDiscreteLaplace(%d, %d): %v", c.num, c.den, err)
		}
	}
}

// The widest parameters still work: no overflow shows as a variance that is off.
func TestDiscreteExtremes(t *testing.T) {
	for i, c := range []struct{ num, den uint64 }{{1<<52 - 1, 1}, {1<<50 - 1, 1 << 20}, {1 << 50, 1<<50 + 1}, {1, 1 << 52}} {
		g, err := NewDiscreteGaussian(c.num, c.den)
		if err != nil {
			t.Fatal(err)
		}
		const n = 100_000
		var square float64
		for _, z := range draw(g, n, 300+i) {
			if z > g.Max() || z < -g.Max() {
				t.Fatalf("%d is beyond Max = %d", z, g.Max())
			}
			square += float64(z) * float64(z) / n
		}
		want := float64(c.num) / float64(c.den)
		if c.num == 1 {
			if square != 0 {
				t.Errorf("sigma^2 = 2^-52: mean square %v, want 0", square)
			}
		} else if e := (square/want - 1) / math.Sqrt(2.0/n); math.Abs(e) > errors1e6 {
			t.Errorf("%s: the mean square is %v, %.1f standard errors off", gName(c.num, c.den), square, e)
		}
	}
	l, err := NewDiscreteLaplace(1<<50, 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	var mean float64
	for _, z := range draw(l, n, 400) {
		mean += math.Abs(float64(z)) / (1 << 50) / n
	}
	if e := (mean - 1) * math.Sqrt(n); math.Abs(e) > errors1e6 {
		t.Errorf("scale 2^50: mean magnitude %v of it, %.1f standard errors off", mean, e)
	}
}

// words is a source that hands out the words given, then fails the test.
type words struct {
	t    rapid.TB
	list []uint64
}

func (w *words) Uint64() uint64 {
	if len(w.list) == 0 {
		w.t.Fatalf("more words were taken than decide")
	}
	u := w.list[0]
	w.list = w.list[1:]
	return u
}

// TestBernoulliDigits: bernoulli compares a uniform number with num/den digit by digit, in base
// 2^64, for as long as the digits agree; the quotient's digits here come from math/big.
func TestBernoulliDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Bool().Draw(t, "64 bits")
		hi := rapid.Uint64Max(1<<42).Draw(t, "hi")
		if small {
			hi = 0
		}
		den := wide{hi, rapid.Uint64Min(2).Draw(t, "lo")}
		num := wide{0, rapid.Uint64().Draw(t, "num")}
		if hi > 0 {
			num.hi = rapid.Uint64Max(hi-1).Draw(t, "num hi")
		} else {
			num.lo %= den.lo
		}
		value := func(w wide) *big.Int {
			v := new(big.Int).SetUint64(w.hi)
			return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(w.lo))
		}
		var digits []uint64
		rest, d := value(num), value(den)
		ties := rapid.IntRange(0, 3).Draw(t, "ties")
		for range ties + 1 {
			digit := new(big.Int)
			digit.QuoRem(rest.Lsh(rest, 64), d, rest)
			digits = append(digits, digit.Uint64())
			if rest.Sign() == 0 {
				break // the expansion ends: the next digit is 0 and nothing is below it
			}
		}
		last := &digits[len(digits)-1]
		want := rapid.Bool().Draw(t, "below")
		if want {
			if *last == 0 {
				return
			}
			*last--
		} else if rest.Sign() != 0 {
			if *last == math.MaxUint64 {
				return
			}
			*last++
		}
		source := &words{t, digits}
		if small {
			if got := bernoulli(source, num.lo, den.lo); got != want {
				t.Fatalf("bernoulli(%d/%d) = %v for the digits %x", num.lo, den.lo, got, digits)
			}
			source.list = digits
		}
		if got := bernoulliWide(source, num, den); got != want {
			t.Fatalf("bernoulliWide(%v/%v) = %v for the digits %x", num, den, got, digits)
		}
		if len(source.list) > 0 {
			t.Fatalf("%d words are left", len(source.list))
		}
	})
	for _, c := range []struct {
		num, den uint64
		want     bool
	}{{1, 1, true}, {7, 3, true}, {math.MaxUint64, math.MaxUint64, true}} {
		if got := bernoulli(&words{t: t}, c.num, c.den); got != c.want {
			t.Errorf("bernoulli(%d/%d) = %v", c.num, c.den, got)
		}
	}
}

// TestBernoulliExp against exp(-num/den), over the parameters that the race meets.
func TestBernoulliExp(t *testing.T) {
	const n = 1_000_000
	src := Source(11, 500, "discrete")
	for _, c := range []struct{ num, den uint64 }{{0, 1}, {1, 1}, {1, 2}, {99, 100}, {1, 1000}, {5, 2}, {1 << 63, 1<<63 + 1}} {
		narrow, broad := 0, 0
		for range n {
			if c.num <= c.den && bernoulliExp(src, c.num, c.den) {
				narrow++
			}
			if bernoulliExpWide(src, product(c.num, 1<<40+1), product(c.den, 1<<40+1)) {
				broad++
			}
		}
		p := math.Exp(-float64(c.num) / float64(c.den))
		margin := errors1e6 * math.Sqrt(n*p*(1-p))
		if c.num <= c.den && math.Abs(float64(narrow)-n*p) > margin {
			t.Errorf("exp(-%d/%d): %d of %d, want %.0f within %.0f", c.num, c.den, narrow, n, n*p, margin)
		}
		if math.Abs(float64(broad)-n*p) > margin {
			t.Errorf("exp(-%d/%d), wide: %d of %d, want %.0f within %.0f", c.num, c.den, broad, n, n*p, margin)
		}
	}
}

func TestBelow(t *testing.T) {
	// 2^64 mod 3 = 1: of the words of low part 0, the first is rejected.
	if got := below(&words{t, []uint64{0, 1 << 63}}, 3); got != 1 {
		t.Errorf("below(3) = %d, want the word 0 rejected and 1 for the next", got)
	}
	if got := below(&words{t, []uint64{0}}, 4); got != 0 {
		t.Errorf("below(4) = %d, want 0: nothing is rejected for a power of two", got)
	}
	// A range of 3/4 of 2^64 would be visibly biased without the rejection: a third of it would be hit
	// twice as often.
	const n = 100_000
	src, size, low := Source(11, 600, "discrete"), uint64(3)<<62, 0
	for range n {
		if below(src, size) < size/2 {
			low++
		}
	}
	var chi float64
	var thirds [3]float64
	for range n {
		thirds[below(src, size)%3]++
	}
	for _, c := range thirds {
		chi += (c - n/3.0) * (c - n/3.0) / (n / 3.0)
	}
	if p := (distuv.ChiSquared{K: 2}).Survival(chi); p < falseAlarm {
		t.Errorf("below(3 2^62) modulo 3: %v, p = %.2g", thirds, p)
	}
	if e := (float64(low) - n/2) / math.Sqrt(n/4); math.Abs(e) > errors1e6 {
		t.Errorf("below(3 2^62) falls in the lower half %d times of %d", low, n)
	}
}

// TestDiscreteBrokenSource: a source that says 0 for ever makes the samplers panic, not loop or
// overflow.
func TestDiscreteBrokenSource(t *testing.T) {
	defer func() {
		if message, ok := recover().(string); !ok || !strings.Contains(message, "source of randomness is broken") {
			t.Errorf("recovered %q", message)
		}
	}()
	// exp(-1) succeeds for ever: fail Bernoulli(1/2) on the second trial
	odd := pattern{0, math.MaxUint64 >> 1}
	periods(&odd)
}

// pattern repeats two words.
type pattern [2]uint64

func (p *pattern) Uint64() uint64 {
	p[0], p[1] = p[1], p[0]
	return p[1]
}

func TestDiscreteAllocations(t *testing.T) {
	g, _ := NewDiscreteGaussian(12345, 100)
	l, _ := NewDiscreteLaplace(12345, 100)
	dst := make([]int64, 100)
	for name, src := range map[string]rand.Source{"system": new(System), "pcg": rand.NewPCG(1, 2)} {
		for _, s := range []sampler{g, l} {
			if n := testing.AllocsPerRun(100, func() { s.Fill(src, dst) }); n != 0 {
				t.Errorf("%T from %s: %v allocations for 100 draws", s, name, n)
			}
		}
	}
}
