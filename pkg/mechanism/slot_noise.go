package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// slotNoise calibrates the noise of a tally in which one record moves a given number of released
// sums, its slots, each by at most the range of a weight. delta = 0 means Laplace noise, delta > 0
// Gaussian noise.
type slotNoise struct {
	budget   privacy.Budget
	gaussian bool
	mu       float64
}

func newSlotNoise(b privacy.Budget) (slotNoise, error) {
	if err := b.Validate(); err != nil {
		return slotNoise{}, err
	}
	n := slotNoise{budget: b, gaussian: b.Delta > 0}
	var err error
	if n.gaussian {
		n.mu, err = privacy.GaussianMu(b)
	}
	return n, err
}

// scale returns the noise on a sum: the Laplace scale slots side/epsilon, or the Gaussian standard
// deviation sqrt(slots) side/mu.
func (n slotNoise) scale(slots int, side float64) (float64, error) {
	ratio, name := float64(slots)/n.budget.Epsilon, "Laplace noise of scale"
	if n.gaussian {
		ratio, name = math.Sqrt(float64(slots))/n.mu, "Gaussian noise of standard deviation"
	}
	scale := ratio * side
	if math.IsInf(2*ratio*ratio, 0) || math.IsInf(scale, 0) || scale == 0 && !n.budget.None() {
		return 0, fmt.Errorf("mechanism: %s %v for %v, %d sums and a range of %v, want finite and > 0, and twice its square in units of the range finite", name, scale, n.budget, slots, side)
	}
	return scale, nil
}
