package account_test

import (
	"fmt"
	"math"
	"sort"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// curve is a privacy curve delta(epsilon), for any real epsilon.
type curve func(epsilon float64) float64

// inverse returns the least epsilon >= 0 with curve <= delta.
func (c curve) inverse(delta float64) float64 {
	if c(0) <= delta {
		return 0
	}
	lo, hi := 0.0, 1.0
	for c(hi) > delta {
		lo, hi = hi, 2*hi
	}
	for range 45 {
		if mid := (lo + hi) / 2; c(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// then composes a curve with an atomic law of the loss: E_L[delta(epsilon - L)].
func (c curve) then(losses, masses []float64) curve {
	return func(epsilon float64) float64 {
		sum := 0.0
		for i, l := range losses {
			sum += masses[i] * c(epsilon-l)
		}
		return sum
	}
}

// thenLaplace composes a curve with Laplace noise, by Simpson's rule between the given kinks of the
// integrand in epsilon - L.
func (c curve) thenLaplace(eps float64, kinks ...float64) curve {
	return func(epsilon float64) float64 {
		sum := c(epsilon-eps)/2 + c(epsilon+eps)*math.Exp(-eps)/2
		cuts := []float64{-eps, eps}
		for _, k := range kinks {
			if x := epsilon - k; x > -eps && x < eps {
				cuts = append(cuts, x)
			}
		}
		sort.Float64s(cuts)
		const n = 100
		for i := 1; i < len(cuts); i++ {
			a, h := cuts[i-1], (cuts[i]-cuts[i-1])/(2*n)
			for j := 0; j <= 2*n; j++ {
				weight := 2.0 + 2*float64(j%2)
				if j == 0 || j == 2*n {
					weight = 1
				}
				l := a + float64(j)*h
				sum += weight * h / 3 * math.Exp((l-eps)/2) / 4 * c(epsilon-l)
			}
		}
		return sum
	}
}

func laplaceCurve(eps float64) curve {
	return func(e float64) float64 {
		switch {
		case e >= eps:
			return 0
		case e <= -eps:
			return -math.Expm1(e)
		}
		return -math.Expm1((e - eps) / 2)
	}
}

func gaussianCurve(mu float64) curve {
	return func(e float64) float64 { return account.GaussianDelta(e, mu) }
}

// responseCurve is that of randomised responses among 2, k of them, as a sum over the number of
// truths.
func responseCurve(eps float64, k int) curve {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return func(e float64) float64 {
		sum := 0.0
		for j := 0; j <= k; j++ { // j lies
			l := float64(k-2*j) * eps
			if l <= e {
				break
			}
			p := math.Exp(lg(k) - lg(j) - lg(k-j) - float64(j)*eps - float64(k)*math.Log1p(math.Exp(-eps)))
			sum += p * -math.Expm1(e-l)
		}
		return sum
	}
}

func TestPLDClosedForms(t *testing.T) {
	t.Parallel()
	laplace2 := laplaceCurve(0.7).thenLaplace(0.7, -0.7, 0.7)
	cases := []struct {
		event  account.Event
		truth  curve
		deltas []float64
	}{
		{account.LaplaceEvent{Epsilon: 1}, laplaceCurve(1), []float64{0.1, 1e-3, 1e-6, 1e-9}},
		{account.LaplaceEvent{Epsilon: 0.01}, laplaceCurve(0.01), []float64{1e-3, 1e-6}},
		{account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.7}, Times: 2}, laplace2, []float64{0.1, 1e-3, 1e-6, 1e-9}},
		{account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.7}, Times: 3}, laplace2.thenLaplace(0.7, -1.4, 0, 1.4), []float64{0.1, 1e-3, 1e-6}},
		{account.Sequence{account.LaplaceEvent{Epsilon: 0.7}, account.LaplaceEvent{Epsilon: 0.31}}, laplaceCurve(0.7).thenLaplace(0.31, -0.7, 0.7), []float64{0.1, 1e-3, 1e-6}},
		{account.ResponseEvent{Epsilon: 1, Choices: 2}, responseCurve(1, 1), []float64{0.1, 1e-6}},
		{account.Repeat{Event: account.ResponseEvent{Epsilon: 0.5, Choices: 2}, Times: 10}, responseCurve(0.5, 10), []float64{0.1, 1e-3, 1e-6}},
		{account.Repeat{Event: account.ResponseEvent{Epsilon: 0.1, Choices: 2}, Times: 100}, responseCurve(0.1, 100), []float64{1e-3, 1e-6, 1e-9, 1e-12}},
		{account.Repeat{Event: account.ResponseEvent{Epsilon: 0.01, Choices: 2}, Times: 10000}, responseCurve(0.01, 10000), []float64{1e-3, 1e-6, 1e-9, 1e-12}},
		{account.SparseVectorEvent{Epsilon: 0.2, Accepted: 20}, responseCurve(0.2, 20), []float64{1e-3, 1e-6}},
		{account.Sequence{account.GaussianEvent{Mu: 0.8}, account.LaplaceEvent{Epsilon: 0.5}, account.ResponseEvent{Epsilon: 0.3, Choices: 2}},
			gaussianCurve(0.8).thenLaplace(0.5).then([]float64{0.3, -0.3}, []float64{1 / (1 + math.Exp(-0.3)), 1 / (1 + math.Exp(0.3))}), []float64{0.1, 1e-3, 1e-6, 1e-9}},
		{account.Sequence{gaussian(0.8), gaussian(0.3), gaussian(0.1)}, gaussianCurve(math.Sqrt(0.64 + 0.09 + 0.01)), []float64{1e-3, 1e-6, 1e-9}},
		{account.Repeat{Event: account.Sequence{gaussian(0.08), account.Repeat{Event: gaussian(0.03), Times: 3}}, Times: 100},
			gaussianCurve(10 * math.Sqrt(0.0064+3*0.0009)), []float64{1e-3, 1e-6, 1e-9}},
		{account.GroupEvent{Event: account.GaussianEvent{Mu: 0.25}, Contributions: 3}, gaussianCurve(0.75), []float64{1e-6}},
		{account.Parallel{gaussian(0.5), account.LaplaceEvent{Epsilon: 0.7}},
			func(e float64) float64 { return math.Max(gaussianCurve(0.5)(e), laplaceCurve(0.7)(e)) }, []float64{0.1, 1e-2, 1e-3, 1e-6}},
		{account.Sequence{account.ResponseEvent{Epsilon: 0.3, Choices: 2}, account.Parallel{gaussian(0.5), account.LaplaceEvent{Epsilon: 0.7}}},
			curve(func(e float64) float64 { return math.Max(gaussianCurve(0.5)(e), laplaceCurve(0.7)(e)) }).
				then([]float64{0.3, -0.3}, []float64{1 / (1 + math.Exp(-0.3)), 1 / (1 + math.Exp(0.3))}), []float64{0.1, 1e-2, 1e-3, 1e-6}},
	}
	for _, c := range cases {
		for _, delta := range some(c.deltas) {
			lo, hi, err := account.PLD{}.EpsilonBounds(c.event, delta)
			if err != nil {
				t.Fatal(err)
			}
			epsilon := c.truth.inverse(delta)
			bracket(t, fmt.Sprintf("%v, delta = %g", c.event, delta), lo, hi, epsilon, 1e-3)
			lo, hi, err = account.PLD{}.DeltaBounds(c.event, epsilon)
			if err != nil {
				t.Fatal(err)
			}
			if truth := c.truth(epsilon); !(lo <= truth*(1+1e-8)+1e-300 && truth <= hi*(1+1e-8) && hi <= c.truth(epsilon-1e-3)*(1+1e-8)) {
				t.Errorf("%v, epsilon = %.6g: delta in [%.8g, %.8g], truth %.8g", c.event, epsilon, lo, hi, truth)
			}
		}
	}
}

