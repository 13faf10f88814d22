package papers

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Why noise in x biases the squared loss, and how the loss of Algorithm 1 takes the bias away.

// lossTheta is theta* of the lesson in two dimensions, and lossAxes the lengths of the two axes
// that its contexts come from.
var (
	lossTheta = []float64{0.7, 0.5}
	lossAxes  = []float64{0.9, 0.4}
)

// lossProblem is the lesson's problem: contexts in the unit disc, rewards of +1 and -1.
var lossProblem = bandit.Problem{Arms: 1, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// lossRow draws a raw (x, y): x on an ellipse, E[y | x] = <theta*, x>.
func lossRow(r *rand.Rand, x []float64) (y float64) {
	angle := 2 * math.Pi * r.Float64()
	x[0], x[1] = lossAxes[0]*math.Cos(angle), lossAxes[1]*math.Sin(angle)
	if y = 1; r.Float64() > (1+lossTheta[0]*x[0]+lossTheta[1]*x[1])/2 {
		y = -1
	}
	return y
}

// LossSums is what a server knows after n messages (x~, y~) of the lesson, in two dimensions.
type LossSums struct {
	Sigma    float64    // of the noise
	N        int        // messages
	Gram     [3]float64 // mean of x~ x~^T: entries 11, 12, 22
	Moment   [2]float64 // mean of y~ x~
	Messages [][]float64
}

// LessonLosses has devices of Algorithm 1 send n messages about the lesson's rows, with noise for a
// budget.
func LessonLosses(b privacy.Budget, n int) (LossSums, error) {
	device := &learner.OnlineDevice{Noise: learner.OnlineNoise{Budget: b}}
	server := &learner.OnlineServer{Noise: device.Noise}
	if err := device.Init(lossProblem, n); err != nil {
		return LossSums{}, err
	}
	if err := server.Init(lossProblem, n); err != nil {
		return LossSums{}, err
	}
	server.Reset(nil)
	sums := LossSums{N: n, Sigma: messageSigma(device)}
	rows, noise := random.New(LDPSeed, 0, "rows"), privacy.NewNoise(random.Source(LDPSeed, 0, "noise"))
	x := make([]float64, 2)
	for range n {
		y := lossRow(rows, x)
		m, err := device.Report(server.Broadcast(), x, y, noise, nil)
		if err != nil {
			return sums, err
		}
		if len(sums.Messages) < 8 {
			sums.Messages = append(sums.Messages, m)
		}
		for i, v := range []float64{m[0] * m[0], m[0] * m[1], m[1] * m[1]} {
			sums.Gram[i] += v / float64(n)
		}
		sums.Moment[0] += m[2] * m[0] / float64(n)
		sums.Moment[1] += m[2] * m[1] / float64(n)
	}
	return sums, nil
}

// messageSigma returns the standard deviation of a device's noise, from the laws that it says it
// draws from: 0 without noise.
func messageSigma(d learner.Device) float64 {
	for _, draws := range privacy.PlanOf(d, privacy.All).Draws {
		return draws.Law.Scale
	}
	return 0
}

// corrected returns the matrix of the mean loss, without or with the term -|theta|_Sigma^2.
func (l LossSums) matrix(corrected bool) [3]float64 {
	a := l.Gram
	if corrected {
		a[0] -= l.Sigma * l.Sigma
		a[2] -= l.Sigma * l.Sigma
	}
	return a
}

// Minimiser returns the point where the mean loss is least, without or with the correction.
func (l LossSums) Minimiser(corrected bool) (theta [2]float64) {
	a := l.matrix(corrected)
	det := a[0]*a[2] - a[1]*a[1]
	return [2]float64{(a[2]*l.Moment[0] - a[1]*l.Moment[1]) / det, (a[0]*l.Moment[1] - a[1]*l.Moment[0]) / det}
}

// contour returns the points where the mean loss is c above its least, an ellipse around the
// minimiser.
func (l LossSums) contour(corrected bool, c float64) (x, y []float64) {
	centre := l.Minimiser(corrected)
	return charts.Ellipse(centre, l.matrix(corrected), math.Sqrt(c))
}

// lossBudgets are the slider's.
var lossBudgets = []float64{math.Inf(1), 40, 20, 10, 5}

// lossBudget is a budget of the lesson.
func lossBudget(epsilon float64) privacy.Budget { return privacy.Budget{Epsilon: epsilon, Delta: 1e-5} }

// FigureLoss draws level curves of the mean loss of many messages, without and with the correction,
// with a slider over the noise.
func FigureLoss(s Scale) (*charts.Figure, error) {
	n := pick(s, 50_000, 500_000, 2_000_000)
	f := &charts.Figure{
		Title: "The mean loss of many messages, as level curves",
		X:     charts.Axis{Name: "θ₁", Range: [2]float64{-0.5, 1.5}}, Y: charts.Axis{Name: "θ₂", Range: [2]float64{-0.5, 1.5}},
		Equal: true, Width: 720, Height: 680, Scale: Here(s),
		Series:  []charts.Series{{Name: "θ*", Kind: charts.Scatter, X: lossTheta[:1], Y: lossTheta[1:], Size: 16, Style: 4}},
		Slider:  &charts.Slider{Label: "noise", Start: 3},
		Caption: fmt.Sprintf("%s messages, δ = 10⁻⁵. On the curves the mean loss is 0.01, 0.04 and 0.09 above its least. Dots: where it is least", thousands(n)),
	}
	for _, epsilon := range lossBudgets {
		sums, err := LessonLosses(lossBudget(epsilon), n)
		if err != nil {
			return nil, err
		}
		frame := charts.Frame{Value: fmt.Sprintf("σ = %.2f (ε = %g)", sums.Sigma, epsilon)}
		if math.IsInf(epsilon, 1) {
			frame.Value = "σ = 0 (no privacy)"
		}
		for i, name := range []string{"squared loss", "corrected loss"} {
			for _, c := range []float64{0.01, 0.04, 0.09} {
				x, y := sums.contour(i == 1, c)
				frame.Series = append(frame.Series, charts.Series{Name: name, X: x, Y: y, Style: 2 - i})
			}
			m := sums.Minimiser(i == 1)
			frame.Series = append(frame.Series, charts.Series{Name: name, Kind: charts.Scatter, X: m[:1], Y: m[1:], Size: 11, Style: 2 - i})
		}
		f.Slider.Frames = append(f.Slider.Frames, frame)
	}
	return f, nil
}

// FigureLossCut draws the corrected loss of single messages along the line through 0 and theta*,
// and their mean.
func FigureLossCut(s Scale) (*charts.Figure, error) {
	n := pick(s, 50_000, 500_000, 2_000_000)
	sums, err := LessonLosses(lossBudget(10), n)
	if err != nil {
		return nil, err
	}
	f := &charts.Figure{
		Title: "One message's corrected loss, and the mean of many",
		X:     charts.Axis{Name: "θ = a θ*, a"}, Y: charts.Axis{Name: "loss, less that at θ = 0", Range: [2]float64{-1, 2}},
		Marks: []charts.Mark{charts.AtX(1, "θ*")}, Scale: Here(s),
		Caption: fmt.Sprintf("σ = %.2f (ε = 10, δ = 10⁻⁵). Pale: eight users. Bold: the mean of %s", sums.Sigma, thousands(n)),
	}
	cut := func(a [3]float64, b [2]float64) (x, y []float64) {
		for i := range 61 {
			t := -1 + float64(i)*3/60
			u, v := t*lossTheta[0], t*lossTheta[1]
			x, y = append(x, t), append(y, a[0]*u*u+2*a[1]*u*v+a[2]*v*v-2*(b[0]*u+b[1]*v))
		}
		return x, y
	}
	for _, m := range sums.Messages {
		one := LossSums{Sigma: sums.Sigma, Gram: [3]float64{m[0] * m[0], m[0] * m[1], m[1] * m[1]}}
		x, y := cut(one.matrix(true), [2]float64{m[2] * m[0], m[2] * m[1]})
		f.Series = append(f.Series, charts.Series{Name: "one message, corrected", X: x, Y: y, Faint: true, Style: 1})
	}
	for i, name := range []string{"mean, squared loss", "mean, corrected loss"} {
		x, y := cut(sums.matrix(i == 1), sums.Moment)
		f.Series = append(f.Series, charts.Series{Name: name, X: x, Y: y, Style: 2 - i})
	}
	return f, nil
}

// claimLoss compares the minimisers with theta* and with (G + sigma^2 I)^-1 G theta*.
func claimLoss(s Scale) (string, error) {
	n := pick(s, 400_000, 1_000_000, 2_000_000)
	sums, err := LessonLosses(lossBudget(10), n)
	if err != nil {
		return "", err
	}
	mu, err := privacy.GaussianMu(lossBudget(10))
	if err != nil {
		return "", err
	}
	sigma := math.Sqrt(8) / mu // the pair's diameter: sqrt(2^2 + 2^2)
	with, without := sums.Minimiser(true), sums.Minimiser(false)
	var bias float64
	for i, axis := range lossAxes {
		g := axis * axis / 2
		shrunk := g / (g + sigma*sigma) * lossTheta[i]
		// An entry of the mean moment has a standard deviation below (1 + sigma^2)(1 + |theta|)/sqrt(n)
		// of its value at theta; a coordinate moves by that over g.
		se := (1 + sigma*sigma) * (1 + math.Hypot(lossTheta[0], lossTheta[1])) / math.Sqrt(float64(n)) / g
		if d := math.Abs(with[i] - lossTheta[i]); d > 5*se {
			return "", fmt.Errorf("coordinate %d: the corrected loss is least at %.3f, want %.3f within %.3f", i+1, with[i], lossTheta[i], 5*se)
		}
		if d := math.Abs(without[i] - shrunk); d > 5*se {
			return "", fmt.Errorf("coordinate %d: the squared loss is least at %.3f, want %.3f within %.3f", i+1, without[i], shrunk, 5*se)
		}
		bias = math.Max(bias, math.Abs(without[i]-lossTheta[i])/se)
	}
	if bias < 5 {
		return "", fmt.Errorf("the squared loss's bias is %.1f standard errors: nothing is tested", bias)
	}
	return fmt.Sprintf("σ = %.2f, %s messages: corrected (%.3f, %.3f), squared (%.3f, %.3f), θ* = (%g, %g)",
		sigma, thousands(n), with[0], with[1], without[0], without[1], lossTheta[0], lossTheta[1]), nil
}
