package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// printedFTRL is DP-FTRL as it is printed (Chari, Differentially Private Online Algorithms, Theorem
// 1), in one dimension and for two rounds.
//
// The noise of a node has scale |Y|_1 ln(T)/epsilon with |Y|_1 = 1, the largest loss, and T = 2.
// Only the first loss is released before the game ends, under one draw of scale ln(2)/epsilon.
// Replacing a loss in [-1, 1] moves it by 2, not by 1, and ln 2 is less than the one node. The true
// epsilon is 2/ln 2 times the nominal one, 2.89. The run reports the noisy sum, from which the
// second round's play follows.
func printedFTRL() audit.Mechanism {
	const epsilon = 1.0
	return audit.Mechanism{
		Name: "DP-FTRL as printed, T = 2", Origin: "Chari, Differentially Private Online Algorithms, Theorem 1",
		Claim: privacy.Budget{Epsilon: epsilon}, Exact: 2 / math.Ln2 * epsilon, Runs: 20000,
		Release: func(world int, source rand.Source, out []float64) error {
			privacy.NewNoise(source).Laplace(out, math.Ln2/epsilon)
			out[0] += []float64{-1, 1}[world]
			return nil
		},
	}
}