// atoms is a finite pair's law in one direction, and delta after k of them by brute force.
func bruteDelta(p, q []float64, k int, epsilon float64) float64 {
	a, b := []float64{1}, []float64{1}
	for range k {
		var na, nb []float64
		for i := range a {
			for j := range p {
				na, nb = append(na, a[i]*p[j]), append(nb, b[i]*q[j])
			}
		}
		a, b = na, nb
	}
	sum := 0.0
	for i := range a {
		sum += math.Max(0, a[i]-math.Exp(epsilon)*b[i])
	}
	return sum
}

func TestPLDDiscretePairs(t *testing.T) {
	t.Parallel()
	discrete := func(p, q []float64) *lossy {
		return &lossy{fmt.Sprintf("%v against %v", p, q), func() (loss.Pair, error) { return loss.Discrete(p, q) }}
	}
	for _, c := range [][2][]float64{
		{{0.5, 0.3, 0.2}, {0.2, 0.3, 0.5}},
		{{0.5, 0.3, 0.2}, {0.3, 0.3, 0.4}},
		{{0.7, 0.2, 0.1, 0}, {0.6, 0.1, 0.2, 0.1}},
		{{0.25, 0.25, 0.25, 0.25}, {0.1, 0.2, 0.3, 0.4}},
	} {
		p, q := c[0], c[1]
		for _, epsilon := range some([]float64{0, 0.1, 1, 0.5}) {
			one := math.Max(bruteDelta(p, q, 1, epsilon), bruteDelta(q, p, 1, epsilon))
			lo, hi, err := account.PLD{}.DeltaBounds(discrete(p, q), epsilon)
			if err != nil || !(lo <= one+1e-12 && one <= hi+1e-12 && hi-one < 1e-4) {
				t.Errorf("%v, %v, epsilon = %v: [%v, %v] about %v, %v", p, q, epsilon, lo, hi, one, err)
			}
			// Composed, the maximum of the curves lies above both directions.
			four := math.Max(bruteDelta(p, q, 4, epsilon), bruteDelta(q, p, 4, epsilon))
			lo, hi, err = account.PLD{}.DeltaBounds(account.Repeat{Event: discrete(p, q), Times: 4}, epsilon)
			if err != nil || !(hi >= four-1e-12 && lo <= hi) {
				t.Errorf("4 x %v, %v, epsilon = %v: [%v, %v] about %v, %v", p, q, epsilon, lo, hi, four, err)
			}
			t.Logf("4 x %v: epsilon = %v: both directions %.6f, bounds [%.6f, %.6f]", p, epsilon, four, lo, hi)
		}
	}
	for _, c := range [][2][]float64{{{}, {}}, {{1}, {0.5, 0.5}}, {{0.5, 0.6}, {0.5, 0.5}}, {{1.5, -0.5}, {0.5, 0.5}}, {{math.NaN(), 1}, {0.5, 0.5}}} {
		if _, err := loss.Discrete(c[0], c[1]); err == nil {
			t.Errorf("%v, %v: no error", c[0], c[1])
		}
	}
}

