package tally

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

const tailBits = 600

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(tailBits).SetFloat64(x) }

// bigExp returns exp(-x), x >= 0, by the series of exp(-x/2^k).
func bigExp(x *big.Float) *big.Float {
	const halvings, terms = 30, 30
	y := new(big.Float).SetPrec(tailBits).SetMantExp(x, -halvings)
	sum, term := bigFloat(1), bigFloat(1)
	for i := 1; i < terms; i++ {
		term.Mul(term, y)
		term.Quo(term, bigFloat(-float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// exactTail returns P(Z > z) of the sum of independent Laplace noises whose scales all differ, z >=
// 0: by partial fractions, prod 1/(1 + a_j^2 t^2) is sum A_j/(1 + a_j^2 t^2) with A_j = prod_{i !=
// j} 1/(1 - (a_i/a_j)^2), so that the tail is sum A_j exp(-z/a_j)/2. The terms alternate and
// cancel, thus the digits.
func exactTail(scales []float64, z float64) float64 {
	total := bigFloat(0)
	for j, a := range scales {
		term := bigExp(new(big.Float).SetPrec(tailBits).Quo(bigFloat(z), bigFloat(a)))
		for i, other := range scales {
			if i == j {
				continue
			}
			ratio := new(big.Float).SetPrec(tailBits).Quo(bigFloat(other), bigFloat(a))
			ratio.Mul(ratio, ratio)
			term.Quo(term, ratio.Sub(bigFloat(1), ratio))
		}
		total.Add(total, term)
	}
	p, _ := total.Float64()
	return p / 2
}

// equalTail returns ln(exp(z) P(Z > z)), the logarithm of a polynomial, of the sum of n independent
// Laplace noises of scale 1: a difference of two Gamma(n) numbers, G - G'. Given G', G is over z +
// G' with probability sum_{i<n} exp(-(z + G')) (z + G')^i/i!, and E G'^j exp(-G') =
// Gamma(n+j)/(Gamma(n) 2^(n+j)).
func equalTail(n int) func(z float64) float64 {
	factorial := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	coefficients := make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			coefficients[i-j] += math.Exp(-factorial(i-j) - factorial(j) + factorial(n+j-1) - factorial(n-1) - float64(n+j)*math.Ln2)
		}
	}
	return func(z float64) float64 {
		var p float64
		for i := n - 1; i >= 0; i-- {
			p = p*z + coefficients[i]
		}
		return math.Log(p)
	}
}

// TestEqualRoots: each entry is an upper bound of h(z)/sqrt(l(z)) on all of z >= 0, h(z) = z - l(z)
// being equalTail, and none is larger than that by more than two thousandths. Both h, a
// polynomial's logarithm with positive coefficients, and l grow, so that on [z, z + step] the ratio
// is at most h(z + step)/sqrt(l(z)); the steps are as short as that takes. From some z on the ratio
// falls: it does where h l' >= 2 h' l, and l' = 1 - h', l <= z and h' <= (n-1)/z, so that h (1 -
// (n-1)/z) >= 2 (n-1) is enough, whose left side grows.
func TestEqualRoots(t *testing.T) {
	for n := 2; n < len(equalRoots); n++ {
		h, root, most := equalTail(n), equalRoots[n], 0.0
		step := 0.1
		for z := 0.0; ; {
			slope := float64(n-1) / z
			if now := h(z); z > 0 && slope < 1 && now*(1-slope) >= 2*slope*z {
				break
			}
			l := z - h(z)
			most = max(most, h(z)/math.Sqrt(l))
			if h(z+step) > root*math.Sqrt(l) {
				if step /= 2; step < 1e-9 {
					t.Fatalf("%d noises: at z = %v a root of %v is needed, the table has %v", n, z, h(z)/math.Sqrt(l), root)
				}
				continue
			}
			z += step
			step *= 1.5
		}
		if root > most+0.002 {
			t.Errorf("%d noises: the table has %v, %v is enough", n, root, most)
		}
	}
}

// likelihoods are the l of the checks: on a grid that starts at 0, up to exp(-l) of 1e-130.
func likelihoods() (l []float64) {
	for v := 1e-6; v < 300; v *= 1.25 {
		l = append(l, v)
	}
	return append(l, 0, math.Ln2, math.Ln2*(1+1e-9))
}

func checkTail(t *testing.T, what any, tail privacy.Tail, exact func(z float64) float64) {
	t.Helper()
	for _, l := range likelihoods() {
		z := tail.Root*math.Sqrt(l) + tail.Linear*l
		if p := exact(z); !(p <= math.Exp(-l)*(1+1e-9)) {
			t.Fatalf("%v: P(Z > %v) = %v, want <= exp(-%v) = %v, tail %+v", what, z, p, l, math.Exp(-l), tail)
		}
	}
}

// TestTails: the bounds hold of the exact tails, for one noise, for equal ones, for random scales
// and for those of blocks that are remembered.
func TestTails(t *testing.T) {
	drawn := 60
	if testing.Short() {
		drawn = 20
	}
	for n := 1; n <= 40; n++ {
		if testing.Short() && n > 12 && n%10 != 0 {
			continue
		}
		scales := make([]float64, n)
		for i := range scales {
			scales[i] = 1
		}
		h := equalTail(n)
		exact := func(z float64) float64 { return math.Exp(h(z) - z) }
		if p := exact(1e-300); math.Abs(p-0.5) > 1e-9 { // the reference itself
			t.Fatalf("P(Z > 0) = %v for %d noises, want 1/2", p, n)
		}
		tail := tailOf(false, scales)
		checkTail(t, n, tail, exact)
		if n == 1 && tail != (privacy.Tail{Linear: 1}) {
			t.Errorf("one noise: %v, want that of scale 1 alone", tail)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range drawn {
		scales := make([]float64, 1+rng.IntN(6))
		for i := range scales {
			scales[i] = math.Exp(3 * rng.NormFloat64() * rng.Float64())
		}
		if p := exactTail(scales, 0); math.Abs(p-0.5) > 1e-9 {
			t.Fatalf("P(Z > 0) = %v for the scales %v, want 1/2", p, scales)
		}
		checkTail(t, scales, tailOf(false, scales), func(z float64) float64 { return exactTail(scales, z) })
	}
	for _, epsilon := range []float64{0.1, 2, 50} {
		opened, err := Blocks{Budget: privacy.Budget{Epsilon: epsilon}, Remember: true}.Open(privacy.Setup{Arms: 7, Slots: 3, Horizon: 1 << 14, Hi: 1})
		if err != nil {
			t.Fatal(err)
		}
		b := opened.(*blocks)
		for level := range b.levels {
			if level%3 != 2 {
				continue
			}
			scales, total := make([]float64, level+1), 0.0
			for j := range scales {
				total += 1 / b.variance(math.Ldexp(1, j), b.later)
			}
			for j := range scales {
				scales[j] = b.later / b.variance(math.Ldexp(1, j), b.later) / total / math.Pow(2, float64(j))
			}
			checkTail(t, []any{epsilon, level}, b.levels[level].tail, func(z float64) float64 { return exactTail(scales, z) })
		}
	}
	gaussian := tailOf(true, []float64{3, 4})
	checkTail(t, "Gaussian", gaussian, func(z float64) float64 { return math.Erfc(z/5/math.Sqrt2) / 2 })
	if tailOf(false, nil) != (privacy.Tail{}) || tailOf(false, []float64{0, 0}) != (privacy.Tail{}) || tailOf(true, []float64{0}) != (privacy.Tail{}) {
		t.Error("no noise has a tail")
	}
	expect.Near(t, "scales that are tiny", tailOf(false, []float64{3e-200, 3e-200}).Root, equalRoots[2]*3e-200, 1e-12)
}

// TestTailsAreTight says what the bounds give away, at the l of a confidence width, 3 ln(K t) for K
// = 3 and t = 1e4: nothing that counts for one noise, and not over a half for others. Without noise
// there is none.
func TestTailsAreTight(t *testing.T) {
	l := 3 * math.Log(3e4)
	for n := 1; n <= 20; n++ {
		scales := make([]float64, n)
		for i := range scales {
			scales[i] = 1
		}
		tail := tailOf(false, scales)
		h := equalTail(n)
		low, high := 0.0, 1e3
		for range 60 {
			if mid := (low + high) / 2; h(mid)-mid > -l {
				low = mid
			} else {
				high = mid
			}
		}
		ratio := (tail.Root*math.Sqrt(l) + tail.Linear*l) / high
		t.Logf("%d noises: %.3f of the exact bound", n, ratio)
		if ratio < 1 || ratio > 1.06 {
			t.Errorf("%d noises: the bound is %v of the exact one", n, ratio)
		}
	}
}
