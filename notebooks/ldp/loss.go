package ldp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Why noise in x biases the squared loss, and how the loss of Algorithm 1 takes the bias away.

// The lesson in two dimensions: theta*, the axes of the ellipse that contexts lie on, the bounds,
// and the budget of a message.
var (
	lossTheta   = []float64{0.7, 0.5}
	lossAxes    = []float64{0.9, 0.4}
	lossProblem = bandit.Problem{Arms: 1, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	lossBudget  = privacy.Budget{Epsilon: 10, Delta: 1e-5}
)

// lossMessages has devices of Algorithm 1 send n messages about the lesson's rows.
func lossMessages(n int, see func(m learner.Message) error) error {
	noise := learner.OnlineNoise{Budget: lossBudget}
	l := &learner.Local{Device: &learner.OnlineDevice{Noise: noise}, Server: &learner.OnlineServer{Noise: noise}}
	if err := l.Init(lossProblem, n); err != nil {
		return err
	}
	l.Server.Reset(nil)
	rows, source := random.New(Seed, 0, "rows"), privacy.NewNoise(random.Source(Seed, 0, "noise"))
	x := make([]float64, 2)
	for range n {
		sin, cos := math.Sincos(2 * math.Pi * rows.Float64())
		x[0], x[1] = lossAxes[0]*cos, lossAxes[1]*sin
		y := 1.0
		if rows.Float64() > (1+lossTheta[0]*x[0]+lossTheta[1]*x[1])/2 {
			y = -1
		}
		m, err := l.Device.Report(l.Server.Broadcast(), x, y, source, nil)
		if err != nil {
			return err
		}
		if err := see(m); err != nil {
			return err
		}
	}
	return nil
}

// claimLoss takes the gradients of both losses where each should be least, message by message:
// their means are 0 up to 4.5 standard errors, which are measured. So the minimisers are right to
// within the errors of theta that it reports.
func claimLoss(s lab.Scale) (string, error) {
	n := cell.Pick(s, 400_000, 1_000_000, 2_000_000)
	mu, err := privacy.GaussianMu(lossBudget)
	if err != nil {
		return "", err
	}
	variance := 8 / (mu * mu) // the pair's diameter squared over mu^2
	losses := []struct {
		name    string
		correct float64
		theta   [2]float64
	}{{"squared", 0, [2]float64{}}, {"corrected", variance, [2]float64{lossTheta[0], lossTheta[1]}}}
	for i, axis := range lossAxes {
		g := axis * axis / 2
		losses[0].theta[i] = g / (g + variance) * lossTheta[i]
	}
	var sum, square [2][2]float64
	err = lossMessages(n, func(m learner.Message) error {
		for k, l := range losses {
			residual := m[0]*l.theta[0] + m[1]*l.theta[1] - m[2]
			for i := range 2 {
				g := m[i]*residual - l.correct*l.theta[i]
				sum[k][i] += g
				square[k][i] += g * g
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	evidence := fmt.Sprintf("σ = %.2f, %s messages;", math.Sqrt(variance), cell.Thousands(n))
	for k, l := range losses {
		for i, axis := range lossAxes {
			mean := sum[k][i] / float64(n)
			se := math.Sqrt((square[k][i]/float64(n) - mean*mean) / float64(n))
			curvature := axis*axis/2 + variance - l.correct // of half the mean loss
			if math.Abs(mean) > 4.5*se {
				return "", fmt.Errorf("the %s loss has a slope of %.2g ± %.1g along coordinate %d at (%.3f, %.3f)", l.name, mean, se, i+1, l.theta[0], l.theta[1])
			}
			evidence += fmt.Sprintf(" %s: θ%d = %.3f ± %.3f;", l.name, i+1, l.theta[i]-mean/curvature, se/curvature)
		}
	}
	return evidence + fmt.Sprintf(" θ* = (%g, %g)", lossTheta[0], lossTheta[1]), nil
}
