package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// exact computes with numbers of so many bits, and knows pi and ln 2 to as many.
type exact struct {
	bits    uint
	pi, ln2 *big.Float
}

func (x exact) num(v float64) *big.Float { return new(big.Float).SetPrec(x.bits).SetFloat64(v) }
func (x exact) new() *big.Float          { return new(big.Float).SetPrec(x.bits) }
func (x exact) mul(a, b *big.Float) *big.Float {
	return x.new().Mul(a, b)
}
func (x exact) quo(a, b *big.Float) *big.Float { return x.new().Quo(a, b) }
func (x exact) add(a, b *big.Float) *big.Float { return x.new().Add(a, b) }
func (x exact) sub(a, b *big.Float) *big.Float { return x.new().Sub(a, b) }

// series adds up a power series to the last bit: first, and then each term by the one before.
func (x exact) series(first *big.Float, next func(term *big.Float, k int64)) *big.Float {
	sum, term := x.add(first, x.num(0)), x.add(first, x.num(0))
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-int(x.bits)-8; k++ {
		next(term, k)
		sum.Add(sum, term)
	}
	return sum
}

// newExact finds pi = 16 atan(1/5) - 4 atan(1/239) (Machin), and ln 2 = 2 atanh(1/3).
func newExact(bits uint) exact {
	x := exact{bits: bits}
	odd := func(inverse int64, sign int64) *big.Float { // atan(1/inverse) for sign -1, atanh for 1
		power := x.quo(x.num(1), x.num(float64(inverse)))
		square := x.num(float64(inverse * inverse))
		sum := x.add(power, x.num(0))
		for k := int64(1); power.MantExp(nil) > -int(bits)-8; k++ {
			power.Quo(power, square)
			term := x.quo(power, x.num(float64(2*k+1)))
			if sign < 0 && k%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
		return sum
	}
	x.pi = x.sub(x.mul(x.num(16), odd(5, -1)), x.mul(x.num(4), odd(239, -1)))
	x.ln2 = x.mul(x.num(2), odd(3, 1))
	return x
}

// exp halves its argument until it is small, and squares.
func (x exact) exp(v *big.Float) *big.Float {
	const halvings = 24
	whole, _ := x.quo(v, x.ln2).Int64()
	rest := x.sub(v, x.mul(x.num(float64(whole)), x.ln2))
	rest.SetMantExp(rest, -halvings)
	sum := x.series(x.num(1), func(term *big.Float, k int64) { term.Quo(term.Mul(term, rest), x.num(float64(k))) })
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(whole))
}

// above returns 1 - Phi(v), by Phi(v) - 1/2 = phi(v) (v + v^3/3 + v^5/(3 5) + ...), whose terms are
// of one sign.
func (x exact) above(v *big.Float) *big.Float {
	square := x.mul(v, v)
	minus := x.quo(square, x.num(-2))
	density := x.quo(x.exp(minus), x.new().Sqrt(x.mul(x.num(2), x.pi)))
	sum := x.num(0)
	if v.Sign() != 0 {
		sum = x.series(v, func(term *big.Float, k int64) { term.Quo(term.Mul(term, square), x.num(float64(2*k+1))) })
	}
	return x.sub(x.num(0.5), x.mul(density, sum))
}

// exactDelta returns Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) from this definition, with the
// bits to spare for what cancels in it; nil where it is below e^-800. It shares nothing with
// GaussianDelta.
func exactDelta(epsilon, mu float64) *big.Float {
	a := epsilon/mu - mu/2
	b := epsilon/mu + mu/2
	if a > 40 {
		return nil
	}
	lost := 1.5*b*b + math.Max(0, -2*math.Log2(mu))
	x := exactOf(uint(256 + 64*math.Ceil(lost/64)))
	z, half := x.quo(x.num(epsilon), x.num(mu)), x.num(mu/2)
	upper := x.mul(x.exp(x.num(epsilon)), x.above(x.add(z, half)))
	return x.sub(x.above(x.sub(z, half)), upper)
}

var exactly = map[uint]exact{}

func exactOf(bits uint) exact {
	if _, ok := exactly[bits]; !ok {
		exactly[bits] = newExact(bits)
	}
	return exactly[bits]
}

// over returns got/want - 1.
func over(got float64, want *big.Float) float64 {
	x := new(big.Float).SetPrec(256).SetFloat64(got)
	difference, _ := x.Quo(x.Sub(x, want), want).Float64()
	return difference
}

