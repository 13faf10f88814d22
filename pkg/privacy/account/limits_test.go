package account_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// foreign is an event of somebody else. The types below state one cost each.
type foreign struct{ cost float64 }

func (foreign) String() string  { return "foreign" }
func (foreign) Validate() error { return nil }

type (
	foreignPure struct{ foreign }
	foreignRho  struct{ foreign }
	foreignGDP  struct{ foreign }
)

func (e foreignPure) PureEpsilon() float64 { return e.cost }
func (e foreignRho) Rho() float64          { return e.cost }
func (e foreignGDP) GDP() float64          { return e.cost }

// TestNoCostIsLost: at delta = 0 only a pure event has an epsilon, however little it costs, and no
// finite epsilon of an unbounded loss has delta = 0.
func TestNoCostIsLost(t *testing.T) {
	for _, c := range []struct {
		e    account.Event
		want float64 // epsilon at delta = 0
	}{
		{account.GaussianEvent{Mu: 1e-200}, math.Inf(1)}, {account.GaussianEvent{Mu: 5e-324}, math.Inf(1)},
		{account.Sequence{account.LaplaceEvent{Epsilon: 1}, account.GaussianEvent{Mu: 1e-200}}, math.Inf(1)},
		{account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1e-200, Sigma: 1}, math.Inf(1)}, {account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 1e-200, Sigma: 1e200}, math.Inf(1)},
		{account.LaplaceEvent{Epsilon: 1e-300}, 1e-300}, {account.ExponentialEvent{Epsilon: 1e-200}, 1e-200}, {account.ResponseEvent{Epsilon: 1e-300, Choices: 2}, 1e-300},
		{account.DiscreteLaplaceEvent{Sensitivity: 1, Scale: 1e300}, 1e-300}, {account.ShuffleEvent{Local: 1e-300, Users: 1000}, 1e-300}, {account.GaussianEvent{Mu: 0}, 0},
		{foreignPure{foreign{math.Inf(1)}}, math.Inf(1)},
	} {
		if got, by, err := account.Tightest(c.e, 0); err != nil || got != c.want {
			t.Errorf("%v: epsilon = %v by %s, %v, want %v", c.e, got, by, err, c.want)
		}
		for _, a := range account.Accountants() {
			if got, err := a.Epsilon(c.e, 0); err == nil && got < c.want {
				t.Errorf("%v of %v: epsilon = %v, want at least %v", a, c.e, got, c.want)
			}
			if got, err := a.Delta(c.e, 1e3); err == nil && got == 0 && math.IsInf(c.want, 1) {
				t.Errorf("%v of %v: delta = 0 at epsilon = 1000", a, c.e)
			}
		}
	}
	// The probability that all 3000 answers are true is below every float64.
	if e := account.OptimalEpsilon(0.01, 0, 3000, 0); !(e >= 30) {
		t.Errorf("3000 releases of 0.01: epsilon = %v at delta = 0, want 30", e)
	}
	if d, err := (account.Renyi{}).Delta(account.Repeat{Event: account.LaplaceEvent{Epsilon: 1e308}, Times: 1000}, math.Inf(1)); err != nil || d != 1 {
		t.Errorf("an epsilon that overflows: delta = %v, %v, want 1", d, err)
	}
}

// TestOptimalDeltaOfMany: the sum is never below itself in 200 bits.
func TestOptimalDeltaOfMany(t *testing.T) {
	for _, k := range []int{500, 20_000} {
		for _, epsilon := range []float64{0.5, 2, 6} {
			eps0 := 2 / math.Sqrt(float64(k))
			number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
			ratio, power := number(1), number(1) // e^-eps0, by its series
			for i := 1.0; i < 60; i++ {
				power.Mul(power, number(-eps0)).Quo(power, number(i))
				ratio.Add(ratio, power)
			}
			p := new(big.Float).Quo(number(1), new(big.Float).Add(number(1), ratio))
			term := number(1) // C(k,l) p^(k-l) (1-p)^l
			for range k {
				term.Mul(term, p)
			}
			sum := number(0)
			for l := 0; 2*l < k; l++ {
				gap := float64(k-2*l)*eps0 - epsilon
				if gap <= 0 {
					break
				}
				sum.Add(sum, new(big.Float).Mul(term, number(-math.Expm1(-gap))))
				term.Mul(term, ratio).Mul(term, number(float64(k-l))).Quo(term, number(float64(l+1)))
			}
			want, _ := sum.Float64()
			// The last factor of a term here is a float64: it may be off by 1e-14 next to epsilon.
			if got := account.OptimalDelta(eps0, 0, k, epsilon); !(got >= want*(1-1e-13) && got <= want*(1+1e-6)) {
				t.Errorf("%d releases of %v at epsilon = %v: delta = %v, want %v", k, eps0, epsilon, got, want)
			}
		}
	}
}

