package continual

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// TestClipping: a row longer than the bound counts as the row of the bound's length in its
// direction; one on the bound, whatever its rounding, stays as it is.
func TestClipping(t *testing.T) {
	const bound = 1.5
	all := factorisations(privacy.Budget{Epsilon: math.Inf(1)})
	all["exact"], all["tree"], all["pan-private"] = mechanismtest.Played(Exact{}), mechanismtest.Played(Tree{Noise: tags{zero: true}}), mechanismtest.Played(PanPrivateTree{Noise: tags{zero: true}})
	for name, acc := range all {
		if err := acc.Open(privacy.Setup{Dim: 3, Horizon: 100, Bound: bound, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		acc.Start(privacy.NewNoise(mechanismtest.Source()))
		r := random.New(1, 0, "rows")
		want, release := make([]float64, 6), make([]float64, 6)
		if !strings.Contains(name, "tree") && name != "pan-private" {
			packed.AddDiagonal(want, 3, 1) // the ridge
		}
		long := 0
		for i := range 90 {
			row := make([]float64, 3)
			random.Sphere(r, row)
			length := []float64{0.3, bound, 4, 1e6, 0}[i%5]
			for j := range row {
				row[j] *= length
			}
			kept := append([]float64(nil), row...)
			if length > bound {
				long++
				for j := range row {
					kept[j] *= bound / length
				}
			}
			packed.AddOuter(want, kept)
			given := append([]float64(nil), row...)
			if err := addRow(acc, row); err != nil {
				t.Fatal(err)
			}
			for j := range row {
				if row[j] != given[j] {
					t.Fatalf("%s: AddOuter wrote to the row", name)
				}
			}
			if acc.Clipped() != long {
				t.Fatalf("%s: %d rows clipped, want %d", name, acc.Clipped(), long)
			}
		}
		acc.Release().Read(release)
		for i := range want {
			if math.Abs(release[i]-want[i]) > 1e-9 {
				t.Errorf("%s: entry %d is %v, want %v", name, i, release[i], want[i])
			}
		}
		if acc.Start(privacy.NewNoise(mechanismtest.Source())); acc.Clipped() != 0 {
			t.Errorf("%s: %d rows clipped in a new run", name, acc.Clipped())
		}
	}
}

// TestShifted: the release moves by the multiple of the identity that moves rho_min, and
// leaves the statistic as it was.
func TestShifted(t *testing.T) {
	s := privacy.Setup{Dim: 3, Horizon: 100, Bound: 1, Alpha: 0.1}
	all := accumulators(budget)
	all["exact"] = mechanismtest.Played(Exact{Ridge: 2})
	delete(all, "unbounded") // Shifted holds for all its releases, Bounds for one
	for name, acc := range all {
		if err := acc.Open(s); err != nil {
			t.Fatal(err)
		}
		acc.Start(privacy.NewNoise(mechanismtest.Source()))
		before, after := make([]float64, 6), make([]float64, 6)
		acc.Release().Read(before)
		natural := acc.Release().Bounds
		for _, factor := range []float64{0.01, 3, 1} {
			want := factor * natural.RhoMin
			moved, err := acc.Release().Shifted(want)
			if err != nil {
				t.Fatal(err)
			}
			moved.Read(after)
			b := moved.Bounds
			expect.Near(t, name+": rho_min", b.RhoMin, want, 1e-9)
			expect.Near(t, name+": rho_max - rho_min", b.RhoMax-b.RhoMin, natural.RhoMax-natural.RhoMin, 1e-9)
			for i, p := range []int{0, 2, 5} {
				if moved := after[p] - before[p]; math.Abs(moved-(want-natural.RhoMin)) > 1e-9*(math.Abs(before[p])+want) {
					t.Errorf("%s: diagonal entry %d moved by %v, want %v", name, i, moved, want-natural.RhoMin)
				}
			}
			if after[1] != before[1] || after[3] != before[3] {
				t.Errorf("%s: Shifted moved an entry off the diagonal", name)
			}
		}
		if b := acc.Release().Bounds; b != natural {
			t.Errorf("%s: bounds %+v after Shifted, want %+v", name, b, natural)
		}
	}
}

// TestNoNoise: with epsilon = +Inf the Gaussian tree releases the very numbers of Exact with the
// ridge 1.
func TestNoNoise(t *testing.T) {
	s := privacy.Setup{Dim: 4, Horizon: 100, Bound: 1, Alpha: 0.1}
	for _, delta := range []float64{0, 0.1} {
		for _, c := range []Gaussian{{}, {Calibration: privacy.AsPublished}, {Padded: true}} {
			c.Budget = privacy.Budget{Epsilon: math.Inf(1), Delta: delta}
			tree, exact, pan := mechanismtest.Played(Tree{Noise: c}), mechanismtest.Played(Exact{Ridge: 1}), mechanismtest.Played(PanPrivateTree{Noise: c})
			all := []*mechanismtest.Player[privacy.Sums]{tree, exact, pan}
			others := factorisations(privacy.Budget{Epsilon: math.Inf(1), Delta: delta})
			for _, a := range others {
				all = append(all, a)
			}
			for _, a := range all {
				if err := a.Open(s); err != nil {
					t.Fatal(err)
				}
				a.Start(privacy.NewNoise(mechanismtest.Source()))
			}
			for name, a := range others {
				if !a.Release().Exact || a.Release().Bounds != exact.Release().Bounds || !math.IsInf(privacy.ClaimOf(a).Epsilon(), 1) {
					t.Errorf("%s, delta = %v: bounds %+v, claim %v", name, delta, a.Release().Bounds, privacy.ClaimOf(a).Epsilon())
				}
			}
			if !tree.Release().Exact || tree.Release().Bounds != exact.Release().Bounds || !math.IsInf(privacy.ClaimOf(tree).Epsilon(), 1) {
				t.Errorf("%v, delta = %v: noiseless %v, bounds %+v, claim %v", c, delta, tree.Release().Exact, tree.Release().Bounds, privacy.ClaimOf(tree).Epsilon())
			}
			r := random.New(1, 0, "rows")
			a, b, p := make([]float64, 10), make([]float64, 10), make([]float64, 10)
			for range s.Horizon - 1 {
				row := make([]float64, 4)
				random.Sphere(r, row)
				for _, acc := range all {
					if err := addRow(acc, row); err != nil {
						t.Fatal(err)
					}
				}
				tree.Release().Read(a)
				exact.Release().Read(b)
				pan.Release().Read(p)
				for i := range a {
					if a[i] != b[i] || math.Abs(p[i]-b[i]) > 1e-12 {
						t.Fatalf("%v: entry %d is %v, pan-private %v, exactly %v", c, i, a[i], p[i], b[i])
					}
				}
				for name, acc := range others {
					if acc.Release().Read(a); !slices.Equal(a, b) {
						t.Fatalf("%s: the release is %v, exactly %v", name, a, b)
					}
				}
			}
		}
	}
}

// TestExtremeRowsAreClipped: a row whose square overflows counts as the row of the bound's length
// in its direction, and so does a context in it. One user's data must not stop a run.
func TestExtremeRowsAreClipped(t *testing.T) {
	for _, c := range []struct{ row, want []float64 }{
		{[]float64{3e200, 4e200, 0}, []float64{0.6, 0.8, 0}},
		{[]float64{0, 0, -1e308}, []float64{0, 0, -1.5}},
		{[]float64{math.MaxFloat64, 0, 0.5}, []float64{1, 0, 0.5}},
		{[]float64{-1e200, 0, 1e308}, []float64{-1e-308, 0, 1.5}},
	} {
		for name, acc := range map[string]*mechanismtest.Player[privacy.Sums]{"exact": mechanismtest.Played(Exact{}), "tree": mechanismtest.Played(Tree{Noise: tags{zero: true}})} {
			if err := acc.Open(privacy.Setup{Dim: 3, Horizon: 9, Bound: 1.5, Context: 1, Alpha: 0.1}); err != nil {
				t.Fatal(err)
			}
			acc.Start(privacy.NewNoise(mechanismtest.Source()))
			before, after, want := make([]float64, 6), make([]float64, 6), make([]float64, 6)
			acc.Release().Read(before)
			if err := addRow(acc, c.row); err != nil || acc.Clipped() != 1 {
				t.Errorf("%s: %v: error %v, %d clipped, want none and 1", name, c.row, err, acc.Clipped())
			}
			acc.Release().Read(after)
			packed.AddOuter(want, c.want)
			for i := range want {
				if math.Abs(after[i]-before[i]-want[i]) > 1e-14 {
					t.Errorf("%s: %v adds %v at %d, want %v", name, c.row, after[i]-before[i], i, want[i])
				}
			}
		}
	}
}

// TestBoundsWithoutNoise: bounds on data so small or large that the noise would vanish or overflow
// are refused by name.
func TestBoundsWithoutNoise(t *testing.T) {
	for name, acc := range accumulators(privacy.Budget{Epsilon: 0.1, Delta: 1e-5}) {
		for _, bound := range []float64{1e-300, 1e-160, 1e160, 1e308} {
			s := privacy.Setup{Dim: 3, Horizon: 4, Bound: bound, Alpha: 0.1}
			expect.Error(t, name, acc.Open(s), "Setup.Bound = ", "[1e-60, 1e+60]")
		}
	}
}
