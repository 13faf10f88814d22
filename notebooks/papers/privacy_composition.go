package papers

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Releasing many times: what k releases cost, by every accountant.

// CompositionDelta is the delta at which compositions are accounted.
const CompositionDelta = 1e-6

// composed is a mechanism that is run many times.
type composed struct {
	name, each string
	event      privacy.Event
	exact      func(k int) float64 // nil where there is no closed form
}

// compositions are the mechanisms of the figure; Gaussian noise is such that a record moves it by a tenth of a standard deviation.
var compositions = []composed{
	{"Laplace", "ε = 0.1", privacy.LaplaceEvent{Epsilon: 0.1}, nil},
	{"Gaussian", "μ = 0.1", privacy.GaussianEvent{Mu: 0.1}, func(k int) float64 {
		return privacy.GaussianEpsilon(CompositionDelta, 0.1*math.Sqrt(float64(k)))
	}},
	{"randomised response", "ε = 0.1", privacy.ResponseEvent{Epsilon: 0.1, Choices: 2}, func(k int) float64 { return ResponsesEpsilon(k, 0.1, CompositionDelta) }},
}

// ResponsesEpsilon is the exact epsilon at delta of k randomised responses to one question: the number of answers that are the truth is binomial, and j of them
// have the loss (2j - k) epsilon.
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

// asGuarantee is the textbook's view of k Gaussian releases: each is an (epsilon, delta) guarantee and nothing else is known of it. Half
// of delta goes to the releases.
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

// compositionKs are the numbers of releases of the figure.
func compositionKs(s Scale) []int { return decades(0, 4, pick(s, 2, 4, 4)) }

// FigureComposition draws the epsilon of k releases by each accountant; a slider chooses the mechanism.
func FigureComposition(s Scale) (*charts.Figure, error) {
	f := &charts.Figure{
		Title: "What k releases cost, by accountant",
		X:     charts.Axis{Name: "releases k", Log: true}, Y: charts.Axis{Name: "ε at δ = 10⁻⁶", Log: true, Range: [2]float64{0.05, 2000}},
		Slider: &charts.Slider{Label: "mechanism"}, Height: 560,
		Scale: Here(s),
	}
	for _, c := range compositions {
		lines := []charts.Series{
			{Name: "basic: kε", Style: 2}, {Name: "advanced composition", Style: 3}, {Name: "zCDP", Style: 5}, {Name: "Rényi", Style: 4},
			{Name: "privacy-loss distribution", Style: 1, Kind: charts.Scatter, Size: 10},
		}
		exact := charts.Series{Name: "exact", Reference: true}
		for _, k := range compositionKs(s) {
			event := privacy.Repeat{Event: c.event, Times: k}
			add := func(i int, epsilon float64) {
				if epsilon > 0 {
					lines[i].X, lines[i].Y = append(lines[i].X, float64(k)), append(lines[i].Y, epsilon)
				}
			}
			add(0, basicEpsilon(c.event, k))
			for i, by := range []privacy.Accountant{privacy.Advanced{}, privacy.Concentrated{}, privacy.Renyi{}} {
				e := privacy.Event(event)
				if i == 0 {
					e = privacy.Repeat{Event: asGuarantee(c.event, k), Times: k}
				}
				epsilon, err := by.Epsilon(e, CompositionDelta)
				if err != nil {
					return nil, err
				}
				add(i+1, epsilon)
			}
			lo, hi, err := privacy.PLD{}.EpsilonBounds(event, CompositionDelta)
			if err != nil {
				return nil, err
			}
			add(4, hi)
			if hi > 0 {
				lines[4].Lo, lines[4].Hi = append(lines[4].Lo, lo), append(lines[4].Hi, hi)
			}
			if c.exact != nil {
				if y := c.exact(k); y > 0 {
					exact.X, exact.Y = append(exact.X, float64(k)), append(exact.Y, y)
				}
			}
		}
		if exact.X != nil {
			lines = append(lines, exact)
		}
		last := func(i int) float64 { return lines[i].Y[len(lines[i].Y)-1] }
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{Value: c.name, Series: lines, Caption: fmt.Sprintf("%s, %s for one release. At k = 10,000: basic %.3g, advanced %.3g, zCDP %.3g, Rényi %.3g, privacy-loss distribution %.3g",
			c.name, c.each, last(0), last(1), last(2), last(3), last(4))})
	}
	f.Caption = "The error bars of the privacy-loss distribution hold the truth; they are shorter than its symbols"
	return f, nil
}

// claimComposition compares the accountants with each other and with the exact curves.
func claimComposition(s Scale) (string, error) {
	var evidence string
	for _, c := range compositions {
		var widest, waste float64
		for _, k := range []int{1, 10, 100, 1000, 10_000} {
			event := privacy.Repeat{Event: c.event, Times: k}
			lo, hi, err := privacy.PLD{}.EpsilonBounds(event, CompositionDelta)
			if err != nil {
				return "", err
			}
			if widest = math.Max(widest, hi-lo); lo > hi || hi-lo > 0.01*math.Max(hi, 0.1) {
				return "", fmt.Errorf("%s, k = %d: the truth is between %.6g and %.6g, want a percent", c.name, k, lo, hi)
			}
			if c.exact != nil {
				if want := c.exact(k); lo > want+1e-9 || hi < want-1e-9 {
					return "", fmt.Errorf("%s, k = %d: exact %.9g is not between %.9g and %.9g", c.name, k, want, lo, hi)
				}
			}
			for _, by := range []privacy.Accountant{privacy.Pure{}, privacy.Advanced{}, privacy.Concentrated{}, privacy.Renyi{}} {
				epsilon, err := by.Epsilon(event, CompositionDelta)
				switch {
				case errors.Is(err, privacy.ErrUnsupported):
				case err != nil:
					return "", err
				case epsilon < lo:
					return "", fmt.Errorf("%s, k = %d: %v accounting says %.6g, less than the %.6g that is true", c.name, k, by, epsilon, lo)
				default:
					waste = math.Max(waste, epsilon/hi)
				}
			}
			advanced, err := privacy.Advanced{}.Epsilon(privacy.Repeat{Event: asGuarantee(c.event, k), Times: k}, CompositionDelta)
			if err != nil {
				return "", err
			}
			if k >= 1000 && (advanced < 1.05*hi || basicEpsilon(c.event, k) < 2*hi) {
				return "", fmt.Errorf("%s, k = %d: basic %.4g, advanced %.4g, true %.4g: want at least 2 and 1.05 times the truth", c.name, k, basicEpsilon(c.event, k), advanced, hi)
			}
		}
		evidence += fmt.Sprintf("%s: bars at most %.2g wide; ", c.name, widest)
	}
	return evidence + "k = 1, 10, 100, 1000, 10,000", nil
}
