package continual

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestVectorTreeScales: the scales of the noise, for ten dimensions and 10,000 rounds, and what the
// printed one buys, by the number of rounds.
func TestVectorTreeScales(t *testing.T) {
	pure, approximate := privacy.Budget{Epsilon: 1}, privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, c := range []struct {
		tree VectorTree
		n    int
		dim  int
		want float64 // scale
		true float64 // epsilon
	}{
		{VectorTree{Budget: pure, Calibration: privacy.AsPublished}, 10_000, 10, math.Sqrt(10) * math.Log(1e4), 28 / math.Log(1e4)},
		{VectorTree{Budget: pure, Calibration: privacy.AsPublished}, 1000, 10, math.Sqrt(10) * math.Log(1e3), 20 / math.Log(1e3)},
		{VectorTree{Budget: pure, Calibration: privacy.AsPublished}, 100_000, 2, math.Sqrt2 * math.Log(1e5), 34 / math.Log(1e5)},
		{VectorTree{Budget: pure, Calibration: privacy.AsPublished}, 2, 1, math.Ln2, 2 / math.Ln2},
		{VectorTree{Budget: pure}, 10_000, 10, 28 * math.Sqrt(10), 1},
		{VectorTree{Budget: pure, Padded: true}, 10_000, 10, 28 * math.Sqrt(10), 1},
		{VectorTree{Budget: approximate}, 10_000, 10, 2 * math.Sqrt(14) / 0.268051, 1},
	} {
		opened, err := c.tree.Open(privacy.Setup{Dim: c.dim, Horizon: c.n, Bound: 1})
		if err != nil {
			t.Fatal(err)
		}
		claim := privacy.ClaimOf(opened)
		if scale := opened.(*vectorTree).Scale(); math.Abs(scale/c.want-1) > 1e-5 || math.Abs(claim.Epsilon()/c.true-1) > 1e-6 {
			t.Errorf("%v over %d rounds: scale %v, epsilon %v, want %v, %v", c.tree.Calibration, c.n, scale, claim.Epsilon(), c.want, c.true)
		}
	}
}

// TestVectorSumsExact: without noise, all release the sum of the vectors, each clipped to the
// bound, and drop the horizon's last.
func TestVectorSumsExact(t *testing.T) {
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for name, v := range map[string]*mechanismtest.Player[Total]{
		"exact": mechanismtest.Played(VectorExact{}), "tree": mechanismtest.Played(VectorTree{Budget: none}), "padded": mechanismtest.Played(VectorTree{Budget: none, Padded: true}),
		"square root": mechanismtest.Played(VectorSquareRoot{Budget: none}), "BLT": mechanismtest.Played(VectorBLT{Budget: none}),
	} {
		if err := v.Open(privacy.Setup{Dim: 2, Horizon: 3, Bound: 5}); err != nil {
			t.Fatal(err)
		}
		v.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
		for i, x := range [][]float64{{3, -4}, {600, 800}, {0, 0}} {
			moved, err := v.Add(&privacy.Record{X: x})
			if err != nil || moved != (i < 2 || name == "exact") {
				t.Errorf("%s: vector %d moved the release: %v, %v", name, i, moved, err)
			}
		}
		if got := v.Release().Of; math.Abs(got[0]-6) > 1e-12 || math.Abs(got[1]) > 1e-12 || v.Clipped() != 1 {
			t.Errorf("%s: the sum is %v with %d clipped, want [6 0] with 1", name, got, v.Clipped())
		}
	}
}

// TestVectorSumsRefuse: each field out of its range is refused, and nothing is opened.
func TestVectorSumsRefuse(t *testing.T) {
	good := privacy.Setup{Dim: 2, Horizon: 8, Bound: 1}
	change := func(by func(s *privacy.Setup)) privacy.Setup {
		s := good
		by(&s)
		return s
	}
	pure, approximate := privacy.Budget{Epsilon: 1}, privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, c := range []struct {
		v     *mechanismtest.Player[Total]
		setup privacy.Setup
		want  string
	}{
		{mechanismtest.Played(VectorExact{}), change(func(s *privacy.Setup) { s.Dim = 0 }), "Setup.Dim = 0, want >= 1"},
		{mechanismtest.Played(VectorTree{Budget: pure}), change(func(s *privacy.Setup) { s.Horizon = 0 }), "Setup.Horizon = 0, want >= 1"},
		{mechanismtest.Played(VectorTree{Budget: pure}), change(func(s *privacy.Setup) { s.Bound = math.NaN() }), "Setup.Bound = NaN"},
		{mechanismtest.Played(VectorTree{}), good, "epsilon = 0"},
		{mechanismtest.Played(VectorTree{Budget: pure, Calibration: 7}), good, "Calibration(7), want Sound or AsPublished"},
		{mechanismtest.Played(VectorTree{Budget: approximate, Calibration: privacy.AsPublished}), good, "delta = 1e-05, want 0"},
		{mechanismtest.Played(VectorTree{Budget: pure, Calibration: privacy.AsPublished}), change(func(s *privacy.Setup) { s.Horizon = 1 }), "horizon of 1, want >= 2"},
		{mechanismtest.Played(VectorSquareRoot{Budget: pure}), good, "delta = 0"},
		{mechanismtest.Played(VectorSquareRoot{Budget: approximate}), change(func(s *privacy.Setup) { s.Horizon = 1 << 20 }), "want <= 131072"},
		{mechanismtest.Played(VectorBLT{Budget: approximate, Buffers: 17}), good, "Buffers = 17, want in [1, 16]"},
	} {
		if err := c.v.Open(c.setup); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: error %v, want one with %q", c.v, err, c.want)
		}
		if c.v.Opened != nil {
			t.Errorf("%T opens as %v after %q", c.v.Of, c.v.Opened, c.want)
		}
	}
}

// TestVectorSumsAllocate: no vector allocates once the run has begun.
func TestVectorSumsAllocate(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for name, v := range map[string]*mechanismtest.Player[Total]{
		"exact": mechanismtest.Played(VectorExact{}), "tree": mechanismtest.Played(VectorTree{Budget: b, Padded: true}), "square root": mechanismtest.Played(VectorSquareRoot{Budget: b}), "BLT": mechanismtest.Played(VectorBLT{Budget: b}),
	} {
		if err := v.Open(privacy.Setup{Dim: 4, Horizon: 10_000, Bound: 1}); err != nil {
			t.Fatal(err)
		}
		v.Start(privacy.NewNoise(random.Source(1, 0, "noise")))
		r := &privacy.Record{X: []float64{3, 0.5, 0, -1}}
		if got := testing.AllocsPerRun(2000, func() {
			if _, err := v.Add(r); err != nil {
				t.Fatal(err)
			}
			v.Release()
		}); got != 0 {
			t.Errorf("%s: %v allocations a round, want 0", name, got)
		}
	}
}
