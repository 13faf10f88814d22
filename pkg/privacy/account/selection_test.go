package account_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// worstSelection is the delta of the best adversary against choices of a range and then a Gaussian,
// who has so many responses to choose from at each step.
func worstSelection(width, mu, epsilon float64, picks, responses int) float64 {
	if picks == 0 {
		return account.GaussianDelta(epsilon, mu)
	}
	most := 0.0
	for i := range responses + 1 {
		at := width * float64(i) / float64(responses)
		q := (math.Exp(-at) - math.Exp(-width)) / -math.Expm1(-width)
		p := q * math.Exp(at)
		most = math.Max(most, p*worstSelection(width, mu, epsilon-at, picks-1, responses)+
			(1-p)*worstSelection(width, mu, epsilon-at+width, picks-1, responses))
	}
	return most
}

// TestSelectionEvent: the bound is at least what an adversary with some responses to choose from
// achieves, and hardly more; and it is below the bound by one pair a choice, far below for several
// choices.
func TestSelectionEvent(t *testing.T) {
	for _, c := range []struct {
		width, mu float64
		picks     int
		responses int
	}{{0.7, 0, 1, 1000}, {0.7, 0, 3, 24}, {0.15, 0.16, 1, 1000}, {0.15, 0.16, 2, 60}, {0.15, 0.16, 3, 16}, {1.2, 1.3, 3, 24}, {3, 0.5, 2, 300}} {
		if testing.Short() && (c.picks == 1 || c.width == 0.15 && c.picks == 3 || c.width == 3) {
			continue // one choice is a part of three; the rest takes longest
		}
		e := account.SelectionEvent{Epsilon: c.width, Picks: c.picks, Mu: c.mu}
		for _, share := range []float64{0, 0.2, 0.5, 0.8} {
			epsilon := share * (c.width*float64(c.picks) + 3*c.mu)
			least := worstSelection(c.width, c.mu, epsilon, c.picks, c.responses)
			of := func(e account.Event) float64 {
				delta, err := account.PLD{}.Delta(e, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				return delta
			}
			bound, loose := of(e), 0.0
			if c.mu > 0 {
				loose = of(account.Sequence{account.Repeat{Event: account.ExponentialEvent{Epsilon: c.width}, Times: c.picks}, account.GaussianEvent{Mu: c.mu}})
			} else {
				loose = of(account.Repeat{Event: account.ExponentialEvent{Epsilon: c.width}, Times: c.picks})
			}
			t.Logf("%v, epsilon %.3g: delta %.6g, adversary %.6g, envelope %.6g", e, epsilon, bound, least, loose)
			if !(least <= bound*(1+1e-9)) || bound > least*1.06 {
				t.Errorf("%v at epsilon = %v: delta <= %v, an adversary has %v", e, epsilon, bound, least)
			}
			if bound > loose*(1+1e-3) {
				t.Errorf("%v at epsilon = %v: delta <= %v, by one pair a choice %v", e, epsilon, bound, loose)
			}
		}
	}
}

// TestSelectionRounding: the bound of a single choice of a small range is not below the curve of
// its closed form, which needs no Gaussian: what is computed is of the order of the unit roundoff
// over the range.
func TestSelectionRounding(t *testing.T) {
	for _, width := range []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.1} {
		for _, ratio := range []float64{0, 1e-4, 1e-3, 0.01} {
			e := account.SelectionEvent{Epsilon: width, Picks: 1, Mu: ratio * width}
			for _, share := range []float64{0, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999} {
				half := math.Expm1((1 - share) * width / 2)
				want := math.Exp(share*width) * half * half / math.Expm1(width) // (a - sqrt x)^2/(a^2 - 1)
				if got, err := (account.PLD{}).Delta(e, share*width); err != nil || !(got >= want*(1-1e-12)) {
					t.Errorf("%v at %v of it: delta <= %v (%v), want at least %v", e, share, got, err, want)
				}
			}
		}
	}
}

// The goldens come from an independent dynamic programme over the responses.
func TestCalibrateAdaptiveSelection(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	pick, mu, err := privacy.CalibrateAdaptiveSelection(b, 7, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "pick", pick, 0.15938, 2e-4)
	near(t, "mu", mu, 0.17215, 2e-4)
	e := account.SelectionEvent{Epsilon: pick, Picks: 7, Mu: mu}
	if delta, err := (account.PLD{}).Delta(e, b.Epsilon); err != nil || delta > b.Delta || delta < 0.999*b.Delta {
		t.Errorf("delta = %v (%v), want at most %v, and closely", delta, err, b.Delta)
	}
	loose, _, err := privacy.CalibrateSelection(b, 7, 0.6)
	if err != nil || !(pick > 1.05*loose && pick < 1.08*loose) {
		t.Errorf("pick %v, and %v by one pair a choice (%v), want 5 to 8%% more", pick, loose, err)
	}
	for _, err := range []error{
		refusal(privacy.CalibrateAdaptiveSelection(privacy.Budget{Epsilon: 1, Delta: 0}, 7, 0.6)), refusal(privacy.CalibrateAdaptiveSelection(b, 0, 0.6)),
		refusal(privacy.CalibrateAdaptiveSelection(b, 4097, 0.6)), refusal(privacy.CalibrateAdaptiveSelection(b, 7, 1)),
	} {
		if err == nil {
			t.Error("a selection that is calibrated from a bad argument")
		}
	}
	for _, e := range []account.SelectionEvent{{Epsilon: 0, Picks: 1, Mu: 1}, {Epsilon: math.NaN(), Picks: 1, Mu: 1}, {Epsilon: 1, Picks: 0, Mu: 1}, {Epsilon: 1, Picks: 4097, Mu: 1}, {Epsilon: 1, Picks: 1, Mu: -1}, {Epsilon: 1, Picks: 1, Mu: math.Inf(1)}, {Epsilon: 1e-9, Picks: 1, Mu: 1}} {
		if _, err := e.Pair(); err == nil {
			t.Errorf("a pair of %+v, want an error", e)
		}
	}
}
