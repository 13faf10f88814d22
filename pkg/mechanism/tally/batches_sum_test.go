package tally

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// sums is a tally of batches of 5, 15, 30, ... observations.
func sums(t *testing.T, s privacy.Setup) privacy.Summer {
	t.Helper()
	b, err := Batches{Budget: privacy.Budget{Epsilon: 1}, Lengths: Geometric{First: 5, Ratio: 3}, Cumulative: true}.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return b.Start(privacy.NewNoise(random.Source(1, 0, "noise"))).(privacy.Summer)
}

// TestBatchesSum: sums of records make the estimates that the records make, by the same noise. The
// plan has the same draws, and says that the sums were not clipped.
func TestBatchesSum(t *testing.T) {
	s := privacy.Setup{Arms: 2, Slots: 1, Horizon: 200, Lo: -2, Hi: 4}
	a, b := sums(t, s), sums(t, s)
	rng := random.New(1, 0, "rewards")
	for records := 0; records < s.Horizon; {
		arm := rng.IntN(2)
		n := 1 + rng.IntN(min(a.Missing(arm), s.Horizon-records))
		var sum float64
		var last bool
		for range n {
			y := float64(rng.IntN(7) - 2)
			sum += y
			moved, err := a.Add(&privacy.Record{Arms: []int{arm}, Y: []float64{y}})
			if last = moved; err != nil {
				t.Fatal(err)
			}
		}
		moved, err := b.AddSum(arm, n, sum)
		if err != nil || moved != last {
			t.Fatalf("AddSum(%d, %d, %v) = %v, %v, want %v", arm, n, sum, moved, err, last)
		}
		if x, y := a.Release(), b.Release(); !slices.Equal(x.Of, y.Of) || !slices.Equal(x.Changed, y.Changed) || x.Records != y.Records {
			t.Fatalf("by records %v, by sums %v", x, y)
		}
		records += n
	}
	x, y := privacy.PlanOf(a, 200), privacy.PlanOf(b, 200)
	if !slices.EqualFunc(x.Draws, y.Draws, func(a, b privacy.Draws) bool { return a.Count == b.Count && a.Scale == b.Scale }) || len(y.Conditions) != len(x.Conditions)+1 {
		t.Errorf("by records the plan %v, by sums %v", x, y)
	}
	if p := privacy.PlanOf(sums(t, s), 200); len(p.Conditions) != len(x.Conditions) {
		t.Errorf("of a new run the conditions are %v", p.Conditions)
	}
}

// TestBatchesSumRefuses: a sum that the records could not have, or that is beyond the batch or the
// horizon, is refused and changes nothing.
func TestBatchesSumRefuses(t *testing.T) {
	s := privacy.Setup{Arms: 2, Slots: 1, Horizon: 12, Lo: 0, Hi: 1}
	b := sums(t, s)
	for _, arm := range []int{0, 1} {
		if moved, err := b.AddSum(arm, 5, 5); !moved || err != nil {
			t.Fatal(moved, err)
		}
	}
	before := slices.Clone(b.Release().Of)
	for _, c := range []struct {
		arm, n int
		sum    float64
	}{{-1, 1, 0}, {2, 1, 0}, {0, 0, 0}, {0, 11, 1}, {0, 3, 1}, {0, 2, 2.5}, {0, 2, -1}, {0, 2, math.NaN()}} {
		if _, err := b.AddSum(c.arm, c.n, c.sum); err == nil {
			t.Errorf("AddSum(%d, %d, %v) is taken", c.arm, c.n, c.sum)
		}
	}
	if _, err := b.AddSum(0, 2, 2); err != nil || b.Release().Records != 12 || !slices.Equal(before, b.Release().Of) {
		t.Errorf("after refusals: %v, %v", b.Release(), err)
	}
	for _, s := range []privacy.Setup{{Arms: 2, Slots: 2, Horizon: 12, Lo: 0, Hi: 1}, {Arms: 2, Slots: 1, Horizon: 12, Lo: 0, Hi: 1, WarmUp: true}} {
		if _, err := sums(t, s).AddSum(0, 1, 1); err == nil {
			t.Errorf("a sum is taken under %+v", s)
		}
	}
	if a, b := b.Missing(-1), b.Missing(2); a != 0 || b != 0 {
		t.Errorf("Missing of no arm is %d and %d", a, b)
	}
}
