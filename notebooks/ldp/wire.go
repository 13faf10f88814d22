package ldp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// What leaves a user's device.

// claimWire measures the noise of messages against the diameter of the public domain over mu, and
// finds the raw row in their mean.
func claimWire(s lab.Scale) (string, error) {
	count := cell.Pick(s, 40_000, 100_000, 400_000)
	env, noise := Arms(true), privacy.NewNoise(random.Source(Seed, 0, "wire noise"))
	env.Reset(random.New(Seed, 0, "wire"))
	var v bandit.View
	env.Next(&v)
	x, y := v.Row(0), 1.0
	row := append(slices.Clone(x[:4]), y)
	var evidence string
	for _, epsilon := range Epsilons {
		mu, err := privacy.GaussianMu(Budget(epsilon))
		if err != nil {
			return "", err
		}
		l := Online(Budget(epsilon), privacy.Sound, 0, 1)
		if err := l.Init(env.Problem(), Horizon); err != nil {
			return "", err
		}
		l.Server.Reset(nil)
		want := math.Sqrt(3) / mu
		sum, square := make([]float64, 5), 0.0
		for range count {
			m, err := l.Device.Report(l.Server.Broadcast(), x, y, noise, nil)
			if err != nil || len(m) != 5 {
				return "", fmt.Errorf("a message of %d numbers, want 4 of the context and the reward: %v", len(m), err)
			}
			for i, v := range row {
				sum[i] += m[i] - v
				square += (m[i] - v) * (m[i] - v)
			}
		}
		for i, s := range sum {
			if off := s / math.Sqrt(float64(count)) / want; math.Abs(off) > 4.5 {
				return "", fmt.Errorf("ε = %g: number %d of the message is off by %.1f standard errors on average", epsilon, i+1, off)
			}
		}
		sd := math.Sqrt(square / float64(5*count))
		if math.Abs(sd/want-1) > 4.5/math.Sqrt(10*float64(count)) { // 4.5 standard errors
			return "", fmt.Errorf("ε = %g: noise of standard deviation %.4f, want √3/μ = %.4f", epsilon, sd, want)
		}
		evidence += fmt.Sprintf("ε = %g: σ = %.3f, √3/μ = %.3f; ", epsilon, sd, want)
	}
	return evidence + fmt.Sprintf("%s messages each", cell.Thousands(count)), nil
}

// worth returns the standard deviation of a device's noise, and the epsilon that is proved of it.
func worth(b privacy.Budget, c privacy.Calibration, p bandit.Problem, constant float64) (sigma, epsilon float64, err error) {
	d := &learner.OnlineDevice{Noise: learner.OnlineNoise{Budget: b, Calibration: c, Constant: constant}}
	if err := d.Init(p, Horizon); err != nil {
		return 0, 0, err
	}
	return privacy.PlanOf(d, privacy.All).Draws[0].Law.Scale, privacy.ClaimOf(d).Epsilon(), nil
}

// claimBuys: the printed sigma does not buy its epsilon in general, at 1e-5 from 1 on.
func claimBuys(lab.Scale) (string, error) {
	general := bandit.Problem{Arms: 1, Dim: 5, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	var evidence []string
	for _, epsilon := range []float64{1, 5, 10, 20} {
		b := privacy.Budget{Epsilon: epsilon, Delta: 1e-5}
		printed, proved, err := worth(b, privacy.AsPublished, general, 0)
		if err != nil {
			return "", err
		}
		sound, _, err := worth(b, privacy.Sound, general, 0)
		if err != nil {
			return "", err
		}
		if proved <= epsilon || sound <= printed {
			return "", fmt.Errorf("δ = 1e-5, ε = %g: σ = %.4g buys %.4g, sound σ = %.4g", epsilon, printed, proved, sound)
		}
		if mu := math.Sqrt(8) / printed; math.Abs(privacy.GaussianDelta(proved, mu)/1e-5-1) > 1e-6 {
			return "", fmt.Errorf("δ = 1e-5, ε = %g: at the claimed %.6g rows 2√2 apart have δ = %.4g", epsilon, proved, privacy.GaussianDelta(proved, mu))
		}
		evidence = append(evidence, fmt.Sprintf("%g → %.4g", epsilon, proved))
	}
	printed, proved, err := worth(Budget(10), privacy.AsPublished, Arms(true).Problem(), Arms(true).Constant())
	if err != nil {
		return "", err
	}
	if proved <= 10 {
		return "", fmt.Errorf("Figure 1 (c): σ = %.4g buys %.4g", printed, proved)
	}
	return fmt.Sprintf("δ = 10⁻⁵: %s; Figure 1 (c), δ = 0.1: 10 → %.4g", strings.Join(evidence, ", "), proved), nil
}