// TestNoRefunds: an odometer takes no event that gives back what was spent.
func TestNoRefunds(t *testing.T) {
	for _, c := range []struct {
		b      privacy.Budget
		first  account.Event
		refund account.Event
	}{
		{privacy.Budget{Epsilon: 1, Delta: 0}, account.LaplaceEvent{Epsilon: 0.9}, foreignPure{foreign{-0.8}}},
		{privacy.Budget{Epsilon: 1, Delta: 1e-6}, account.GaussianEvent{Mu: 0.2}, foreignGDP{foreign{-0.2}}},
		{privacy.Budget{Epsilon: 1, Delta: 1e-6}, account.LaplaceEvent{Epsilon: 0.1}, foreignRho{foreign{-0.01}}},
		{privacy.Budget{Epsilon: 1, Delta: 1e-6}, account.LaplaceEvent{Epsilon: 0.1}, account.Sequence{account.LaplaceEvent{Epsilon: 0.1}, foreignRho{foreign{math.NaN()}}}},
	} {
		o := account.Odometer{Epsilon: c.b.Epsilon, Delta: c.b.Delta}
		if err := o.Spend(c.first); err != nil {
			t.Fatal(err)
		}
		spent := o.Spent()
		if err := o.Spend(c.refund); err == nil || o.Spent() != spent {
			t.Errorf("%v: spent %v, then %v, %v, want an error and no change", c.refund, spent, o.Spent(), err)
		}
	}
	if err := (*account.Odometer)(nil).Spend(account.LaplaceEvent{Epsilon: 1}); err == nil {
		t.Error("no odometer: no error")
	}
}

// TestRenyiOfLittleLaplace: alpha eps^2/2 for small eps, (eps + e^-eps - 1) as alpha falls to 1.
func TestRenyiOfLittleLaplace(t *testing.T) {
	for _, epsilon := range []float64{1e-17, 1e-9, 1e-6, 3e-5, 6e-5} {
		for _, alpha := range []float64{1.5, 2, 10} {
			got, want := (account.LaplaceEvent{Epsilon: epsilon}).Renyi(alpha), alpha*epsilon*epsilon/2
			if !(math.Abs(got-want) <= want*2*alpha*epsilon) {
				t.Errorf("epsilon = %v, order %v: divergence %v, want %v", epsilon, alpha, got, want)
			}
		}
	}
	for _, alpha := range []float64{1e299, 1e301, 1e308, math.Inf(1)} {
		if got := (account.LaplaceEvent{Epsilon: 1}).Renyi(alpha); !(got >= 1-1e-9 && got <= 1) {
			t.Errorf("order %v: divergence %v, want 1", alpha, got)
		}
	}
}

// TestEventsInEvents: an event that holds itself, or many others, is an error and no endless walk.
func TestEventsInEvents(t *testing.T) {
	self := account.Sequence{account.LaplaceEvent{Epsilon: 1}, nil, nil}
	self[1], self[2] = self, self
	var deep account.Event = account.LaplaceEvent{Epsilon: 1}
	for range 1100 {
		deep = account.Sequence{deep}
	}
	loop := account.Parallel{nil}
	loop[0] = account.Repeat{Event: account.GroupEvent{Event: loop, Contributions: 2}, Times: 2}
	for _, e := range []account.Event{self, deep, loop} {
		for _, a := range account.Accountants() {
			_, epsilon := a.Epsilon(e, 1e-6)
			_, delta := a.Delta(e, 1)
			for _, err := range []error{epsilon, delta, (&account.Odometer{Epsilon: 1, Delta: 0}).Spend(e)} {
				if err == nil || !strings.Contains(err.Error(), "deep") {
					t.Errorf("%v: error %v, want one that says how deep", a, err)
				}
			}
		}
	}
}
