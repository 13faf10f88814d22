package papers

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPBatches are the batch sizes of FigureBatches.
var LDPBatches = []int{20, 50, 100, 200, 500, 1000, 2000, 5000}

// FigureBatches draws the noise that a message needs for a budget in the shuffle model against the size of the batch that it is shuffled in, a frame a budget.
func FigureBatches() (*charts.Figure, error) {
	f := &charts.Figure{
		Title: "What shuffling saves, by the size of the batch",
		X:     charts.Axis{Name: "messages in a batch", Log: true, Range: [2]float64{10, 1e4}}, Y: charts.Axis{Name: "sd of a message's noise / sensitivity", Log: true},
		Scale: "exact accounting of each bound",
	}
	problem := LDPArms(true).Problem()
	var err error
	f.Slider = charts.Over("ε", []float64{0.2, 1, 2, 10}, func(epsilon float64) charts.Frame {
		amplified, local, sum := charts.Series{Name: "amplified by shuffling", Style: 2}, charts.Series{Name: "no shuffler: local", Style: 1}, charts.Series{Name: "trusted sum: local/√B", Style: 3}
		least := 0
		for _, batch := range LDPBatches {
			noise := learner.AmplifiedNoise{Budget: LDPBudget(epsilon), Batch: batch}
			a, failed := noise.Amplification(problem)
			if failed != nil {
				err = failed
				return charts.Frame{}
			}
			if a.Helps && least == 0 {
				least = batch
			}
			b := float64(batch)
			amplified.X, amplified.Y = append(amplified.X, b), append(amplified.Y, a.SD)
			local.X, local.Y = append(local.X, b), append(local.Y, a.Without)
			sum.X, sum.Y = append(sum.X, b), append(sum.Y, a.Without/math.Sqrt(b))
		}
		caption := fmt.Sprintf("ε = %g, δ = 0.1: of these batches none saves anything", epsilon)
		if least > 0 {
			caption = fmt.Sprintf("ε = %g, δ = 0.1: of these batches %d is the first that saves something", epsilon, least)
		}
		return charts.Frame{Series: []charts.Series{local, amplified, sum}, Caption: caption}
	})
	f.Slider.Start = 1
	return f, err
}

// claimBatches: amplification never asks for more noise than the local model, asks for no less in larger batches, and gives nothing at 20.
func claimBatches(Scale) (string, error) {
	problem, evidence := LDPArms(true).Problem(), ""
	for _, epsilon := range []float64{0.2, 1, 10} {
		before := math.Inf(1)
		for _, batch := range LDPBatches {
			a, err := learner.AmplifiedNoise{Budget: LDPBudget(epsilon), Batch: batch}.Amplification(problem)
			if err != nil {
				return "", err
			}
			switch {
			case a.SD > a.Without*(1+1e-9) || a.SD > before*(1+1e-6):
				return "", fmt.Errorf("ε = %g, batch %d: noise %.4g, local %.4g, in the smaller batch %.4g", epsilon, batch, a.SD, a.Without, before)
			case batch == 20 && (a.Helps || a.SD < a.Without*(1-1e-9)):
				return "", fmt.Errorf("ε = %g: a batch of 20 saves something: %.4g of %.4g", epsilon, a.SD, a.Without)
			case a.Epsilon > epsilon*(1+1e-6):
				return "", fmt.Errorf("ε = %g, batch %d: the claim is %.6g", epsilon, batch, a.Epsilon)
			}
			before = a.SD
			if batch == 5000 {
				evidence += fmt.Sprintf("ε = %g: %.3g without a shuffler, %.3g in batches of 5000; ", epsilon, a.Without, a.SD)
			}
		}
	}
	// More users in a batch, at the same noise of each message, are never worth less; what a batch of 5000 pays for, one of 500 does not.
	small, err := privacy.AmplifiedMu(LDPBudget(1), 500)
	if err != nil {
		return "", err
	}
	large, err := privacy.AmplifiedMu(LDPBudget(1), 5000)
	if err != nil {
		return "", err
	}
	if !(large > 1.2*small) {
		return "", fmt.Errorf("ε = 1: μ of a message may be %.4g in batches of 500 and %.4g in batches of 5000", small, large)
	}
	return evidence + "nothing is saved at 20", nil
}
