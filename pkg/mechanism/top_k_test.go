package mechanism

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestTopKIsPeeling: every ordered pair of 5 candidates has the probability of two exponential
// mechanisms one after the other.
func TestTopKIsPeeling(t *testing.T) {
	scores := []float64{0, 3, 1, 1.5, -2}
	top := shots(TopK{Budget: privacy.Budget{Epsilon: 2}, K: 2, Candidates: 5, Sensitivity: 0.5})
	if err := top.Open(); err != nil {
		t.Fatal(err)
	}
	if scale := top.Opened.Start(nil).Scale(); scale != 1 { // 2 D k/eps
		t.Fatalf("scale %v, want 1", scale)
	}
	noise, ledger := seeded(300)
	top.Start(noise)
	const n = 200_000
	dst := make([]int, 0, 2)
	counts := make([]int, 25)
	for range n {
		chosen, err := top.run.Choose(scores, dst)
		if err != nil || len(chosen) != 2 {
			t.Fatal(chosen, err)
		}
		counts[5*chosen[0]+chosen[1]]++
	}
	exact := func(scale float64) (seen []int, p []float64) {
		weight := make([]float64, 5)
		var sum float64
		for i, u := range scores {
			weight[i] = math.Exp(u / scale)
			sum += weight[i]
		}
		for i := range 5 {
			for j := range 5 {
				if i != j {
					seen = append(seen, counts[5*i+j])
					p = append(p, weight[i]/sum*weight[j]/(sum-weight[i]))
				}
			}
		}
		return seen, p
	}
	if v := chiSquare(exact(1)); v < rareAlarm {
		t.Errorf("ordered pairs %v, p = %.2g", counts, v)
	}
	if v := chiSquare(exact(1.05)); v > rareAlarm {
		t.Errorf("the test does not see a scale 5%% larger, p = %.2g", v)
	}
	for i := range 5 {
		if counts[6*i] > 0 {
			t.Errorf("candidate %d was chosen twice", i)
		}
	}
	balanced(t, ledger, top)
	claims(t, privacy.ClaimOf(top), 2)
	if e := privacy.ClaimOf(top).Event().(account.Repeat); e.Times != 2 || e.Event.(account.ExponentialEvent).Epsilon != 1 {
		t.Errorf("event %v", e)
	}
	for _, bad := range [][]float64{nil, {1, 2, 3, 4}, {1, 2, 3, 4, math.NaN()}, {1, 2, 3, 4, math.Inf(1)}} {
		if chosen, err := top.run.Choose(bad, dst); err == nil || len(chosen) != 0 {
			t.Errorf("scores %v: %v, %v", bad, chosen, err)
		}
	}
	balanced(t, ledger, top)
	if a := testing.AllocsPerRun(100, func() { dst, _ = top.run.Choose(scores, dst[:0]) }); a != 0 {
		t.Errorf("%v allocations a choice", a)
	}
}

// Without noise the choice is the K best, best first, whatever the order of the candidates.
func TestTopKWithoutNoise(t *testing.T) {
	noise, _ := seeded(301)
	for _, k := range []int{1, 3, 40, 50} {
		top := shots(TopK{Budget: privacy.Budget{Epsilon: math.Inf(1)}, K: k, Candidates: 50, Sensitivity: 1})
		if err := top.Open(); err != nil {
			t.Fatal(err)
		}
		top.Start(noise)
		scores := make([]float64, 50)
		for i := range scores {
			scores[i] = float64(i * 37 % 50)
		}
		chosen, err := top.run.Choose(scores, []int{7}) // appended
		if err != nil || chosen[0] != 7 || len(chosen) != k+1 {
			t.Fatal(chosen, err)
		}
		for i, c := range chosen[1:] {
			if scores[c] != float64(49-i) {
				t.Errorf("K = %d: pick %d is candidate %d of score %v", k, i, c, scores[c])
			}
		}
		sorted := slices.Clone(chosen[1:])
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != k {
			t.Errorf("K = %d: %v has duplicates", k, chosen)
		}
	}
}

func TestTopKScales(t *testing.T) {
	add := privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: 3}
	for _, c := range []struct {
		t       TopK
		scale   float64
		epsilon float64
	}{
		{TopK{Budget: privacy.Budget{Epsilon: 1}, K: 10, Candidates: 100, Sensitivity: 2}, 40, 1},
		{TopK{Budget: privacy.Budget{Epsilon: 1}, K: 10, Candidates: 100, Sensitivity: 2, Neighbours: add}, 120, 1},
		{TopK{Budget: privacy.Budget{Epsilon: 1}, K: 10, Candidates: 100, Sensitivity: 2, Neighbours: add, Monotone: true}, 60, 1},
	} {
		opened, err := c.t.Open()
		if err != nil {
			t.Fatal(err)
		}
		expect.Near(t, "scale", opened.Start(nil).Scale(), c.scale, 1e-14)
		claims(t, privacy.ClaimOf(opened), c.epsilon)
	}
	// Pure is better for one pick. The claim is that of a bounded range, up to the accountant's grid:
	// delta = (e^(eps/2) - e^(eps'/2))^2/(e^eps - 1).
	one := shots(TopK{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, K: 1, Candidates: 100, Sensitivity: 2})
	if err := one.Open(); err != nil {
		t.Fatal(err)
	}
	expect.Near(t, "scale", one.Opened.Start(nil).Scale(), 4, 1e-14)
	exact := 2 * math.Log(math.Sqrt(math.E)-math.Sqrt(1e-5*(math.E-1)))
	if epsilon := privacy.ClaimOf(one).Epsilon(); !(epsilon >= exact && epsilon < exact+1e-4) {
		t.Errorf("the claim's epsilon = %v, want %v, and a little more", epsilon, exact)
	}
	many := shots(TopK{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, K: 100, Candidates: 1000, Sensitivity: 1})
	if err := many.Open(); err != nil {
		t.Fatal(err)
	}
	pick := privacy.ClaimOf(many).Event().(account.Repeat).Event.(account.ExponentialEvent).Epsilon
	rho, _ := privacy.Budget{Epsilon: 1, Delta: 1e-5}.ConcentratedRho()
	expect.Near(t, "rho of 100 picks", 100*pick*pick/8, rho, 1e-12)
	expect.Near(t, "the claimed epsilon", privacy.ClaimOf(many).Epsilon(), 1, 1e-9)
	if pick < 2*0.01 {
		t.Errorf("a pick's epsilon is %v, want more than twice the pure 0.01", pick)
	}
}
