package account_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// hockeyStick enumerates the outcomes of k releases, of each of which P and Q have the masses
// (delta0, 0), (p, q), (q, p) and (0, delta0): sum of (P - e^epsilon Q)+.
func hockeyStick(node privacy.Budget, k int, epsilon, p, q float64) float64 {
	if k == 0 {
		return math.Max(0, p-math.Exp(epsilon)*q)
	}
	high := (1 - node.Delta) / (1 + math.Exp(-node.Epsilon))
	low := (1 - node.Delta) / (1 + math.Exp(node.Epsilon))
	return hockeyStick(node, k-1, epsilon, p*node.Delta, 0) +
		hockeyStick(node, k-1, epsilon, p*high, q*low) + hockeyStick(node, k-1, epsilon, p*low, q*high)
}

// TestOptimalDelta: as the enumeration has it, and never below but for the enumeration's rounding.
func TestOptimalDelta(t *testing.T) {
	for _, node := range []privacy.Budget{{Epsilon: 0.1, Delta: 0}, {Epsilon: 0.1, Delta: 1e-6}, {Epsilon: 0.5, Delta: 1e-3}, {Epsilon: 1, Delta: 0.1}, {Epsilon: 3, Delta: 1e-9}, {Epsilon: 20, Delta: 0.01}} {
		for _, k := range []int{1, 2, 3, 7, 10} {
			for _, share := range []float64{0, 0.05, 0.3, 0.5, 0.77, 0.999, 1, 1.2} {
				epsilon := share * node.Epsilon * float64(k)
				want := hockeyStick(node, k, epsilon, 1, 1)
				if got := account.OptimalDelta(node.Epsilon, node.Delta, k, epsilon); !(got >= want*(1-1e-13)-1e-16 && got <= want*(1+1e-11)+1e-15*(1+epsilon)) {
					t.Errorf("%d nodes of %v at epsilon = %v: delta = %v, want %v", k, node, epsilon, got, want)
				}
			}
		}
	}
}

// TestOptimalInverses: epsilon and eps0 are within delta, and a relative 1e-9 beyond they are not.
func TestOptimalInverses(t *testing.T) {
	for _, k := range []int{1, 2, 10, 26, 63} {
		for _, b := range []privacy.Budget{{Epsilon: 0.1, Delta: 1e-6}, {Epsilon: 1, Delta: 1e-5}, {Epsilon: 1, Delta: 0.1}, {Epsilon: 5, Delta: 1e-12}} {
			delta0 := 0.3 * b.Delta / float64(k)
			eps0 := b.OptimalNodeEpsilon(k, delta0)
			if d := account.OptimalDelta(eps0, delta0, k, b.Epsilon); !(d <= b.Delta) {
				t.Errorf("%d nodes of (%v, %v) have delta = %v, want <= %v", k, eps0, delta0, d, b.Delta)
			}
			if d := account.OptimalDelta(eps0*(1+1e-9), delta0, k, b.Epsilon); !(d > b.Delta) {
				t.Errorf("%d nodes of more than (%v, %v) still have delta = %v, want > %v", k, eps0, delta0, d, b.Delta)
			}
			near(t, "epsilon of the nodes' eps0", account.OptimalEpsilon(eps0, delta0, k, b.Delta), b.Epsilon, 1e-9)
		}
	}
	if e := account.OptimalEpsilon(0.1, 1e-3, 10, 9e-3); !math.IsInf(e, 1) {
		t.Errorf("ten nodes of delta = 1e-3 at 9e-3: epsilon = %v, want +Inf", e)
	}
	if e := (privacy.Budget{Epsilon: 1, Delta: 9e-3}).OptimalNodeEpsilon(10, 1e-3); e != 0 {
		t.Errorf("ten nodes of delta = 1e-3 within 9e-3: epsilon = %v a node, want 0", e)
	}
}

// TestOptimalByPLD: the PLD accountant composes the same pairs on a grid, and brackets the result.
func TestOptimalByPLD(t *testing.T) {
	for _, k := range []int{2, 10, 26} {
		node := privacy.Budget{Epsilon: 0.08, Delta: 1e-7}
		lo, hi, err := account.PLD{}.EpsilonBounds(account.Repeat{Event: account.ApproximateEvent{Epsilon: node.Epsilon, Delta: node.Delta}, Times: k}, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if e := account.OptimalEpsilon(node.Epsilon, node.Delta, k, 1e-5); !(e >= lo*(1-1e-9) && e <= hi*(1+1e-9)) {
			t.Errorf("%d nodes: epsilon = %v, want in [%v, %v]", k, e, lo, hi)
		}
		if at, err := (account.Advanced{}).Epsilon(account.WishartEvent{Epsilon: node.Epsilon, Delta: node.Delta, Nodes: k}, 1e-5); err != nil || at > hi*(1+1e-9) {
			t.Errorf("%d Wishart nodes: epsilon = %v, %v, want at most %v", k, at, err, hi)
		}
	}
}

// TestPLDFarBeyondTheLosses: where hardly any finite loss is above epsilon, delta is the mass of
// the infinite ones and all but no more.
func TestPLDFarBeyondTheLosses(t *testing.T) {
	b := privacy.Budget{Epsilon: 0.0032132862877256047, Delta: 7.424009648211327e-08}
	e := account.Sequence{account.ApproximateEvent{Epsilon: b.Epsilon, Delta: b.Delta}, account.BinomialEvent{Trials: 275, P: 0.6353663905767135, Coordinates: 1, Most: 3, Norm: 3, Tail: 0.0002781093524367091}}
	infinite := 1 - (1-7.424009648211327e-08)*(1-0.0002781093524367091)
	for _, epsilon := range []float64{3, 5, 6, 6.560543491177299, 8} {
		lo, hi, err := account.PLD{}.DeltaBounds(e, epsilon)
		if err != nil || !(lo <= infinite*(1+1e-9) && hi >= infinite*(1-1e-12) && hi <= infinite*(1+1e-6)) {
			t.Errorf("at epsilon = %v: delta in [%v, %v], %v, want %v", epsilon, lo, hi, err, infinite)
		}
	}
}
