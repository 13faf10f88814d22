package ldp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Batches are the batch sizes of FigureBatches.
var Batches = []int{20, 50, 100, 200, 500, 1000, 2000, 5000}

// claimBatches: amplification never asks for more noise than the local model, asks for no less in
// larger batches, and gives nothing at 20.
func claimBatches(lab.Scale) (string, error) {
	problem, evidence := Arms(true).Problem(), ""
	for _, epsilon := range []float64{0.2, 1, 10} {
		before := math.Inf(1)
		for _, batch := range Batches {
			a, err := learner.AmplifiedNoise{Budget: Budget(epsilon), Batch: batch}.Amplification(problem)
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
	// More users in a batch, at the same noise of each message, are never worth less; what a batch of
	// 5000 pays for, one of 500 does not.
	small, err := privacy.AmplifiedMu(Budget(1), 500)
	if err != nil {
		return "", err
	}
	large, err := privacy.AmplifiedMu(Budget(1), 5000)
	if err != nil {
		return "", err
	}
	if !(large > 1.2*small) {
		return "", fmt.Errorf("ε = 1: μ of a message may be %.4g in batches of 500 and %.4g in batches of 5000", small, large)
	}
	return evidence + "nothing is saved at 20", nil
}
