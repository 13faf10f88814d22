package continual

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// composed returns delta of m randomised responses of eps0 that show all with probability delta0,
// by convolving the law of the privacy loss over eps0 m times.
func composed(epsilon, eps0, delta0 float64, m int) float64 {
	p := 1 / (1 + math.Exp(-eps0))
	law := make([]float64, m+1) // of how many losses are +eps0
	law[0] = 1
	for n := range m {
		for i := n + 1; i >= 0; i-- {
			law[i] *= 1 - p
			if i > 0 {
				law[i] += p * law[i-1]
			}
		}
	}
	delta := 0.0
	for i, mass := range law {
		if loss := float64(2*i-m) * eps0; loss > epsilon {
			delta += mass * (1 - math.Exp(epsilon-loss))
		}
	}
	keep := math.Pow(1-delta0, float64(m))
	return 1 - keep + keep*delta
}

// leastFreedom finds k - p another way than Wishart: the least whole number by bisection for which
// some node's epsilon, with the delta that Theorem 23 has there, composes to the budget.
func leastFreedom(b privacy.Budget, m int) int {
	within := func(freedom int) bool {
		at := func(eps0 float64) float64 {
			delta0 := 4 * math.Exp(-float64(freedom)*eps0*eps0/28)
			if eps0 >= 1 || delta0 >= 1/math.E {
				return 1
			}
			return composed(b.Epsilon, eps0, delta0, m)
		}
		best, least := 0.0, math.Inf(1)
		low, high := 0.5*b.Epsilon/float64(m), math.Min(1, 5*b.Epsilon/math.Sqrt(float64(m)))
		for range 6 {
			step := (high - low) / 1000
			for i := range 1001 {
				if d := at(low + float64(i)*step); d < least {
					best, least = low+float64(i)*step, d
				}
			}
			low, high = best-2*step, best+2*step
		}
		return least <= b.Delta
	}
	low, high := 0, 1
	for !within(high) {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := (low + high) / 2; within(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// TestWishartFreedom: Sound takes the least degrees of freedom that the optimal composition of
// (eps0, delta0)-private nodes allows; for (1, 1e-5) and 10 nodes that is basic composition.
func TestWishartFreedom(t *testing.T) {
	for _, c := range []struct {
		budget  privacy.Budget
		horizon int
		want    int // k - p
	}{
		{privacy.Budget{Epsilon: 1, Delta: 1e-5}, 1000, 42566},
		{privacy.Budget{Epsilon: 1, Delta: 1e-5}, 20000, 80733},
		{privacy.Budget{Epsilon: 1, Delta: 0.1}, 1000, 2825},
		{privacy.Budget{Epsilon: 1, Delta: 0.1}, 50_000_000, 8208},
		{privacy.Budget{Epsilon: 0.1, Delta: 1e-6}, 1000, 4901230},
		{privacy.Budget{Epsilon: 5, Delta: 0.1}, 20000, 607},
		{privacy.Budget{Epsilon: 1, Delta: 1e-5}, 2, 362},
	} {
		s := privacy.Setup{Dim: 6, Horizon: c.horizon, Bound: 1, Alpha: 1e-3}
		w := nodes[*wishart](t, Wishart{Budget: c.budget}, s)
		if k := leastFreedom(c.budget, maxNodes(c.horizon)); k != c.want || w.Freedom() != s.Dim+c.want {
			t.Errorf("%v over %d rounds: k - p = %d, by bisection %d, want %d", c.budget, c.horizon, w.Freedom()-s.Dim, k, c.want)
		}
		if e := privacy.ClaimOf(w).Epsilon(); !(e <= c.budget.Epsilon) {
			t.Errorf("%v over %d rounds: claims epsilon = %v", c.budget, c.horizon, e)
		}
	}
	basic := math.Ceil(28 * math.Log(4*10/1e-5) / (0.1 * 0.1))
	if basic != 42566 {
		t.Errorf("basic composition of 10 nodes within (1, 1e-5): %v, want 42566", basic)
	}
}

// TestWishartSensitivity: the trace that a row adds at most is what the plan says, and is the
// scale of the noise.
func TestWishartSensitivity(t *testing.T) {
	tree := mechanismtest.Played(Tree{Noise: Wishart{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}})
	if err := tree.Open(privacy.Setup{Dim: 3, Horizon: 4, Bound: 1.5, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	trace := func(row ...float64) float64 {
		tree.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) { clear(dst) }))
		if err := addRow(tree, row); err != nil {
			t.Fatal(err)
		}
		sum := tree.Release().Packed
		return sum[0] + sum[2] + sum[5]
	}
	moves := trace(9, 9, 9) - trace(0, 0, 0) // clipped
	shown := tree.Plan(4).Cases[0][0]
	for what, says := range map[string]float64{"the plan": shown.Sensitivity.L2, "the scale of the noise": shown.Law.Scale} {
		if math.Abs(moves/says-1) > 1e-9 {
			t.Errorf("a row adds the trace %v, %s says %v", moves, what, says)
		}
	}
}

// TestEachWishartNodeIsNoised: each number of a node, and of the next one, has the variance of its
// law and noise of its own.
func TestEachWishartNodeIsNoised(t *testing.T) {
	w := nodes[*wishart](t, Wishart{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}, privacy.Setup{Dim: 2, Horizon: 2, Bound: 1.5, Alpha: 0.1})
	scale := w.data.Bound * w.data.Bound
	if err := fresh.Varies(float64(w.Freedom())*scale*scale, func(run int) ([]float64, error) {
		noise, drawer, row := privacy.NewNoise(random.Source(29, run, "noise")), w.Drawer(), make([]float64, 6)
		for _, node := range [][]float64{row[:3], row[3:]} {
			drawer.Draw(noise, node)
			node[0], node[2] = node[0]/math.Sqrt2, node[2]/math.Sqrt2 // those on the diagonal vary twice as much
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}
