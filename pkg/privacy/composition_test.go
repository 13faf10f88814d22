package privacy

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestAdvancedComposition checks the rule of thumb of JDP, Section 4, with m = 27 and delta = 0.1:
// it keeps its promise at epsilon = 1 and breaks it at 10.
func TestAdvancedComposition(t *testing.T) {
	for _, c := range []struct{ epsilon, total, tolerance float64 }{{1, 0.543, 1e-3}, {10, 10.11, 1e-3}} {
		node := Budget{c.epsilon, 0.1}.AdvancedNode(27)
		near(t, "a node's delta", node.Delta, 0.1/54, 1e-15)
		near(t, "the total", AdvancedEpsilon(node.Epsilon, 27, 0.05), c.total, c.tolerance)
	}
}

func TestAdvancedNodeEpsilonInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon, slack := logUniform(t, 1e-3, 100, "epsilon"), logUniform(t, 1e-12, 0.5, "slack")
		k := rapid.IntRange(1, 1000).Draw(t, "k")
		node := Budget{epsilon, slack}.AdvancedNodeEpsilon(k)
		total := AdvancedEpsilon(node, k, slack)
		if total > epsilon {
			t.Fatalf("AdvancedNodeEpsilon(%v, %d, %v) = %v composes to %v, want <= epsilon", epsilon, k, slack, node, total)
		}
		near(t, "the total", total, epsilon, 1e-9)
	})
}

func TestZCDP(t *testing.T) {
	for _, c := range []struct {
		n                 int
		epsilon, delta, s float64 // s = sqrt(m L~^4/(2 rho)) with L~^2 = 2 and m = floor(log2(n-1)) + 1
	}{{50_000_000, 1, 0.1, 24.1}, {1_000_000, 1, 1e-6, 47.9}, {20_000, 1, 1e-5, 38.0}, {20_000, 10, 0.1, 2.75}} {
		rho, err := Budget{c.epsilon, c.delta}.ZCDP()
		if err != nil {
			t.Fatal(err)
		}
		m := math.Floor(math.Log2(float64(c.n-1))) + 1
		near(t, "s", math.Sqrt(4*m/(2*rho)), c.s, 4e-3)
	}
	rapid.Check(t, func(t *rapid.T) {
		b := Budget{logUniform(t, 1e-9, 100, "epsilon"), logUniform(t, 1e-15, 0.5, "delta")}
		rho, err := b.ZCDP()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "epsilon(rho(epsilon))", rho+2*math.Sqrt(rho*math.Log(1/b.Delta)), b.Epsilon, 1e-12)
		// A Gaussian of that rho has mu = sqrt(2 rho), which exact accounting finds no worse.
		if b.Epsilon > 1e-3 && account.GaussianEpsilon(b.Delta, math.Sqrt(2*rho)) > b.Epsilon {
			t.Fatalf("zCDP accounting of %v beats the exact one", b)
		}
	})
	if rho, err := (Budget{math.Inf(1), 0}).ZCDP(); err != nil || !math.IsInf(rho, 1) {
		t.Errorf("ZCDP of no privacy = %v, %v, want +Inf", rho, err)
	}
}
