package ldp

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
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
	Sigma  float64    // of the noise
	N      int        // messages
	Gram   [3]float64 // mean of x~ x~^T: entries 11, 12, 22
	Moment [2]float64 // mean of y~ x~
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
	rows, noise := random.New(Seed, 0, "rows"), privacy.NewNoise(random.Source(Seed, 0, "noise"))
	x := make([]float64, 2)
	for range n {
		y := lossRow(rows, x)
		m, err := device.Report(server.Broadcast(), x, y, noise, nil)
		if err != nil {
			return sums, err
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

// lossBudget is a budget of the lesson.
func lossBudget(epsilon float64) privacy.Budget { return privacy.Budget{Epsilon: epsilon, Delta: 1e-5} }

// claimLoss compares the minimisers with theta* and with (G + sigma^2 I)^-1 G theta*.
func claimLoss(s lab.Scale) (string, error) {
	n := cell.Pick(s, 400_000, 1_000_000, 2_000_000)
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
		sigma, cell.Thousands(n), with[0], with[1], without[0], without[1], lossTheta[0], lossTheta[1]), nil
}
