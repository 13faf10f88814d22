package continual

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestLedger: what the noise source drew is what each accumulator says that its claim rests on,
// after any number of rows; one draw more or less, or of another scale, is not.
func TestLedger(t *testing.T) {
	all := accumulators(budget)
	for name, acc := range factorisations(privacy.Budget{Epsilon: math.Inf(1)}) {
		all[name+", epsilon = +Inf"] = acc
	}
	for name, acc := range all {
		for _, horizon := range []int{1, 2, 50} {
			if err := acc.Open(privacy.Setup{Dim: 3, Horizon: horizon, Bound: 1.5, Alpha: 0.1}); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(2) { // a used one too
				ledger := privacy.NewLedger(random.Source(seed, 0, "noise"))
				acc.Start(privacy.NewNoise(ledger))
				release := make([]float64, 6)
				for row := range horizon {
					if err := ledger.CheckPlan(acc, row); err != nil {
						t.Fatalf("%s: after %d rows of %d: %v", name, row, horizon, err)
					}
					acc.Release().Read(release)
					if err := addRow(acc, []float64{0.5, 0, 0.1}); err != nil {
						t.Fatal(err)
					}
					_ = addRow(acc, []float64{math.NaN(), 0, 0}) // refused, and draws nothing
				}
				draws := privacy.PlanOf(acc, privacy.All).Draws
				if err := ledger.Check(draws); err != nil {
					t.Fatalf("%s: after all %d rows: %v", name, horizon, err)
				}
				if draws[0].Count == 0 {
					continue
				}
				for _, off := range []int{-1, 1} {
					draws[0].Count += off
					if err := ledger.Check(draws); !errors.Is(err, privacy.ErrLedger) {
						t.Errorf("%s: a claim of %d draws more: error %v", name, off, err)
					}
					draws[0].Count -= off
				}
				draws[0].Scale = 0.99*draws[0].Scale + 1e-9
				if err := ledger.Check(draws); !errors.Is(err, privacy.ErrLedger) {
					t.Errorf("%s: a claim of another scale: error %v", name, err)
				}
			}
		}
	}
}

// mu returns what an event costs, the Wishart's in nodes.
func mu(t *testing.T, e account.Event) float64 {
	t.Helper()
	switch e := e.(type) {
	case account.GaussianEvent:
		return e.Mu
	case account.WishartEvent:
		return float64(e.Nodes)
	}
	t.Fatalf("an event of type %T", e)
	return 0
}

// TestSpent: nothing before the first row, more as rows come, and the event of the claim, to the
// letter, when all that is released is. For trees it is that of the most nodes that hold one row,
// over the prefixes released so far.
func TestSpent(t *testing.T) {
	for name, acc := range accumulators(budget) {
		meter := acc
		for _, horizon := range []int{1, 2, 3, 64, 65, 100} {
			if testing.Short() && horizon == 100 {
				continue
			}
			if err := acc.Open(privacy.Setup{Dim: 3, Horizon: horizon, Bound: 1.5, Alpha: 0.1}); err != nil {
				t.Fatal(err)
			}
			held, most, last := map[int]map[Node]bool{}, 0, 0.0
			one := mu(t, privacy.PlanOf(meter, 1).Event())
			_, blt := acc.Of.(BLT)
			_, root := acc.Of.(SquareRoot)
			_, below := acc.Of.(Honaker)
			_, unbounded := acc.Of.(Unbounded)
			_, seldom := acc.Of.(Seldom)
			for records := 0; records <= horizon+1; records++ {
				if released := records; released < horizon {
					for _, node := range PrefixNodes(released) {
						for row := node.First; row <= node.Last; row++ {
							if held[row] == nil {
								held[row] = map[Node]bool{}
							}
							held[row][node] = true
							most = max(most, len(held[row]))
						}
					}
				}
				event := privacy.PlanOf(meter, records).Event()
				if err := event.Validate(); err != nil {
					t.Fatalf("%s: after %d rows of %d: %v", name, records, horizon, err)
				}
				spent := mu(t, event)
				if spent < last || records == 0 && spent != 0 {
					t.Fatalf("%s: %v is spent after %d rows of %d, %v before", name, spent, records, horizon, last)
				}
				last = spent
				if !blt && !root && !below && !unbounded && !seldom && one > 0 {
					nodes := spent / one
					if _, wishart := event.(account.WishartEvent); !wishart {
						nodes *= nodes
					}
					expect.Near(t, fmt.Sprintf("%s: nodes after %d rows of %d", name, records, horizon), nodes, float64(most), 1e-9)
				}
			}
			if horizon > 1 && privacy.PlanOf(meter, horizon).Event() != privacy.ClaimOf(acc).Event() {
				t.Errorf("%s: %v is spent after all %d rows, the claim says %v", name, privacy.PlanOf(meter, horizon).Event(), horizon, privacy.ClaimOf(acc).Event())
			}
		}
	}
}

// TestFactorisationClaims: the epsilon claimed is the one asked for, and the noise is no more than
// that takes.
func TestFactorisationClaims(t *testing.T) {
	for name, acc := range factorisations(privacy.Budget{Epsilon: 0.7, Delta: 1e-4}) {
		for _, horizon := range []int{1, 2, 20_000} {
			if err := acc.Open(privacy.Setup{Dim: 5, Horizon: horizon, Bound: 1.5, Alpha: 0.1}); err != nil {
				t.Fatal(err)
			}
			claim := privacy.ClaimOf(acc)
			if horizon == 1 { // nothing is released of the only row
				if claim.Epsilon() != 0 {
					t.Errorf("%s: claims epsilon = %v where nothing is released", name, claim.Epsilon())
				}
			} else {
				expect.Near(t, name+": epsilon", claim.Epsilon(), 0.7, 1e-9)
				expect.Near(t, name+": delta at mu", account.GaussianDelta(0.7, mu(t, claim.Event())), 1e-4, 1e-9)
			}
			if claim.Model() != privacy.Central || claim.Scope() != privacy.AllOutputs || claim.Neighbours() != privacy.ReplaceRound || claim.Calibration() != privacy.Sound || claim.Source() == "" {
				t.Errorf("%s: claims %v", name, claim)
			}
		}
	}
}
