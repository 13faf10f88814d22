package account_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/loss"
)

// shifted is the exact pair of Binomial(n, p) and the same moved by k, for the PLD accountant.
type shifted struct {
	n, k int
	p    float64
}

func (s shifted) String() string  { return "a shifted binomial" }
func (s shifted) Validate() error { return nil }
func (s shifted) Pair() (loss.Pair, error) {
	mass := loss.Binomial(float64(s.n), s.p, 0, float64(s.n))
	return loss.Discrete(append(mass, make([]float64, s.k)...), append(make([]float64, s.k), mass...))
}

// TestBinomialEventBoundsThePLD: the event's epsilon is never below the exact one, of which the
// accountant of privacy losses has a lower bound, and not far above it.
func TestBinomialEventBoundsThePLD(t *testing.T) {
	for _, c := range []struct {
		n      int
		shifts []int
		delta  float64
		within float64 // of the exact epsilon
	}{
		{400, []int{1}, 1e-3, 1.05}, {400, []int{7}, 1e-3, 1.05}, {900, []int{20}, 1e-5, 1.15}, {2000, []int{6, 6, 6}, 1e-2, 1.05},
		{800, []int{9, 3, 1}, 1e-4, 1.1}, {300, []int{2, 2, 2, 2, 2, 2, 2, 2}, 0.1, 1.05}, {120, []int{12}, 0.1, 1.25},
	} {
		e := account.BinomialEvent{Trials: int64(c.n), P: 0.25, Coordinates: len(c.shifts)}
		var exact account.Sequence
		for _, k := range c.shifts {
			e.Norm = math.Hypot(e.Norm, float64(k))
			e.Most = max(e.Most, k)
			exact = append(exact, shifted{c.n, k, 0.25})
		}
		e, err := e.Tightest(c.delta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Epsilon(c.delta)
		if err != nil {
			t.Fatal(err)
		}
		lo, _, err := account.PLD{}.EpsilonBounds(exact, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if got < lo || got > c.within*lo+0.01 {
			t.Errorf("%v: epsilon = %v at %v, the exact one is %v", e, got, c.delta, lo)
		}
		tight, by, err := account.Tightest(e, c.delta)
		if err != nil || math.Abs(tight-got) > 2e-4*max(1, got) {
			t.Errorf("%v: %v by the %s accountant (%v), %v in closed form", e, tight, by, err, got)
		}
	}
}

// TestBinomialTradeOff checks the event's curve against every threshold test between a law and its
// shift, in both orders: the power is never greater.
func TestBinomialTradeOff(t *testing.T) {
	for _, k := range []int{1, 3, 8} {
		e := account.BinomialEvent{Trials: 250, P: 0.25, Coordinates: 1, Most: 8, Norm: float64(k), Tail: 1e-4}
		mu := e.Gaussian()
		mass := loss.Binomial(250, 0.25, 0, 250)
		for _, epsilon := range []float64{0, 0.1, 0.5, 1, 2, 4} {
			bound := e.Tail + (1-e.Tail)*account.GaussianDelta(epsilon, mu)
			var up, down float64
			for z := 0; z <= 250+k; z++ {
				var p, q float64
				if z <= 250 {
					p = mass[z]
				}
				if z >= k {
					q = mass[z-k]
				}
				up += math.Max(0, p-math.Exp(epsilon)*q)
				down += math.Max(0, q-math.Exp(epsilon)*p)
			}
			if worst := max(up, down); worst > bound || worst < 0.5*bound-2*e.Tail {
				t.Errorf("shift %d, epsilon = %v: delta = %v, the bound is %v", k, epsilon, worst, bound)
			}
		}
	}
}

func TestCalibrateBinomial(t *testing.T) {
	for _, b := range []privacy.Budget{{Epsilon: 0.2, Delta: 0.1}, {Epsilon: 1, Delta: 1e-5}, {Epsilon: 10, Delta: 1e-3}} {
		e := account.BinomialEvent{P: 0.25, Coordinates: 20, Most: 29, Norm: 51}
		e, err := b.CalibrateBinomial(e, 20)
		if err != nil {
			t.Fatal(err)
		}
		if e.Trials%20 != 0 {
			t.Errorf("%v: %d trials, want a multiple of 20", b, e.Trials)
		}
		if epsilon, by, err := account.Tightest(e, b.Delta); err != nil || epsilon > b.Epsilon {
			t.Errorf("%v: epsilon = %v by %s, %v", b, epsilon, by, err)
		}
		if e.Trials = e.Trials * 98 / 100; true {
			if epsilon, err := e.Epsilon(b.Delta); err != nil || epsilon < b.Epsilon {
				t.Errorf("%v: 2%% fewer trials buy it, too: epsilon = %v, %v", b, epsilon, err)
			}
		}
		// The noise is that of the Gaussian but for some percent.
		sd := math.Sqrt(float64(e.Trials) * e.P * (1 - e.P))
		if mu, _ := b.GaussianMu(); sd > 1.25*e.Norm/mu {
			t.Errorf("%v: standard deviation %v, a Gaussian's is %v", b, sd, e.Norm/mu)
		}
	}
	e, err := privacy.Budget{Epsilon: math.Inf(1)}.CalibrateBinomial(account.BinomialEvent{P: 0.25, Coordinates: 1, Most: 1, Norm: 1}, 1)
	if err != nil || e.Trials != 0 {
		t.Errorf("no privacy takes %d trials, %v", e.Trials, err)
	}
}

func TestBinomialEventRefuses(t *testing.T) {
	good := account.BinomialEvent{Trials: 100, P: 0.25, Coordinates: 2, Most: 3, Norm: 4, Tail: 1e-3}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(e *account.BinomialEvent){
		"trials": func(e *account.BinomialEvent) { e.Trials = -1 }, "p": func(e *account.BinomialEvent) { e.P = 1 }, "coordinates": func(e *account.BinomialEvent) { e.Coordinates = 0 },
		"most": func(e *account.BinomialEvent) { e.Most = -1 }, "norm": func(e *account.BinomialEvent) { e.Norm = math.NaN() }, "tail": func(e *account.BinomialEvent) { e.Tail = 0 },
		"too many trials": func(e *account.BinomialEvent) { e.Trials = 1 << 50 },
	} {
		e := good
		change(&e)
		if _, err := e.Pair(); err == nil {
			t.Errorf("%s: %v is accepted", name, e)
		}
	}
	// Too little noise for the change: nothing is private.
	for _, trials := range []int64{0, 2} {
		e := good
		e.Trials = trials
		if epsilon, _, err := account.Tightest(e, 0.01); err != nil || !math.IsInf(epsilon, 1) {
			t.Errorf("%d trials: epsilon = %v, %v, want +Inf", trials, epsilon, err)
		}
	}
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0}).CalibrateBinomial(good, 1); err == nil {
		t.Error("delta = 0 is accepted")
	}
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0.1}).CalibrateBinomial(good, 0); err == nil {
		t.Error("steps of 0 are accepted")
	}
	huge := good
	huge.Norm, huge.Most = 1e9, 1<<22
	rare := good
	rare.P = 1e-300
	if _, err := (privacy.Budget{Epsilon: 1e308, Delta: 0.1}).CalibrateBinomial(rare, 1); err == nil || !strings.Contains(err.Error(), "1e-300") {
		t.Errorf("P = 1e-300, which makes no noise in 1e15 trials: %v", err)
	}
	if _, err := (privacy.Budget{Epsilon: 1, Delta: 0.1}).CalibrateBinomial(huge, 1); err == nil {
		t.Error("more noise than there is a table for is promised")
	}
}
