package continual

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestVectorBatches: which batches end, what they hold without noise, and what is cut short.
func TestVectorBatches(t *testing.T) {
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for _, c := range []struct {
		of      VectorBatches
		horizon int
		ends    []int // after so many vectors
	}{
		{VectorBatches{First: 2}, 40, []int{2, 6, 14, 30}},
		{VectorBatches{First: 2, Equal: 2}, 40, []int{2, 4, 8, 12, 20, 28}},
		{VectorBatches{}, 7, []int{1, 3, 7}},
		{VectorBatches{First: 8}, 7, nil},
		{VectorBatches{First: math.MaxInt}, 7, nil},
	} {
		c.of.Budget = none
		m, err := c.of.Open(privacy.Setup{Dim: 1, Horizon: c.horizon, Bound: 1000})
		if err != nil {
			t.Fatal(err)
		}
		run := m.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
		var ends []int
		sum, records, next := 0.0, 0, run.Release().Next
		for n := 1; n <= c.horizon; n++ {
			sum += float64(n)
			records++
			moved, err := run.Add(&privacy.Record{X: []float64{float64(n)}})
			if err != nil {
				t.Fatal(err)
			}
			if !moved {
				continue
			}
			ends = append(ends, n)
			b := run.Release()
			if b.Of[0] != sum || b.Number != len(ends) || b.Records != records || records != next || b.Most != len(c.ends) || b.SD != 0 {
				t.Errorf("%+v, batch %d: %+v, want %v of %d", c.of, len(ends), b, sum, records)
			}
			sum, records, next = 0, 0, b.Next
		}
		if !slices.Equal(ends, c.ends) || next != 0 {
			t.Errorf("%+v: batches end after %v, want %v", c.of, ends, c.ends)
		}
		if _, err := run.Add(&privacy.Record{X: []float64{1}}); err == nil {
			t.Error("a vector beyond the horizon is taken")
		}
	}
}

// TestVectorBatchesNoise: the noise's scale, and what a part of a run has spent.
func TestVectorBatchesNoise(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5} // mu = 0.268051
	m, err := VectorBatches{Budget: b, First: 4}.Open(privacy.Setup{Dim: 3, Horizon: 20, Bound: 5})
	if err != nil {
		t.Fatal(err)
	}
	if sd := m.(*vectorBatches).SD(); math.Abs(sd/(10/0.268051)-1) > 1e-5 {
		t.Errorf("sd = %v", sd)
	}
	for records, want := range map[int]float64{0: 0, 3: 0, 4: 1, 20: 1, privacy.All: 1} {
		if epsilon := privacy.PlanOf(m, records).Claim().Epsilon(); math.Abs(epsilon-want) > 1e-6 {
			t.Errorf("after %d vectors epsilon = %v, want %v", records, epsilon, want)
		}
	}
	for _, c := range []struct {
		of    VectorBatches
		words []string
	}{
		{VectorBatches{Budget: privacy.Budget{Epsilon: 1}}, []string{"delta = 0"}},
		{VectorBatches{Budget: b, First: -1}, []string{"First = -1", ">= 1"}},
		{VectorBatches{Budget: b, Equal: -2}, []string{"Equal = -2", ">= 1"}},
	} {
		_, err := c.of.Open(privacy.Setup{Dim: 3, Horizon: 20, Bound: 5})
		expect.Error(t, "VectorBatches", err, c.words...)
	}
}