func TestPLDDiscreteNoise(t *testing.T) {
	noise := func(log func(z float64) float64, sensitivity, reach int) (p, q []float64) {
		sum := 0.0
		for z := -reach; z <= reach+sensitivity; z++ {
			a := math.Exp(log(float64(z)))
			p, q = append(p, a), append(q, math.Exp(log(float64(z-sensitivity))))
			sum += a
		}
		for i := range p {
			p[i], q[i] = p[i]/sum, q[i]/sum
		}
		return p, q
	}
	for _, sensitivity := range []int{1, 2, 5} {
		for _, s := range []float64{0.8, 3, 20} {
			g, h := noise(func(z float64) float64 { return -z * z / (2 * s * s) }, sensitivity, int(20*s)+20)
			l, m := noise(func(z float64) float64 { return -math.Abs(z) / s }, sensitivity, int(40*s)+20)
			for _, epsilon := range []float64{0, 0.01, 0.1, 1, 3} {
				events := map[account.Event]float64{
					account.DiscreteGaussianEvent{Dim: 1, Sensitivity: float64(sensitivity), Sigma: s}: bruteDelta(g, h, 1, epsilon),
					account.DiscreteLaplaceEvent{Sensitivity: int64(sensitivity), Scale: s}:            bruteDelta(l, m, 1, epsilon),
				}
				for e, truth := range events {
					lo, hi, err := account.PLD{}.DeltaBounds(e, epsilon)
					if err != nil || !(lo <= truth*(1+1e-9)+1e-14 && truth <= hi*(1+1e-9)+1e-14 && hi-lo <= 1e-8*truth+1e-14) {
						t.Errorf("%v, epsilon = %v: [%v, %v] about %v, %v", e, epsilon, lo, hi, truth, err)
					}
				}
			}
			if s > 1 {
				continue
			}
			e := account.Repeat{Event: account.DiscreteGaussianEvent{Dim: 1, Sensitivity: float64(sensitivity), Sigma: s}, Times: 2}
			truth := bruteDelta(g, h, 2, 1)
			if lo, hi, err := (account.PLD{}).DeltaBounds(e, 1); err != nil || !(lo <= truth && truth <= hi && hi-lo <= 1e-8*truth) {
				t.Errorf("%v: [%v, %v] about %v, %v", e, lo, hi, truth, err)
			}
		}
	}
}

// Shuffled messages of a few users, by the sum over all clones.
func TestPLDShuffle(t *testing.T) {
	t.Parallel()
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(a - b - c)
	}
	for _, local := range []float64{0.3, 1, 3} {
		for _, users := range []int{1, 2, 10, 60} {
			r := math.Exp(-local)
			p := map[[2]int]float64{}
			for c := 0; c < users; c++ {
				weight := choose(users-1, c) * math.Pow(r, float64(c)) * math.Pow(1-r, float64(users-1-c))
				for a := 0; a <= c; a++ {
					m := weight * choose(c, a) * math.Pow(0.5, float64(c))
					p[[2]int{a + 1, c - a}] += m / (1 + r)
					p[[2]int{a, c - a + 1}] += m * r / (1 + r)
				}
			}
			e := account.ShuffleEvent{Local: local, Users: users}
			for _, epsilon := range []float64{0, 0.1, 0.5, local} {
				truth := 0.0
				for ab, m := range p {
					truth += math.Max(0, m-math.Exp(epsilon)*p[[2]int{ab[1], ab[0]}])
				}
				lo, hi, err := account.PLD{}.DeltaBounds(e, epsilon)
				if err != nil || !(lo <= truth+1e-12 && truth <= hi+1e-12 && hi-lo <= 1e-3) {
					t.Errorf("%v, epsilon = %v: [%v, %v] about %v, %v", e, epsilon, lo, hi, truth, err)
				}
			}
		}
	}
	for _, users := range []int{1000, 1000000, 30000000} {
		lo, hi, err := account.PLD{}.EpsilonBounds(account.ShuffleEvent{Local: 1, Users: users}, 1e-6)
		if err != nil || !(hi <= 1 && lo <= hi) {
			t.Errorf("%d users: [%v, %v], %v", users, lo, hi, err)
		}
		t.Logf("%d users, local epsilon = 1: [%.6g, %.6g]", users, lo, hi)
	}
}
