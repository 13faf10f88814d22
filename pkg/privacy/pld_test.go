package privacy_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// lossy is an event of which an accountant knows a pair and no more: so that Gaussians are composed numerically.
type lossy struct {
	name string
	pair func() (privacy.Pair, error)
}

func (e *lossy) String() string              { return e.name }
func (e *lossy) Validate() error             { return nil }
func (e *lossy) Pair() (privacy.Pair, error) { return e.pair() }

func gaussian(mu float64) *lossy {
	return &lossy{fmt.Sprintf("numeric Gaussian %v", mu), func() (privacy.Pair, error) { return privacy.GaussianPair(mu) }}
}

// bracket fails unless lo <= truth <= hi, to rounding of the truth, and hi - truth is at most within.
func bracket(t *testing.T, what string, lo, hi, truth, within float64) {
	t.Helper()
	slack := 1e-9 * (1 + math.Abs(truth))
	if !(lo <= truth+slack && truth <= hi+slack && hi-truth <= within) {
		t.Errorf("%s: [%.9g, %.9g] about %.9g, want it inside and the upper bound within %g", what, lo, hi, truth, within)
	}
	t.Logf("%s: %.7g, upper bound +%.2g, lower -%.2g", what, truth, hi-truth, truth-lo)
}

func TestPLDGaussian(t *testing.T) {
	for _, total := range []float64{0.1, 1, 5} {
		for _, k := range []int{1, 10, 100, 10000} {
			for _, delta := range []float64{1e-3, 1e-6, 1e-9, 1e-12} {
				mu := total / math.Sqrt(float64(k))
				lo, hi, err := privacy.PLD{}.EpsilonBounds(privacy.Repeat{Event: gaussian(mu), Times: k}, delta)
				if err != nil {
					t.Fatal(err)
				}
				bracket(t, fmt.Sprintf("%d x mu = %.3g, delta = %g", k, mu, delta), lo, hi, privacy.GaussianEpsilon(delta, total), 1e-3)
			}
		}
	}
}

func TestPLDErrors(t *testing.T) {
	l := privacy.LaplaceEvent{Epsilon: 1}
	for _, spacing := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := (privacy.PLD{Spacing: spacing}).Epsilon(l, 1e-6); err == nil {
			t.Errorf("spacing %v: no error", spacing)
		}
	}
	if _, err := (privacy.PLD{}).Delta(l, math.NaN()); err == nil {
		t.Error("epsilon NaN: no error")
	}
	if _, err := (privacy.PLD{}).Epsilon(privacy.WishartEvent{Node: privacy.Budget{Epsilon: 0.1, Delta: 1e-6}, Nodes: 2}, 1e-6); !errors.Is(err, privacy.ErrUnsupported) {
		t.Errorf("Wishart: %v", err)
	}
}
