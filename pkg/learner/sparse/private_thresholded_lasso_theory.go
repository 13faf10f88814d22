package sparse

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// PrivateLassoTheory holds the parameters of the regret bounds of PrivateThresholdedLasso (Shukla
// 2024, Theorems 2 and 3). All other constants that may be chosen are 1. Left out are the noise for
// privacy and the term with C_0, so that the theorems' own bounds are larger.
type PrivateLassoTheory struct {
	Arms, Dim, Sparsity int     // K, d, s_0
	Sigma               float64 // sigma, the standard deviation of a reward's noise
	Lambda0             float64 // lambda_0 > 0, the scale of the penalty
}

// terms returns A and B: the bounds are A plus B times functions of the horizon.
func (t PrivateLassoTheory) terms() (a, b float64) {
	s, rivals, variance := float64(t.Sparsity), float64(t.Arms-1), t.Sigma*t.Sigma
	log := 1 + portable.Log(4*s)
	a = 1048 * log * math.Sqrt(log) * variance * rivals * s
	b = 2 * rivals * 64 * float64(t.Dim) * variance * s * s / (t.Lambda0 * t.Lambda0)
	return a, b
}

// Margin returns the bound under a margin condition (Theorem 2): (A + B) ln rounds.
func (t PrivateLassoTheory) Margin(rounds float64) float64 {
	a, b := t.terms()
	return (a + b) * portable.Log(rounds)
}

// General returns the bound without a margin (Theorem 3): A sqrt(rounds) + B ln rounds.
func (t PrivateLassoTheory) General(rounds float64) float64 {
	a, b := t.terms()
	return float64(a*math.Sqrt(rounds)) + float64(b*portable.Log(rounds))
}
