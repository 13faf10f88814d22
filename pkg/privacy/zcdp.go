package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// ZCDP returns the largest rho for which rho-zCDP implies the budget by the standard conversion:
// rho = (sqrt(ln(1/delta) + eps) - sqrt(ln(1/delta)))^2 (Bun and Steinke 2016, Prop. 1.3). A
// Gaussian release of L2 sensitivity D then needs the standard deviation D/sqrt(2 rho). It is +Inf
// for epsilon = +Inf.
func ZCDP(b Budget) (float64, error) {
	if err := b.Approximate(); err != nil {
		return 0, err
	}
	if b.None() {
		return math.Inf(1), nil
	}
	l := -portable.Log(b.Delta)
	// This is the difference of the roots without cancellation.
	root := b.Epsilon / (math.Sqrt(l+b.Epsilon) + math.Sqrt(l))
	return root * root, nil
}

// ZCDPEpsilon returns the epsilon that rho-zCDP implies at delta: rho + 2 sqrt(rho ln(1/delta)). It
// is +Inf unless rho >= 0 and delta is in [0, 1).
func ZCDPEpsilon(rho, delta float64) float64 {
	switch {
	case !(rho >= 0) || !(delta >= 0 && delta < 1):
		return math.Inf(1)
	case rho == 0:
		return 0
	}
	return rho + float64(2*math.Sqrt(rho*portable.Log(1/delta)))
}
