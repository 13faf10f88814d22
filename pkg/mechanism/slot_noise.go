package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// slotNoise calibrates the noise of a tally, of which one record moves a number of released sums, its slots, by the range of a weight each. Laplace noise for
// delta = 0, Gaussian noise otherwise.
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

// scale returns the noise on a sum: slots side/epsilon, or sqrt(slots) side/mu.
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

// each returns the event of one of a number of slots.
func (n slotNoise) each(slots int) privacy.Event {
	if n.gaussian {
		return privacy.GaussianEvent{Mu: n.mu / math.Sqrt(float64(slots))}
	}
	return privacy.LaplaceEvent{Epsilon: n.budget.Epsilon / float64(slots)}
}

// event returns that of a record in as many releases as the noise is for.
func (n slotNoise) event(slots int) privacy.Event { return n.published(slots, slots) }

// published returns the event of a record that is in more releases than the noise is for.
func (n slotNoise) published(slots, releases int) privacy.Event {
	switch {
	case n.gaussian && slots == releases:
		return privacy.GaussianEvent{Mu: n.mu}
	case n.gaussian:
		return privacy.GaussianEvent{Mu: n.mu * math.Sqrt(float64(releases)/float64(slots))}
	}
	return times(n.each(slots), releases)
}

// worth returns the epsilon of that.
func (n slotNoise) worth(slots, releases int) float64 {
	if n.gaussian {
		return privacy.GaussianEpsilon(n.budget.Delta, n.mu*math.Sqrt(float64(releases)/float64(slots)))
	}
	return n.budget.Epsilon * float64(releases) / float64(slots)
}
