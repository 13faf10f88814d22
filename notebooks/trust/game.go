package trust

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The game that defines privacy. A release is made in world 0, which the lesson calls A, or in
// world 1, its B.

// Seed is the seed of everything that the claims draw: the year of Dwork, McSherry, Nissim, Smith,
// "Calibrating noise to sensitivity in private data analysis".
const Seed = 2006

// Count is the true count in world A; in world B it is one more.
const Count = 100

// Noise is the seeded noise of a name.
func Noise(name string) *privacy.Noise {
	return privacy.NewNoise(random.Source(Seed, 0, name))
}

// counted releases the count of a world under noise that draw writes.
func counted(draw func(z []float64)) func(world int) float64 {
	z := []float64{0}
	return func(world int) float64 {
		draw(z)
		return float64(Count+world) + z[0]
	}
}

// laplaceCount releases the count with Laplace noise.
func laplaceCount(epsilon float64) func(world int) float64 {
	n := Noise(fmt.Sprintf("laplace %g", epsilon))
	return counted(func(z []float64) { n.Laplace(z, 1/epsilon) })
}

// gaussianCount releases the count with Gaussian noise of standard deviation 1/mu.
func gaussianCount(mu float64) func(world int) float64 {
	n := Noise(fmt.Sprintf("gaussian %g", mu))
	return counted(func(z []float64) { n.Gaussian(z, 1/mu) })
}

// response releases the world itself by randomised response.
func response(epsilon float64) func(world int) float64 {
	n := Noise(fmt.Sprintf("response %g", epsilon))
	return func(world int) float64 { return float64(n.Response(world, 2, epsilon)) }
}

// SuccessBound is the largest share of games that any attacker wins against any epsilon-private
// release, e^eps/(1+e^eps).
func SuccessBound(epsilon float64) float64 { return 1 / (1 + math.Exp(-epsilon)) }

// TradeOffBound is the least share of misses that (epsilon, delta)-privacy leaves an attacker with
// a share alpha of false alarms (Wasserman and Zhou 2010; Kairouz, Oh, Viswanath 2015).
func TradeOffBound(alpha float64, b privacy.Budget) float64 {
	return max(0, 1-b.Delta-math.Exp(b.Epsilon)*alpha, math.Exp(-b.Epsilon)*(1-b.Delta-alpha))
}

// law is a law of noise.
type law interface {
	CDF(x float64) float64
	Quantile(p float64) float64
}

// TradeOff is the least share of misses against Laplace or Gaussian noise on a number that a record
// moves by 1: the best attacker has a threshold.
func TradeOff(alpha float64, noise law) float64 { return noise.CDF(noise.Quantile(1-alpha) - 1) }

// errorRates measures the false alarms and the misses of the attacker who says B above a threshold.
func errorRates(n int, threshold float64, release func(world int) float64) (alarms, misses float64) {
	for range n {
		if release(0) > threshold {
			alarms++
		}
		if release(1) <= threshold {
			misses++
		}
	}
	return alarms / float64(n), misses / float64(n)
}

