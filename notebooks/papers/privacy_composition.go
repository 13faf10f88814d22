package papers

import (
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

// compositions are the mechanisms of the figure; Gaussian noise is such that a record moves it by a
// tenth of a standard deviation.
var compositions = []composed{
	{"Laplace", "ε = 0.1", privacy.LaplaceEvent{Epsilon: 0.1}, nil},
	{"Gaussian", "μ = 0.1", privacy.GaussianEvent{Mu: 0.1}, func(k int) float64 {
		return privacy.GaussianEpsilon(CompositionDelta, 0.1*math.Sqrt(float64(k)))
	}},
	{"randomised response", "ε = 0.1", privacy.ResponseEvent{Epsilon: 0.1, Choices: 2}, func(k int) float64 { return ResponsesEpsilon(k, 0.1, CompositionDelta) }},
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

// compositionKs are the numbers of releases of the figure.
func compositionKs(s Scale) []int { return decades(0, 4, pick(s, 2, 4, 4)) }

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

// Compositions are what the accountants say of the lesson's mechanisms, by mechanism and number of
// releases.
type Compositions [][]accounted

// AccountCompositions asks them.
func AccountCompositions(s Scale) (Compositions, error) {
	var all Compositions
	for _, c := range compositions {
		var row []accounted
		for _, k := range compositionKs(s) {
			a, err := c.account(k)
			if err != nil {
				return nil, err
			}
			row = append(row, a)
		}
		all = append(all, row)
	}
	return all, nil
}

// figure draws a value of each accountant against the number of releases; a slider chooses the
// mechanism. value gets the epsilon and the row that it is from.
func (cs Compositions) figure(y charts.Axis, value func(epsilon float64, a accounted) float64, caption func(c composed, a accounted) string) *charts.Figure {
	f := &charts.Figure{
		X: charts.Axis{Name: "releases k", Log: true, Range: [2]float64{0.8, 15_000}}, Y: y, Slider: &charts.Slider{Label: "mechanism"}, Height: 560,
	}
	styles := [...]int{2, 3, 5, 4}
	for i, row := range cs {
		c := compositions[i]
		var lines []charts.Series
		for j, name := range accountantNames {
			line := charts.Series{Name: name, Style: styles[j]}
			for _, a := range row {
				line.X, line.Y = append(line.X, float64(a.k)), append(line.Y, value(a.by[j], a))
			}
			lines = append(lines, line)
		}
		pld := charts.Series{Name: "privacy-loss distribution", Style: 1, Kind: charts.Scatter, Size: 10}
		exact := charts.Series{Name: "exact", Reference: true}
		for _, a := range row {
			pld.X, pld.Y = append(pld.X, float64(a.k)), append(pld.Y, value(a.hi, a))
			pld.Lo, pld.Hi = append(pld.Lo, value(a.lo, a)), append(pld.Hi, value(a.hi, a))
			if c.exact != nil {
				exact.X, exact.Y = append(exact.X, float64(a.k)), append(exact.Y, value(c.exact(a.k), a))
			}
		}
		if lines = append(lines, pld); c.exact != nil {
			lines = append(lines, exact)
		}
		f.Slider.Frames = append(f.Slider.Frames, charts.Frame{Value: c.name, Series: lines, Caption: caption(c, row[len(row)-1])})
	}
	return f
}

// FigureComposition draws the epsilon of k releases by each accountant.
func FigureComposition(s Scale, cs Compositions) *charts.Figure {
	widest := 0.0
	for _, row := range cs {
		for _, a := range row {
			widest = math.Max(widest, (a.hi-a.lo)/a.hi)
		}
	}
	f := cs.figure(charts.Axis{Name: "ε at δ = 10⁻⁶", Log: true, Range: [2]float64{0.05, 10_000}},
		func(epsilon float64, _ accounted) float64 { return epsilon },
		func(c composed, a accounted) string {
			return fmt.Sprintf("%s, %s for one release. At k = %s: basic %.4g, advanced %.4g, zCDP %.4g, Rényi %.4g, privacy-loss distribution between %.6g and %.6g",
				c.name, c.each, thousands(a.k), a.by[0], a.by[1], a.by[2], a.by[3], a.lo, a.hi)
		})
	f.Title, f.Scale = "What k releases cost, by accountant", Here(s)
	f.Alt = "Epsilon against the number of releases, both logarithmic, for five accountants. Basic composition is a line of slope one, the others bend to a slope of a half; " +
		"the symbols of the privacy-loss distribution lie lowest, on the exact curve where there is one"
	f.Caption = fmt.Sprintf("The error bars of the privacy-loss distribution hold the truth; the widest is %.2g%% of ε, less than a symbol", 100*widest)
	return f
}

// FigureWaste draws the same, in units of the truth.
func FigureWaste(s Scale, cs Compositions) *charts.Figure {
	f := cs.figure(charts.Axis{Name: "ε reported / true ε", Log: true, Range: [2]float64{0.9, 100}},
		func(epsilon float64, a accounted) float64 { return epsilon / a.hi },
		func(c composed, a accounted) string {
			return fmt.Sprintf("%s, %s for one release. At k = %s: basic %.4g, advanced %.4g, zCDP %.4g, Rényi %.4g times the truth",
				c.name, c.each, thousands(a.k), a.by[0]/a.hi, a.by[1]/a.hi, a.by[2]/a.hi, a.by[3]/a.hi)
		})
	f.Title, f.Scale, f.Height = "What the accountants waste", Here(s), 500
	f.Alt = "The epsilon that accountants report, divided by the true one, against the number of releases. Basic composition rises from 1 to 10 and more, " +
		"zCDP falls from above 4 to 1 for bounded losses, the privacy-loss distribution stays at 1"
	f.Caption = "The truth is the privacy-loss distribution's upper bound"
	return f
}

// claimComposition compares the accountants with each other and with the exact curves.
func claimComposition(s Scale) (string, error) {
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
