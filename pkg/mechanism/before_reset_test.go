package mechanism

import (
	"errors"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestBeforeReset: without noise no record is taken in, so that none can be read bare.
func TestBeforeReset(t *testing.T) {
	budget := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	setup := privacy.Setup{Horizon: 8, Dim: 2, Bound: 1, Alpha: 0.1}
	check := func(name string, err error, add func(*privacy.Record) (bool, error), rec *privacy.Record) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if moved, err := add(rec); moved || !errors.Is(err, errReset) {
			t.Errorf("%s before Reset: moved = %v, error %v, want %v", name, moved, err, errReset)
		}
	}
	for name, s := range map[string]privacy.Accumulator{
		"Tree":           Tree{Noise: Gaussian{Budget: budget}},
		"PanPrivateTree": PanPrivateTree{Noise: Gaussian{Budget: budget}},
		"Honaker":        Honaker{Budget: budget},
		"SquareRoot":     SquareRoot{Budget: budget},
		"BLT":            BLT{Budget: budget},
	} {
		check(name, s.Init(setup), s.Add, privacy.Row([]float64{0.5, 0.5}))
	}
	for name, s := range map[string]privacy.Statistic[Total]{
		"VectorTree":       VectorTree{Budget: budget},
		"VectorSquareRoot": VectorSquareRoot{Budget: budget},
		"VectorBLT":        VectorBLT{Budget: budget},
	} {
		check(name, s.Init(setup), s.Add, &privacy.Record{X: []float64{0.5, 0.5}})
	}
}