// claimTradeOff measures error rates and compares them with the curves, and the curves with the
// bounds. The standard error of a rate is at most sqrt(1/(4n)). There are 114 comparisons at 4.5 of
// them: a false alarm of 8e-4 for a new seed.
func claimTradeOff(s cell.Scale) (string, error) {
	n, worst := cell.Pick(s, 20_000, 50_000, 200_000), 0.0
	measure := func(name string, release func(int) float64, threshold, alpha, beta float64) {
		a, b := errorRates(n, threshold, release)
		off := math.Max(math.Abs(a-alpha), math.Abs(b-beta))
		check.That(off <= 4.5*math.Sqrt(0.25/float64(n)), "%s: %.4f false alarms and %.4f misses, computed %.4f and %.4f", name, a, b, alpha, beta)
		worst = math.Max(worst, off)
	}
	for _, epsilon := range []float64{0.5, 1, 2} {
		lie := 1 - SuccessBound(epsilon)
		measure(fmt.Sprintf("randomised response, epsilon = %v", epsilon), response(epsilon), 0.5, lie, lie)
		pure, approximate := privacy.Budget{Epsilon: epsilon}, privacy.Budget{Epsilon: epsilon, Delta: 0.02} // such that the figure shows it
		mu := check.Try(approximate.GaussianMu())
		for _, m := range []struct {
			name    string
			budget  privacy.Budget
			noise   law
			release func(int) float64
			touch   float64 // a share of false alarms at which the bound is reached
		}{
			{"Laplace", pure, distuv.Laplace{Scale: 1 / epsilon}, laplaceCount(epsilon), lie / 2},
			{"Gaussian", approximate, distuv.Normal{Sigma: 1 / mu}, gaussianCount(mu), distuv.UnitNormal.CDF(-epsilon/mu - mu/2)}, // the loss is epsilon
		} {
			name := fmt.Sprintf("%s, epsilon = %v", m.name, epsilon)
			gap := func(a float64) float64 { return TradeOff(a, m.noise) - TradeOffBound(a, m.budget) }
			for _, a := range floats.Span(make([]float64, 5001), 0, 0.5) {
				check.That(gap(a) >= -1e-9 && (m.name == "Laplace" || gap(a) > 0 || math.Abs(a-m.touch) < 0.01),
					"%s: %.6f misses for %.6f false alarms, the budget allows %.6f", name, TradeOff(a, m.noise), a, TradeOffBound(a, m.budget))
			}
			check.That(gap(m.touch) <= 1e-9, "%s: the curve is %.3g above the bound for %.4f false alarms", name, gap(m.touch), m.touch)
			for _, alpha := range floats.Span(make([]float64, 9), 0.1, 0.9) {
				measure(name, m.release, Count+m.noise.Quantile(1-alpha), alpha, TradeOff(alpha, m.noise))
			}
		}
	}
	return fmt.Sprintf("ε = 0.5, 1, 2: measured and computed misses differ by at most %.1f percentage points, %s releases in each world", 100*worst, cell.Thousands(n)), nil
}

// compositionDelta is the delta at which compositions are accounted.
const compositionDelta = 1e-6

// responsesDelta is the exact delta of k randomised responses to one question at a total epsilon:
// the number of answers that are the truth is binomial, and j of them have the loss (2j - k)
// epsilon.
func responsesDelta(k int, epsilon, total float64) (delta float64) {
	truths := distuv.Binomial{N: float64(k), P: SuccessBound(epsilon)}
	for j := range k + 1 {
		if loss := float64(2*j-k) * epsilon; loss > total {
			delta += truths.Prob(float64(j)) * -math.Expm1(total-loss)
		}
	}
	return delta
}

// composed is what accountants say of k releases of a mechanism.
type composed struct {
	name                         string
	gaussian                     bool // else the loss of a release has a bound
	k                            int
	lo, hi                       float64 // the privacy-loss distribution's bounds
	basic, advanced, zCDP, renyi float64
	exact                        func(total float64) (delta float64) // nil where there is no closed form
}

// String is an account in words.
func (c composed) String() string {
	return fmt.Sprintf("%s, k = %d: basic %.4g, advanced %.4g, zCDP %.4g, Rényi %.4g, true %.4g", c.name, c.k, c.basic, c.advanced, c.zCDP, c.renyi, c.hi)
}

