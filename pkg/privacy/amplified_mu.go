package privacy

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/privacy/internal/amplified"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// AmplifiedMu returns the largest mu of n shuffled messages that amplified.MixedDelta finds within
// a budget. It is accurate to a relative 1e-6, on the safe side, and at least what GaussianMu
// gives, which it equals where shuffling does not help.
func (b Budget) AmplifiedMu(n int) (float64, error) {
	if n < 1 {
		return 0, fmt.Errorf("privacy: %d messages shuffled, want >= 1", n)
	}
	low, err := b.GaussianMu()
	if err != nil || b.None() {
		return low, err
	}
	return amplifiedMus.Recall(batch{b, n}, func() (float64, error) { return amplifiedMu(low, b, n), nil })
}

// batch is what an amplified mu is computed of.
type batch struct {
	budget Budget
	n      int
}

var amplifiedMus numeric.Memory[batch, float64]

func amplifiedMu(low float64, b Budget, n int) float64 {
	high := low * (1 + 1e-6)
	if amplified.MixedDelta(b.Epsilon, high, n) > b.Delta {
		return low
	}
	for high < 1e3 && amplified.MixedDelta(b.Epsilon, high, n) <= b.Delta {
		low, high = high, 2*high
	}
	for high-low > 1e-9*high {
		if middle := low + float64((high-low)/2); amplified.MixedDelta(b.Epsilon, middle, n) <= b.Delta {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
