package continual

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// accumulators makes one of each for a budget.
func accumulators(b privacy.Budget) map[string]*mechanismtest.Player[privacy.Sums] {
	all := map[string]*mechanismtest.Player[privacy.Sums]{}
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		all["gaussian "+c.String()] = mechanismtest.Played(Tree{Noise: Gaussian{Budget: b, Calibration: c}})
		all["wishart "+c.String()] = mechanismtest.Played(Tree{Noise: Wishart{Budget: b, Calibration: c}})
		all["unshifted "+c.String()] = mechanismtest.Played(Tree{Noise: Wishart{Budget: b, Calibration: c, Unshifted: true}})
		all["pan-private gaussian "+c.String()] = mechanismtest.Played(PanPrivateTree{Noise: Gaussian{Budget: b, Calibration: c}})
		all["pan-private wishart "+c.String()] = mechanismtest.Played(PanPrivateTree{Noise: Wishart{Budget: b, Calibration: c}})
	}
	all["padded gaussian"] = mechanismtest.Played(Tree{Noise: Gaussian{Budget: b, Padded: true}})
	all["pan-private padded gaussian"] = mechanismtest.Played(PanPrivateTree{Noise: Gaussian{Budget: b, Padded: true}})
	all["wishart of given degrees"] = mechanismtest.Played(Tree{Noise: Wishart{Budget: b, Degrees: 1 << 40}})
	all["unbounded"] = mechanismtest.Played(Unbounded{Budget: b})
	all["seldom"] = mechanismtest.Played(Seldom{Budget: b})
	for name, acc := range factorisations(b) {
		all[name] = acc
	}
	return all
}

// addRow adds a row (x, y).
func addTo(run privacy.Stream[privacy.Sums], row []float64) error {
	_, err := run.Add(privacy.Row(row))
	return err
}

func addRow(acc *mechanismtest.Player[privacy.Sums], row []float64) error {
	_, err := acc.Add(privacy.Row(row))
	return err
}

func TestInitRefuses(t *testing.T) {
	good := privacy.Setup{Dim: 6, Horizon: 1000, Bound: math.Sqrt2, Alpha: 1e-3}
	nan := math.NaN()
	for _, c := range []struct {
		budget privacy.Budget
		words  []string
	}{
		{privacy.Budget{Epsilon: 0, Delta: 0.1}, []string{"epsilon = 0", "> 0"}},
		{privacy.Budget{Epsilon: -1, Delta: 0.1}, []string{"epsilon = -1", "> 0"}},
		{privacy.Budget{Epsilon: nan, Delta: 0.1}, []string{"epsilon = NaN", "> 0"}},
		{privacy.Budget{Epsilon: 1, Delta: 0}, []string{"delta = 0", "(0, 1)"}},
		{privacy.Budget{Epsilon: 1, Delta: -1}, []string{"delta = -1", "[0, 1)"}},
		{privacy.Budget{Epsilon: 1, Delta: 1}, []string{"delta = 1", "[0, 1)"}},
		{privacy.Budget{Epsilon: 1, Delta: nan}, []string{"delta = NaN", "[0, 1)"}},
	} {
		for name, acc := range accumulators(c.budget) {
			expect.Error(t, name, acc.Open(good), c.words...)
		}
	}
	setups := []struct {
		change func(*privacy.Setup)
		words  []string
	}{
		{func(s *privacy.Setup) { s.Dim = 1 }, []string{"Dim = 1", ">= 2"}},
		{func(s *privacy.Setup) { s.Horizon = 0 }, []string{"Horizon = 0", ">= 1"}},
		{func(s *privacy.Setup) { s.Bound = nan }, []string{"Bound = NaN", "> 0"}},
		{func(s *privacy.Setup) { s.Alpha = 0 }, []string{"Alpha = 0", "(0, 1]"}},
	}
	all := accumulators(budget)
	all["exact"] = mechanismtest.Played(Exact{})
	for name, acc := range all {
		for _, c := range setups {
			s := good
			c.change(&s)
			expect.Error(t, name, acc.Open(s), c.words...)
		}
		if err := acc.Open(good); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		acc.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
		for _, rho := range []float64{0, -1, nan, math.Inf(1)} {
			_, err := acc.Release().Shifted(rho)
			expect.Error(t, name, err, "rho_min = ", "want finite and > 0")
		}
	}
	expect.Error(t, "no noise", mechanismtest.Played(Tree{}).Open(good), "Noise is nil")
	expect.Error(t, "no noise", mechanismtest.Played(PanPrivateTree{}).Open(good), "Noise is nil")
	expect.Error(t, "ridge", mechanismtest.Played(Exact{Ridge: -1}).Open(good), "Ridge = -1", ">= 0")
	expect.Error(t, "ridge", mechanismtest.Played(Exact{Ridge: nan}).Open(good), "Ridge = NaN", ">= 0")
}