// compositions accounts for releases of three mechanisms, and of each for ever more of them.
func compositions() (list []composed) {
	const step = 0.1 // of a release: its epsilon, or how far a record moves it in standard deviations
	for _, m := range []struct {
		name  string
		event account.Event
		exact func(k int, total float64) (delta float64)
	}{
		{"Laplace", account.LaplaceEvent{Epsilon: step}, nil},
		{"Gaussian", account.GaussianEvent{Mu: step}, func(k int, total float64) float64 {
			return account.GaussianDelta(total, step*math.Sqrt(float64(k)))
		}},
		{"randomised response", account.ResponseEvent{Epsilon: step, Choices: 2}, func(k int, total float64) float64 {
			return responsesDelta(k, step, total)
		}},
	} {
		for _, k := range []int{1, 10, 100, 1000, 10_000} {
			c, event := composed{name: m.name, gaussian: m.name == "Gaussian", k: k}, account.Repeat{Event: m.event, Times: k}
			var err error
			c.lo, c.hi, err = account.PLD{}.EpsilonBounds(event, compositionDelta)
			check.OK(err)
			c.basic, c.advanced = textbook(m.event, k)
			c.zCDP = check.Try(account.Concentrated{}.Epsilon(event, compositionDelta))
			c.renyi = check.Try(account.Renyi{}.Epsilon(event, compositionDelta))
			if m.exact != nil {
				c.exact = func(total float64) float64 { return m.exact(k, total) }
			}
			list = append(list, c)
		}
	}
	return list
}

// claimComposition compares the privacy-loss distribution's bounds with the exact curve, where
// there is one: delta falls in epsilon, so it is on different sides of compositionDelta at the two
// bounds. All other accountants have to say at least as much.
func claimComposition(cell.Scale) (string, error) {
	var evidence []string
	widest := map[string]float64{}
	for _, c := range compositions() {
		check.That(c.lo <= c.hi && c.hi-c.lo <= 0.01*math.Max(c.hi, 0.1), "%v: the truth is between %.6g and %.6g, want a percent", c, c.lo, c.hi)
		if c.exact != nil {
			check.That((c.lo == 0 || c.exact(c.lo-1e-9) >= compositionDelta) && c.exact(c.hi+1e-9) <= compositionDelta,
				"%v: the exact curve is not between %.9g and %.9g", c, c.lo, c.hi)
		}
		check.That(min(c.basic, c.advanced, c.zCDP, c.renyi) >= c.lo, "%v: less than the truth", c)
		widest[c.name] = math.Max(widest[c.name], c.hi-c.lo)
		if c.k == 10_000 {
			evidence = append(evidence, fmt.Sprintf("%s: bars at most %.2g wide", c.name, widest[c.name]))
		}
	}
	return strings.Join(evidence, "; ") + "; k = 1, 10, 100, 1000, 10,000", nil
}

// claimWaste compares what the accountants say with the truth.
func claimWaste(cell.Scale) (string, error) {
	var evidence []string
	before := 0.0 // the truth of the account before
	for _, c := range compositions() {
		switch c.k {
		case 1000:
			check.That(c.hi <= 5*before, "%v: %.4g for 100, which is less than a fifth", c, before)
		case 10_000:
			check.That(c.basic >= 10*c.hi && (!c.gaussian || c.advanced >= 20*c.hi), "%v: less waste than the lesson says", c)
			evidence = append(evidence, c.String())
		}
		check.That(c.k < 1000 || max(c.zCDP, c.renyi) <= 1.1*c.hi, "%v: more waste than the lesson says", c)
		check.That(c.gaussian || c.advanced <= c.hi*4/3 && (c.k > 10 || c.basic <= 1.01*c.hi) && (c.k > 1 || c.zCDP >= 4*c.hi),
			"%v: not the waste of which the lesson tells", c)
		before = c.hi
	}
	return strings.Join(evidence, "\n       "), nil
}

// textbook returns what basic and advanced composition say of k releases. A Gaussian release is a
// pair (epsilon, delta) to them. Basic composition spends all of delta on these pairs, advanced
// composition half of it.
func textbook(e account.Event, k int) (basic, advanced float64) {
	if g, ok := e.(account.GaussianEvent); ok {
		each := compositionDelta / float64(k)
		basic = float64(k) * account.GaussianEpsilon(each, g.Mu)
		e = account.ApproximateEvent{Epsilon: account.GaussianEpsilon(each/2, g.Mu), Delta: each / 2}
	} else {
		basic = float64(k) * e.(account.PureEvent).PureEpsilon()
	}
	return basic, check.Try(account.Advanced{}.Epsilon(account.Repeat{Event: e, Times: k}, compositionDelta))
}
