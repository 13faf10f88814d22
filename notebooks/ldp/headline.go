package ldp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"gonum.org/v1/gonum/stat/distuv"
)

// claimRates fits the exponent of OnlineUCB's regret against the horizon.
func claimRates(s lab.Scale) (string, error) {
	horizons, evidence := []float64{2_500, 5_000, 10_000, 20_000}, ""
	for _, epsilon := range []float64{10, 1} {
		runs, err := simulate.Sweep(context.Background(), horizons, func(rounds float64) *simulate.Experiment {
			return &simulate.Experiment{
				Name: "rates", Environment: func() bandit.Environment { return Arms(true) }, Horizon: int(rounds),
				Trials: cell.Pick(s, 8, 12, 50), Seed: Seed, Grid: []int{int(rounds)},
				Policies: []simulate.Policy{{Name: OnlineOGD, New: func() bandit.Learner { return Policy(OnlineOGD, epsilon) }}},
			}
		})
		if err != nil {
			return "", err
		}
		var means [][]float64
		for _, curves := range runs {
			means = append(means, curves[0].Mean)
		}
		slope, err := simulate.LogLogSlope(horizons, means)
		if err != nil {
			return "", err
		}
		if epsilon == 10 && slope.Value > 0.5 || epsilon == 1 && slope.Value < 0.75 {
			return "", fmt.Errorf("ε = %g: regret grows like T^%.2f", epsilon, slope.Value)
		}
		evidence += fmt.Sprintf("ε = %g: T^%.2f; ", epsilon, slope.Value)
	}
	return evidence + "T from 2,500 to 20,000", nil
}

// claimEvent counts the runs of devices in which some |eta| exceeds the length that the paper's
// event E1 grants, and compares the share with the exact probability. A false alarm has a
// probability of 1e-5.
func claimEvent(s lab.Scale) (string, error) {
	const rounds, alpha, d = 20_000, 0.05, 5
	runs := cell.Pick(s, 200, 200, 1000)
	p := bandit.Problem{Arms: 1, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	server := &learner.OnlineServer{Noise: learner.OnlineNoise{Budget: Budget(1)}}
	if err := server.Init(p, rounds); err != nil {
		return "", err
	}
	server.Reset(nil)
	broadcast := slices.Clone(server.Broadcast())
	mu, err := privacy.GaussianMu(Budget(1))
	if err != nil {
		return "", err
	}
	log := 2 * math.Log(2*rounds/alpha)
	want := 1 - math.Pow(distuv.ChiSquared{K: d}.CDF(log), rounds)
	results, err := simulate.Trials(context.Background(), runs, func(trial int) (float64, error) {
		device, noise := &learner.OnlineDevice{Noise: server.Noise}, privacy.NewNoise(random.Source(Seed, trial, "event"))
		if err := device.Init(p, rounds); err != nil {
			return 0, err
		}
		var m learner.Message
		x := make([]float64, d)
		for range rounds {
			var err error
			if m, err = device.Report(broadcast, x, 0, noise, m[:0]); err != nil {
				return 0, err
			}
			square := 0.0
			for _, v := range m[:d] {
				square += v * v
			}
			if square > 8/(mu*mu)*log {
				return 1, nil
			}
		}
		return 0, nil
	})
	if err != nil {
		return "", err
	}
	share := 0.0
	for _, v := range results {
		share += v / float64(runs)
	}
	if math.Abs(share-want) > 4.5*math.Sqrt(want*(1-want)/float64(runs)) || want < 10*alpha {
		return "", fmt.Errorf("the event fails in %.0f%% of %d runs, %.0f%% by the chi-squared law", 100*share, runs, 100*want)
	}
	return fmt.Sprintf("d = %d, T = %s, α = %g: it fails in %.0f%% of %d runs, in %.1f%% by the chi-squared law", d, cell.Thousands(rounds), alpha, 100*share, runs, 100*want), nil
}
