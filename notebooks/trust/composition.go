package trust

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Releasing many times: what k releases cost, by every accountant.

// CompositionDelta is the delta at which compositions are accounted.
const CompositionDelta = 1e-6

// composed is a mechanism that is run many times.
type composed struct {
	name  string
	event privacy.Event
	exact func(k int) float64 // nil where there is no closed form
}

// compositions are the mechanisms of the lesson; Gaussian noise is such that a record moves it by a
// tenth of a standard deviation.
var compositions = []composed{
	{"Laplace", privacy.LaplaceEvent{Epsilon: 0.1}, nil},
	{"Gaussian", privacy.GaussianEvent{Mu: 0.1}, func(k int) float64 {
		return privacy.GaussianEpsilon(CompositionDelta, 0.1*math.Sqrt(float64(k)))
	}},
	{"randomised response", privacy.ResponseEvent{Epsilon: 0.1, Choices: 2}, func(k int) float64 { return ResponsesEpsilon(k, 0.1, CompositionDelta) }},
}

// ResponsesEpsilon is the exact epsilon at delta of k randomised responses to one question: the
// number of answers that are the truth is binomial, and j of them have the loss (2j - k) epsilon.
func ResponsesEpsilon(k int, epsilon, delta float64) float64 {
	p := SuccessBound(epsilon)
	logs := make([]float64, k+1) // of the probability that j answers are the truth
	lgk, _ := math.Lgamma(float64(k + 1))
	for j := range logs {
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(k - j + 1))
		logs[j] = lgk - a - b + float64(j)*math.Log(p) + float64(k-j)*math.Log1p(-p)
	}
	at := func(total float64) float64 { // delta at a total epsilon
		sum := 0.0
		for j, log := range logs {
			if loss := float64(2*j-k) * epsilon; loss > total {
				sum += math.Exp(log) * -math.Expm1(total-loss)
			}
		}
		return sum
	}
	lo, hi := 0.0, float64(k)*epsilon
	if at(0) <= delta {
		return 0
	}
	for range 100 {
		if mid := (lo + hi) / 2; at(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// asGuarantee is the textbook's view of k Gaussian releases: each is an (epsilon, delta) guarantee
// and nothing else is known of it. Half of delta goes to the releases.
func asGuarantee(e privacy.Event, k int) privacy.Event {
	if g, ok := e.(privacy.GaussianEvent); ok {
		each := CompositionDelta / float64(2*k)
		return privacy.ApproximateEvent{Budget: privacy.Budget{Epsilon: privacy.GaussianEpsilon(each, g.Mu), Delta: each}}
	}
	return e
}

// basicEpsilon adds up the epsilons.
func basicEpsilon(e privacy.Event, k int) float64 {
	if g, ok := e.(privacy.GaussianEvent); ok {
		return float64(k) * privacy.GaussianEpsilon(CompositionDelta/float64(k), g.Mu)
	}
	return float64(k) * e.(privacy.PureEvent).PureEpsilon()
}

// accounted is what the accountants say of k releases.
type accounted struct {
	k      int
	by     [4]float64 // basic, advanced, zCDP, Rényi
	lo, hi float64    // the privacy-loss distribution's bounds
}

// accountantNames are those of accounted.by.
var accountantNames = [...]string{"basic: kε", "advanced composition", "zCDP", "Rényi"}

// account asks all accountants about k releases of a mechanism.
func (c composed) account(k int) (a accounted, err error) {
	event := privacy.Repeat{Event: c.event, Times: k}
	a.k, a.by[0] = k, basicEpsilon(c.event, k)
	if a.by[1], err = (privacy.Advanced{}).Epsilon(privacy.Repeat{Event: asGuarantee(c.event, k), Times: k}, CompositionDelta); err != nil {
		return a, err
	}
	if a.by[2], err = (privacy.Concentrated{}).Epsilon(event, CompositionDelta); err != nil {
		return a, err
	}
	if a.by[3], err = (privacy.Renyi{}).Epsilon(event, CompositionDelta); err != nil {
		return a, err
	}
	a.lo, a.hi, err = privacy.PLD{}.EpsilonBounds(event, CompositionDelta)
	return a, err
}

// claimComposition compares the accountants with each other and with the exact curves.
func claimComposition(s lab.Scale) (string, error) {
	var evidence string
	for _, c := range compositions {
		var widest float64
		for _, k := range []int{1, 10, 100, 1000, 10_000} {
			a, err := c.account(k)
			if err != nil {
				return "", err
			}
			lo, hi := a.lo, a.hi
			if widest = math.Max(widest, hi-lo); lo > hi || hi-lo > 0.01*math.Max(hi, 0.1) {
				return "", fmt.Errorf("%s, k = %d: the truth is between %.6g and %.6g, want a percent", c.name, k, lo, hi)
			}
			if c.exact != nil {
				if want := c.exact(k); lo > want+1e-9 || hi < want-1e-9 {
					return "", fmt.Errorf("%s, k = %d: exact %.9g is not between %.9g and %.9g", c.name, k, want, lo, hi)
				}
			}
			for i, epsilon := range a.by {
				if epsilon < lo {
					return "", fmt.Errorf("%s, k = %d: %s says %.6g, less than the %.6g that is true", c.name, k, accountantNames[i], epsilon, lo)
				}
			}
			gaussian := c.name == "Gaussian"
			switch {
			case k == 10_000 && a.by[0] < 10*hi, k == 10_000 && gaussian && a.by[1] < 20*hi, k == 1 && !gaussian && a.by[2] < 4*hi:
				return "", fmt.Errorf("%s, k = %d: basic %.4g, advanced %.4g, zCDP %.4g, true %.4g: less waste than the lesson says", c.name, k, a.by[0], a.by[1], a.by[2], hi)
			case k >= 1000 && math.Max(a.by[2], a.by[3]) > 1.1*hi:
				return "", fmt.Errorf("%s, k = %d: zCDP %.4g, Rényi %.4g, true %.4g: more waste than the lesson says", c.name, k, a.by[2], a.by[3], hi)
			}
		}
		evidence += fmt.Sprintf("%s: bars at most %.2g wide; ", c.name, widest)
	}
	return evidence + "k = 1, 10, 100, 1000, 10,000", nil
}
