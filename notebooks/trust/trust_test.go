package trust

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The lesson's claims are tested by TestClaims and TestMutations; here are the computations that
// they rest on.

// TestResponsesDelta compares the closed form for one and two responses.
func TestResponsesDelta(t *testing.T) {
	const epsilon, total = 0.7, 0.5
	p := SuccessBound(epsilon)
	for k, want := range map[int]float64{
		1: p - (1-p)*math.Exp(total),         // one loss is epsilon, the other -epsilon
		2: p*p - (1-p)*(1-p)*math.Exp(total), // a loss of 2 epsilon; the next is 0
		3: p*p*p - (1-p)*(1-p)*(1-p)*math.Exp(total) + // a loss of 3 epsilon, and three of epsilon
			3*(p*p*(1-p)-p*(1-p)*(1-p)*math.Exp(total)),
	} {
		if got := responsesDelta(k, epsilon, total); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d responses: %v, want %v", k, got, want)
		}
	}
	if got := responsesDelta(2, epsilon, 2*epsilon); got != 0 {
		t.Errorf("at the largest loss: %v, want 0", got)
	}
}

// TestTradeOffs: the curves start at no false alarms and end at no misses, fall, and are symmetric:
// neither world is special. Laplace noise has a closed form.
func TestTradeOffs(t *testing.T) {
	laplace := func(a float64) float64 { return TradeOff(a, distuv.Laplace{Scale: 1}) }
	for name, curve := range map[string]func(float64) float64{
		"bound":    func(a float64) float64 { return TradeOffBound(a, privacy.Budget{Epsilon: 1}) },
		"Laplace":  laplace,
		"Gaussian": func(a float64) float64 { return TradeOff(a, distuv.Normal{Sigma: 1}) },
	} {
		if curve(0) != 1 || curve(1) != 0 {
			t.Errorf("%s: from %v to %v, want 1 to 0", name, curve(0), curve(1))
		}
		for a := 0.01; a < 0.995; a += 0.01 {
			if back := curve(curve(a)); math.Abs(back-a) > 1e-9 {
				t.Errorf("%s: f(f(%v)) = %v", name, a, back)
			}
		}
	}
	for a, want := range map[float64]float64{0.1: 1 - math.E*0.1, 0.3: 1 / (math.E * 4 * 0.3), 0.8: 0.2 / math.E} {
		if got := laplace(a); math.Abs(got-want) > 1e-12 {
			t.Errorf("Laplace, %v false alarms: %v misses, want %v", a, got, want)
		}
	}
}

// TestLossOfOne compares the loss of a single query with the closed form for two Laplace noises of
// scales a and b: they stay below a gap u > 0 with probability
// 1 - (b^2 e^(-u/b) - a^2 e^(-u/a))/(2(b^2-a^2)).
func TestLossOfOne(t *testing.T) {
	v := sparseVector(1)
	a, b := v.Start(nil).Scales()
	log := func(u float64) float64 {
		return math.Log1p(-(b*b*math.Exp(-u/b) - a*a*math.Exp(-u/a)) / (2 * (b*b - a*a)))
	}
	for _, fresh := range []bool{false, true} {
		if got, want := (asked{1, 12, fresh}).loss(v), log(12)-log(11); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("fresh %v: a loss of %v, want %v", fresh, got, want)
		}
	}
}