// gaussianPoints are (epsilon, mu) on a grid and at random.
func gaussianPoints(random int) (points [][2]float64) {
	for _, epsilon := range []float64{0, 1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 1, 3, 10, 100, 700} {
		for _, mu := range []float64{1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 1e-3, 0.1, 0.26, 0.999, 1, 1.001, 2, 4, 7, 30} {
			points = append(points, [2]float64{epsilon, mu})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range random {
		mu := math.Exp(math.Log(1e-14) + rng.Float64()*math.Log(1e15))
		points = append(points, [2]float64{mu * mu / 2 * rng.Float64() * 2, mu}, [2]float64{mu * (mu/2 + 38*rng.Float64()), mu})
	}
	return points
}

// TestGaussianDeltaExactly: never below the truth, and above it by a relative 1.6e-12 at most, or
// by some units of a denormal number's last place.
func TestGaussianDeltaExactly(t *testing.T) {
	random := 600
	if testing.Short() {
		random = 60
	}
	least, most := math.Inf(1), 0.0
	var leastAt, mostAt [2]float64
	for _, c := range gaussianPoints(random) {
		want := exactDelta(c[0], c[1])
		got := account.GaussianDelta(c[0], c[1])
		if want == nil {
			if got != math.SmallestNonzeroFloat64 {
				t.Errorf("delta(%v, %v) = %v, want the least float64", c[0], c[1], got)
			}
			continue
		}
		by := over(got, want)
		if got < 1 && got > 1e-300 && by < least {
			least, leastAt = by, c
		}
		if by > most && got > 1e-300 {
			most, mostAt = by, c
		}
		if by < 0 || got > 1e-300 && by > 1.6e-12 || got <= 1e-300 && by*got > 1e-312+2e-323 {
			t.Errorf("delta(%v, %v) = %v, %v of the truth above it, want in [0, 1.6e-12]", c[0], c[1], got, by)
		}
	}
	t.Logf("above the truth by %.3g at %v to %.3g at %v", least, leastAt, most, mostAt)
}

var exactDeltas = []float64{1e-300, 1e-200, 1e-100, 1e-50, 1e-20, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 0.5, 0.9}

// TestGaussianMuExactly: at mu* the truth is within delta, and a relative 1e-11 beyond it is not.
func TestGaussianMuExactly(t *testing.T) {
	epsilons := []float64{1e-300, 1e-100, 1e-20, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1, 2, 3, 5, 10}
	if testing.Short() {
		epsilons = []float64{1e-300, 1e-12, 1e-6, 1e-2, 1, 10}
	}
	for _, epsilon := range epsilons {
		for _, delta := range exactDeltas {
			mu, err := Budget{epsilon, delta}.GaussianMu()
			if err != nil {
				t.Fatal(err)
			}
			if at := exactDelta(epsilon, mu); at != nil && over(delta, at) < 0 {
				t.Errorf("mu*(%v, %v) = %v really has delta = %v", epsilon, delta, mu, at)
			}
			if at := exactDelta(epsilon, mu*(1+1e-11)); at == nil || over(delta, at) >= 0 {
				t.Errorf("mu*(%v, %v) = %v, want more: at a relative 1e-11 above delta = %v", epsilon, delta, mu, at)
			}
		}
	}
}

// TestGaussianEpsilonExactly: at the epsilon returned the truth is within delta, and it is not
// where delta is less by a relative 1e-11.
func TestGaussianEpsilonExactly(t *testing.T) {
	mus := []float64{1e-290, 1e-100, 1e-20, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.999, 1.001, 2, 4, 7}
	if testing.Short() {
		mus = []float64{1e-290, 1e-12, 1e-3, 0.5, 1.001, 4}
	}
	for _, mu := range mus {
		for _, delta := range exactDeltas {
			epsilon := account.GaussianEpsilon(delta, mu)
			at := exactDelta(epsilon, mu)
			if at != nil && over(delta, at) < 0 {
				t.Errorf("epsilon(%v, %v) = %v really has delta = %v", delta, mu, epsilon, at)
			}
			if epsilon > 0 && (at == nil || over(delta, at) > 1e-11) {
				t.Errorf("epsilon(%v, %v) = %v, want less: its delta = %v", delta, mu, epsilon, at)
			}
		}
	}
}