// TestWishartRefuses: a node's epsilon of 1 or more is not private, and the error says so.
func TestWishartRefuses(t *testing.T) {
	s := privacy.Setup{Dim: 6, Horizon: 20000, Bound: math.Sqrt2, Alpha: 1e-3}
	for _, epsilon := range []float64{100, 1000, math.Inf(1)} {
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			w := Wishart{Budget: privacy.Budget{Epsilon: epsilon, Delta: 0.1}, Calibration: c}
			_, err := w.Open(s)
			expect.Error(t, c.String(), err, "epsilon = ", "want < 1", "supports")
		}
	}
	short := s
	short.Horizon = 2 // one node: delta is not split
	w := Wishart{Budget: privacy.Budget{Epsilon: 0.5, Delta: 0.9}, Calibration: privacy.AsPublished}
	if _, err := w.Open(short); err != nil {
		t.Errorf("delta = 0.9 over two nodes: %v", err)
	}
	tiny := s
	tiny.Alpha = 1e-300 // sqrt(d) + sqrt(2 ln(8n/alpha)) outgrows sqrt(m k)
	tiny.Horizon = 2
	for _, unshifted := range []bool{false, true} {
		w := Wishart{Budget: privacy.Budget{Epsilon: 2, Delta: 0.3}, Unshifted: unshifted}
		_, err := w.Open(tiny)
		expect.Error(t, "tiny alpha", err, "alpha = 1e-300", "want > ")
	}
}

// TestWishartClaims: the claim composes to at most what was asked, but where the published rule of
// thumb does not.
func TestWishartClaims(t *testing.T) {
	s := privacy.Setup{Dim: 6, Horizon: 50_000_000, Bound: math.Sqrt2, Alpha: 1e-3}
	for _, epsilon := range []float64{0.1, 1, 5, 10} {
		for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			opened, err := Wishart{Budget: privacy.Budget{Epsilon: epsilon, Delta: 0.1}, Calibration: c}.Open(s)
			if err != nil {
				t.Logf("%v at %v: %v", c, epsilon, err)
				continue
			}
			w := opened.(*wishart)
			claim := privacy.ClaimOf(w)
			event := claim.Event().(account.WishartEvent)
			// Theorem 23 for what a node spends, at the degrees of freedom that it has.
			if need := 28 * math.Log(4/event.Delta) / (event.Epsilon * event.Epsilon); float64(w.Freedom()-s.Dim) < need*(1-1e-12) {
				t.Errorf("%v at %v: k - p = %d, want >= %v for %v", c, epsilon, w.Freedom()-s.Dim, need, event)
			}
			if event.Nodes != maxNodes(s.Horizon) {
				t.Errorf("%v at %v: %d nodes, want %d", c, epsilon, event.Nodes, maxNodes(s.Horizon))
			}
			if c == privacy.Sound {
				asked := account.OptimalEpsilon(event.Epsilon, event.Delta, event.Nodes, 0.1)
				// but for the rounding of k
				expect.Near(t, "Sound's epsilon by the theorem that it is calibrated to", asked, epsilon, 1e-2)
				if claim.Epsilon() > asked || claim.Epsilon() > epsilon*(1+1e-9) {
					t.Errorf("%v at %v: claims epsilon = %v, more than the theorem's %v", c, epsilon, claim.Epsilon(), asked)
				}
			}
			// At 10 the rule of thumb overspends, by its own theorem, with the nodes counted as printed (27;
			// a row is in 26).
			if claim.Epsilon() > epsilon*1.05 {
				t.Errorf("%v at %v: claims epsilon = %v", c, epsilon, claim.Epsilon())
			}
		}
	}
}

// TestRowsRefused: a bad row is an error that names it, and changes nothing.
func TestRowsRefused(t *testing.T) {
	all := accumulators(budget)
	all["exact"] = mechanismtest.Played(Exact{})
	for name, acc := range all {
		if err := acc.Open(privacy.Setup{Dim: 3, Horizon: 4, Bound: 1, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		acc.Start(privacy.NewNoise(mechanismtest.Source()))
		before, after := make([]float64, 6), make([]float64, 6)
		refuse := func(row []float64, words ...string) {
			t.Helper()
			acc.Release().Read(before)
			clipped := acc.Clipped()
			expect.Error(t, name, addRow(acc, row), words...)
			acc.Release().Read(after)
			for i := range before {
				if before[i] != after[i] || clipped != acc.Clipped() {
					t.Errorf("%s: the row %v was refused and changed the release", name, row)
				}
			}
		}
		for range 4 {
			refuse([]float64{0, math.NaN(), 0}, "NaN", "want finite")
			refuse([]float64{math.Inf(1), 0, 0}, "+Inf", "want finite")
			refuse([]float64{1, 0}, "length 2", "want 3")
			refuse(nil, "length 0", "want 3")
			if err := addRow(acc, []float64{0.5, 0, 0.1}); err != nil {
				t.Fatal(err)
			}
		}
		if name != "exact" {
			refuse([]float64{0.5, 0, 0}, "beyond the horizon of 4")
		}
	}
}
