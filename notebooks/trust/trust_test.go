package trust

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The lesson's claims are tested by TestClaims and TestMutations; here are the computations that
// its figures rest on.

// TestResponsesEpsilon compares the closed form for one and two responses.
func TestResponsesEpsilon(t *testing.T) {
	const epsilon, delta = 0.7, 0.05
	p := SuccessBound(epsilon)
	// One response: delta = p - (1-p) e^x.
	if got, want := ResponsesEpsilon(1, epsilon, delta), math.Log((p-delta)/(1-p)); math.Abs(got-want) > 1e-9 {
		t.Errorf("1 response: %v, want %v", got, want)
	}
	// Two, at a delta that only the loss 2 epsilon pays for: delta = p^2 - (1-p)^2 e^x.
	if got, want := ResponsesEpsilon(2, epsilon, delta), math.Log((p*p-delta)/((1-p)*(1-p))); math.Abs(got-want) > 1e-9 {
		t.Errorf("2 responses: %v, want %v", got, want)
	}
	if got := ResponsesEpsilon(1, epsilon, 0.5); got != 0 {
		t.Errorf("delta = 0.5, beyond the total variation distance: %v, want 0", got)
	}
}

// TestTradeOffs: the curves start at no false alarms and end at no misses, fall, and are symmetric:
// neither world is special.
func TestTradeOffs(t *testing.T) {
	for name, curve := range map[string]func(float64) float64{
		"bound":    func(a float64) float64 { return TradeOffBound(a, privacy.Budget{Epsilon: 1}) },
		"Laplace":  func(a float64) float64 { return LaplaceTradeOff(a, 1) },
		"Gaussian": func(a float64) float64 { return GaussianTradeOff(a, 1) },
	} {
		if curve(0) != 1 || curve(1) != 0 {
			t.Errorf("%s: from %v to %v, want 1 to 0", name, curve(0), curve(1))
		}
		for _, a := range grid(0.01, 0.99, 98) {
			if back := curve(curve(a)); math.Abs(back-a) > 1e-9 {
				t.Errorf("%s: f(f(%v)) = %v", name, a, back)
			}
		}
	}
}

// TestMaxSD compares the formulas of the figure with the mechanisms.
func TestMaxSD(t *testing.T) {
	for _, rounds := range []int{2, 3, 100, 1024, 5000} {
		a := &mechanism.SquareRoot{Budget: ContinualBudget}
		if err := a.Init(privacy.Setup{Dim: 2, Horizon: rounds, Bound: 1, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		if got, want := SquareRootMaxSD(rounds), a.MaxSD(); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("square root, %d rounds: %v, want %v", rounds, got, want)
		}
		most := 0
		for r := 1; r < rounds; r++ {
			most = max(most, len(mechanism.PrefixNodes(r)))
		}
		tree := &mechanism.Gaussian{Budget: ContinualBudget}
		if err := tree.Init(privacy.Setup{Dim: 2, Horizon: rounds, Bound: 1, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		unit, err := noiseUnit()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := TreeMaxSD(rounds), tree.SD()/unit*math.Sqrt(float64(most)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("tree, %d rounds: %v, want %v", rounds, got, want)
		}
	}
}

// TestNoisyGreedyClaims: what it claims before a run, which is what a simulation reports, is for
// all of the horizon, and the ledger's noise is worth that.
func TestNoisyGreedyClaims(t *testing.T) {
	g := &NoisyGreedy{}
	if err := g.Init(bandit.Problem{Arms: 2}, 50); err != nil {
		t.Fatal(err)
	}
	if c := privacy.ClaimOf(g); math.Abs(c.Epsilon()-50*2.0/noisyGreedyScale) > 1e-9 {
		t.Errorf("claims epsilon = %v before 50 rounds, want 20", c.Epsilon())
	}
}

// TestBeyondWorld1: multiples of 2^-53 prove nothing.
func TestBeyondWorld1(t *testing.T) {
	unit := math.Ldexp(1, -53)
	for y, want := range map[float64]bool{0.1 - math.Mod(0.1, unit): false, 0.25 + unit: false, unit / 2: true, 0.5 + unit: false, 0: false} {
		if got := beyondWorld1(y); got != want {
			t.Errorf("%v: %v, want %v", y, got, want)
		}
	}
}
