package continual

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestSecureTree: the release is the exact sum of rounded rows and noise on the grid; the noise is
// the system's, counted, and within its bounds.
func TestSecureTree(t *testing.T) {
	tree := mechanismtest.Played(SecureTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}})
	setup := privacy.Setup{Dim: 3, Horizon: 1 << 14, Bound: 1.5, Alpha: 0.1}
	if err := tree.Open(setup); err != nil {
		t.Fatal(err)
	}
	of := tree.Opened.(*secureTree)
	var first [2]float64
	for i := range first {
		run := of.Start(nil).(*secureTreeRun) // nothing is drawn from what Start is handed
		operator, perturbation := of.discrete.upsilon()
		sum, dst, clean := make([]int64, 6), make([]float64, 6), make([]float64, 6)
		var square float64
		nodes := 0
		for at := 1; at < setup.Horizon; at++ {
			row := []float64{math.Sin(float64(at)), 0.9 * math.Cos(float64(3*at)), 1}
			admitted, err := (&rows{setup: setup, buf: make([]float64, 3)}).admit(privacy.Row(row))
			if err != nil {
				t.Fatal(err)
			}
			for a, p := 0, 0; a < 3; a++ {
				for b := 0; b <= a; b, p = b+1, p+1 {
					sum[p] += int64(math.RoundToEven(admitted[a] * admitted[b] / of.Spacing()))
				}
			}
			if err := addTo(run, row); err != nil {
				t.Fatal(err)
			}
			run.Release().Read(dst)
			copy(clean, dst)
			packed.AddDiagonal(clean, 3, -run.sums.Shift)
			for p, noise := range run.total() {
				if steps := noise / of.Spacing(); steps != math.Trunc(steps) || math.Abs(steps) > 1<<53 {
					t.Fatalf("noise of %v steps", steps)
				}
				if run.sum[p] != float64(sum[p])*of.Spacing() {
					t.Fatalf("row %d: the sum is %v, want %d steps of %v", at, run.sum[p], sum[p], of.Spacing())
				}
				if math.Abs(clean[p]-run.sum[p]-noise) > 1e-9*(run.sums.Shift+math.Abs(run.sum[p])) {
					t.Fatalf("row %d: release %v, sum %v, noise %v", at, clean[p], run.sum[p], noise)
				}
			}
			// Definition 3 fails with probability alpha/(2n) a round: 1e-6 for a look each thousand rounds.
			if at%1000 == 0 {
				h := run.total()
				if n := mat.Norm(mat.NewSymDense(2, []float64{h[0], h[1], h[1], h[2]}), 2); n > operator {
					t.Errorf("round %d: noise of Frobenius norm %v, bound %v", at, n, operator)
				}
				if n := math.Hypot(h[3], h[4]); n > perturbation {
					t.Errorf("round %d: perturbation %v, bound %v", at, n, perturbation)
				}
			}
			if at%2 == 1 { // the node of one leaf, drawn last
				for p, s := range []float64{2, 1, 2, 1, 1, 2} {
					square += run.node[p] * run.node[p] / s
				}
				nodes += 6
			}
		}
		// The mean square of the nodes' noise is s^2 off the diagonal and 2 s^2 on it; false alarm 1e-6.
		if e := (square/float64(nodes)/(of.SD()*of.SD()) - 1) * math.Sqrt(float64(nodes)/2); math.Abs(e) > 4.9 {
			t.Errorf("the variance of a node's noise is %.1f standard errors from the claim's", e)
		}
		if err := run.Check(); err != nil {
			t.Error(err)
		}
		first[i] = run.total()[0]
	}
	if first[0] == first[1] { // some 1e6 likely values
		t.Errorf("two runs have the same noise %v", first[0])
	}
	tree.Start(nil)
	row := privacy.Row([]float64{1, 0, 1})
	if n := testing.AllocsPerRun(1000, func() { _, _ = tree.Add(row) }); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestSecureTreeClaims(t *testing.T) {
	for _, epsilon := range []float64{0.1, 1, 10} {
		setup := privacy.Setup{Dim: 6, Horizon: 20_000, Bound: math.Sqrt2, Alpha: 1e-3}
		b := privacy.Budget{Epsilon: epsilon, Delta: 1e-5}
		tree, plain := mechanismtest.Played(SecureTree{Budget: b}), nodes[*gaussian](t, Gaussian{Budget: b}, setup)
		if err := tree.Open(setup); err != nil {
			t.Fatal(err)
		}
		of := tree.Opened.(*secureTree)
		if e := privacy.ClaimOf(tree).Epsilon(); e > epsilon || e < 0.998*epsilon {
			t.Errorf("%v: claims %v", b, e)
		}
		if spent := privacy.PlanOf(tree, setup.Horizon).Event(); spent != privacy.ClaimOf(tree).Event() {
			t.Errorf("%v is spent after all rows, the claim says %v", spent, privacy.ClaimOf(tree).Event())
		}
		if e, _, err := account.Tightest(privacy.PlanOf(tree, 0).Event(), b.Delta); err != nil || e != 0 {
			t.Errorf("epsilon = %v is spent before the first row (error %v), want 0", e, err)
		}
		// An accountant that has the event alone finds no more than what is claimed.
		if e, by, err := account.Tightest(privacy.ClaimOf(tree).Event(), b.Delta); err != nil || e > privacy.ClaimOf(tree).Epsilon()*(1+1e-9) {
			t.Errorf("%v: %s finds %v, the claim is %v: %v", b, by, e, privacy.ClaimOf(tree).Epsilon(), err)
		}
		// zCDP costs more than the exact accounting of Gaussians, by 1.56 at epsilon = 0.1 and less
		// above; the grid next to nothing.
		rho, _ := b.ConcentratedRho()
		expect.Near(t, "s", of.SD(), 2*math.Sqrt(15/(2*rho)), 2e-3)
		if r := of.SD() / plain.SD(); r < 1 || r > 1.6 {
			t.Errorf("%v: %v times the noise of the Gaussian tree", b, r)
		}
		if r := of.like.Shift / of.SD() / (plain.Shift() / plain.SD()); r < 0.9 || r > 1.3 {
			t.Errorf("%v: the shift is %v times the Gaussian tree's, in units of its noise", b, r)
		}
	}
}

// TestSecureTreePartsSensitivity: what the plan says of the entries below the diagonal, and of
// those on it, is no less than two rows reach there, and is reached but for the rounding.
func TestSecureTreePartsSensitivity(t *testing.T) {
	const grid = 1.0 / 1024
	tree := mechanismtest.Played(SecureTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Grid: grid})
	if err := tree.Open(privacy.Setup{Dim: 2, Horizon: 10, Bound: 1.5, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	tree.Start(nil)
	node := func(row ...float64) []float64 {
		t.Helper()
		clear(tree.Stream.(*secureTreeRun).sum)
		if err := addRow(tree, row); err != nil {
			t.Fatal(err)
		}
		return append([]float64(nil), tree.Stream.(*secureTreeRun).sum...)
	}
	shown := tree.Plan(1).Cases[0][0]
	a, b := node(9, 9), node(9, -9) // clipped
	below := math.Abs(a[1]-b[1]) / grid
	a, b = node(9, 0), node(0, 9)
	on := math.Hypot(a[0]-b[0], a[2]-b[2]) / grid
	for _, c := range []struct {
		where     string
		moves, by float64
	}{{"below the diagonal", below, shown.Sensitivity.L2}, {"on the diagonal", on, shown.Parts[0].Sensitivity.L2}} {
		if c.moves > c.by || c.moves < 0.99*c.by {
			t.Errorf("%s a row moves a node by %v steps, the plan says %v", c.where, c.moves, c.by)
		}
	}
}

// TestSecureTreeSensitivity: two rows, clipped and rounded, are no further apart in Frobenius norm
// than the event says.
func TestSecureTreeSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 5).Draw(t, "dim")
		grid := 0.0 // the finest
		if log := rapid.IntRange(-11, 0).Draw(t, "log2 grid, finest below -10"); log >= -10 {
			grid = math.Ldexp(1, log)
		}
		tree := mechanismtest.Played(SecureTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Grid: grid})
		if err := tree.Open(privacy.Setup{Dim: dim, Horizon: 10, Bound: 1.5, Alpha: 0.1}); err != nil {
			t.Fatal(err)
		}
		grid = tree.Opened.(*secureTree).Spacing()
		tree.Start(nil)
		row := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Just(0.0), rapid.Just(1.5)), dim, dim)
		var sums [2][]float64
		for i := range sums {
			clear(tree.Stream.(*secureTreeRun).sum)
			if err := addRow(tree, row.Draw(t, "row")); err != nil {
				t.Fatal(err)
			}
			sums[i] = append(sums[i], tree.Stream.(*secureTreeRun).sum...)
		}
		var square float64
		for a, p := 0, 0; a < dim; a++ {
			for b := 0; b <= a; b, p = b+1, p+1 {
				d := (sums[0][p] - sums[1][p]) / grid
				square += d * d
				if b < a {
					square += d * d
				}
			}
		}
		if most := math.Sqrt2 * privacy.PlanOf(tree, 1).Event().(account.DiscreteGaussianEvent).Sensitivity; square > most*most {
			t.Fatalf("moves a node by %v steps, want %v at most", math.Sqrt(square), most)
		}
	})
}

// edgy are rows whose products are next to half a step of a grid, so that rounding moves all sums
// one way.
func edgy(grid float64) map[string][]float64 {
	half := math.Sqrt(grid / 2)
	const less, more = 1 - 1e-6, 1 + 1e-6
	return map[string][]float64{
		"down":            {half * less, half * less, half * less},
		"up":              {half * more, half * more, half * more},
		"reward down":     {half * more, half * more, half * less * less},
		"opposite":        {half * more, -half * more, half * more},
		"one of contexts": {half * more, half * less * less, -half * less},
	}
}

// wrong says what is out of bounds in a release of n equal rows of three numbers.
func wrong(t *testing.T, s *privacy.Sums, row []float64, n int) string {
	t.Helper()
	h := mat.NewSymDense(2, nil)
	for i, p := 0, 0; i < 2; i++ {
		for j := 0; j <= i; j, p = j+1, p+1 {
			h.SetSym(i, j, s.Packed[p]-float64(n)*row[i]*row[j])
		}
		h.SetSym(i, i, h.At(i, i)+s.Shift)
	}
	perturbation := mat.NewVecDense(2, nil)
	for j := range 2 {
		perturbation.SetVec(j, s.Packed[3+j]-float64(n)*row[2]*row[j])
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(h, false) {
		t.Fatal("no eigenvalues")
	}
	b := s.Bounds
	if v := eigen.Values(nil); v[0] < b.RhoMin || v[1] > b.RhoMax {
		return fmt.Sprintf("eigenvalues %.5g, want in [%.5g, %.5g]", v, b.RhoMin, b.RhoMax)
	}
	var solved mat.VecDense
	if err := solved.SolveVec(h, perturbation); err != nil {
		t.Fatal(err)
	}
	if g := math.Sqrt(mat.Dot(&solved, perturbation)); g > b.Gamma {
		return fmt.Sprintf("gamma = %.5g, want <= %.5g", g, b.Gamma)
	}
	return ""
}

// TestSecureTreeBoundsHoldRounding: what a release adds to the exact sum is within the bounds,
// noise and rounding together, where rounding errors of a coarse grid add up to several times the
// noise. Each of the hundred runs fails with probability alpha/2, 5e-5 in all; the seeds are fixed.
func TestSecureTreeBoundsHoldRounding(t *testing.T) {
	const grid = 0.5
	setup := privacy.Setup{Dim: 3, Horizon: 1 << 12, Bound: 1.5, Alpha: 1e-6}
	opened, err := SecureTree{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}, Grid: grid}.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	e, most := opened.(*secureTree).discrete.rounding(), 0.0
	for name, row := range edgy(grid) {
		for seed := range 20 {
			var run *secureTreeRun
			mechanismtest.WithSource(seed, func() { run = opened.Start(nil).(*secureTreeRun) })
			for at := 1; at < setup.Horizon; at++ {
				if err := addTo(run, row); err != nil {
					t.Fatal(err)
				}
				if at%64 != 63 {
					continue
				}
				if s := wrong(t, run.Release(), row, at); s != "" {
					t.Fatalf("%s, seed %d, round %d: %s", name, seed, at, s)
				}
			}
			if run.Clipped() > 0 {
				t.Fatalf("%s: %d rows were clipped", name, run.Clipped())
			}
			for p, v := range []float64{row[0] * row[0], row[1] * row[0], row[1] * row[1], row[2] * row[0], row[2] * row[1]} {
				most = max(most, math.Abs(run.sum[p]-float64(setup.Horizon-1)*v)/e)
			}
		}
	}
	if most > 1 || most < 0.999 {
		t.Errorf("rounding moves a sum by %v of its bound, want a little less than all of it", most)
	}
}

// TestSecureTreeBoundsHoldLongRun: the same after 2^30 rows on the grid that Open chooses. All but
// the last are added up at once; the node that the last one finishes is the release's only one, so
// that its noise has the law of a run of all rows. The fifty runs fail with probability 2.5e-5; the
// seeds are fixed.
func TestSecureTreeBoundsHoldLongRun(t *testing.T) {
	const rows = 1 << 30
	opened, err := SecureTree{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}}.Open(privacy.Setup{Dim: 3, Horizon: rows + 1, Bound: 1.5, Alpha: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range edgy(opened.(*secureTree).Spacing()) {
		for seed := range 10 {
			var run *secureTreeRun
			mechanismtest.WithSource(seed, func() { run = opened.Start(nil).(*secureTreeRun) })
			if err := addTo(run, row); err != nil {
				t.Fatal(err)
			}
			scale(run.sum, rows-1)
			run.count = rows - 1
			if err := addTo(run, row); err != nil {
				t.Fatal(err)
			}
			if s := wrong(t, run.Release(), row, rows); s != "" {
				t.Fatalf("%s, seed %d: %s", name, seed, s)
			}
		}
	}
}

// TestSecureTreeRoundingIsSmall: on the grid that Open chooses, rounding is a small part of the
// width S sqrt(rho_max) + gamma up to ten million rows, and less than the rest of it for 10^9.
func TestSecureTreeRoundingIsSmall(t *testing.T) {
	for _, c := range []struct {
		d, rows int
		most    float64
	}{{2, 1e4, 1e-5}, {5, 1e4, 1e-5}, {50, 1e4, 5e-5}, {5, 1e5, 2e-4}, {5, 1e6, 1e-3}, {50, 1e6, 4e-3}, {5, 1e7, 0.01}, {5, 1e9, 0.6}, {20, 1e7, 0.02}, {50, 1e7, 0.03}} {
		for _, epsilon := range []float64{0.1, 1, 10} {
			b := privacy.Budget{Epsilon: epsilon, Delta: 1e-5}
			s := privacy.Setup{Dim: c.d + 1, Horizon: c.rows, Bound: math.Sqrt2, Alpha: 1 / float64(c.rows)}
			n, err := SecureTree{Budget: b}.nodes(s)
			if err != nil {
				t.Fatal(err)
			}
			width := func(b privacy.Bounds) float64 { return math.Sqrt(b.RhoMax) + b.Gamma }
			operator, perturbation := n.upsilon()
			operator -= float64(c.d) * n.rounding()
			perturbation -= math.Sqrt(float64(c.d)) * n.rounding()
			noise := width(spreadAround(operator, perturbation).Bounds(2 * operator))
			if part := width(n.Bounds(n.Shift()))/noise - 1; part > c.most {
				t.Errorf("d = %d, %d rows, %v: rounding widens the set by %v, want at most %v", c.d, c.rows, b, part, c.most)
			}
		}
	}
}

func TestSecureTreeRefuses(t *testing.T) {
	setup := privacy.Setup{Dim: 3, Horizon: 1000, Bound: 1, Alpha: 0.1}
	b := privacy.Budget{Epsilon: 1, Delta: 1e-5}
	for _, c := range []struct {
		tree  SecureTree
		words []string
	}{
		{SecureTree{}, []string{"epsilon = 0"}},
		{SecureTree{Budget: privacy.Budget{Epsilon: 1}}, []string{"delta = 0"}},
		{SecureTree{Budget: privacy.Budget{Epsilon: math.Inf(1), Delta: 0.1}}, []string{"noise of zero"}},
		{SecureTree{Budget: b, Grid: 0.3}, []string{"Grid = 0.3", "power of two"}},
		{SecureTree{Budget: b, Grid: 0x1p-30}, []string{"<= 2^52", "coarser grid"}},
	} {
		expect.Error(t, "Open", mechanismtest.Played(c.tree).Open(setup), c.words...)
	}
	long := setup
	long.Horizon = 1 << 45
	expect.Error(t, "horizon", mechanismtest.Played(SecureTree{Budget: b}).Open(long), "35184372088832 rows", "<= 2^53")
	// The noise of so long rows is mostly for their rounding, and a finer grid would not do.
	wide := privacy.Setup{Dim: 1000, Horizon: 1025, Bound: 1, Alpha: 0.1}
	if err := mechanismtest.Played(SecureTree{Budget: privacy.Budget{Epsilon: 1e-4, Delta: 1e-5}}).Open(wide); err != nil {
		t.Error(err)
	}
	tree := mechanismtest.Played(SecureTree{Budget: b})
	if err := tree.Open(privacy.Setup{Dim: 3, Horizon: 2, Bound: 1, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	tree.Start(nil)
	expect.Error(t, "NaN", addRow(tree, []float64{0, math.NaN(), 0}), "NaN")
	for range 2 {
		if err := addRow(tree, []float64{0, 0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	expect.Error(t, "beyond", addRow(tree, []float64{0, 0, 1}), "beyond the horizon of 2")
	if err := tree.Stream.(*secureTreeRun).Check(); err != nil {
		t.Error(err)
	}
}

func BenchmarkSecureTree(b *testing.B) {
	tree := mechanismtest.Played(SecureTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}})
	if err := tree.Open(privacy.Setup{Dim: 6, Horizon: 1 << 30, Bound: math.Sqrt2, Alpha: 0.1}); err != nil {
		b.Fatal(err)
	}
	tree.Start(nil)
	row := []float64{0.5, 0.5, 0.5, 0.5, 0, 1}
	b.ReportAllocs()
	for b.Loop() {
		if err := addRow(tree, row); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEachSecureNodeIsNoised: in every run each number of the first node and of the second has
// noise of its own, as much as its law says. The seeds are fixed.
func TestEachSecureNodeIsNoised(t *testing.T) {
	const dim = 3
	opened, err := SecureTree{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-3}}.Open(privacy.Setup{Dim: dim, Horizon: 3, Bound: 1, Alpha: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	sd := opened.(*secureTree).SD()
	if err := fresh.Varies(1, func(run int) (row []float64, err error) {
		var x privacy.Stream[privacy.Sums]
		mechanismtest.WithSource(run, func() { x = opened.Start(nil) })
		for range 2 { // a prefix of one row or two has one node
			record := privacy.Row(make([]float64, dim))
			if _, err := x.Add(record); err != nil {
				return nil, err
			}
			sums := x.Release().Packed
			for i, p := 0, 0; p < len(sums); i++ {
				for j := range i + 1 {
					v := sums[p] / sd
					if j == i { // twice the variance
						v /= math.Sqrt2
					}
					row = append(row, v)
					p++
				}
			}
		}
		return row, nil
	}); err != nil {
		t.Error(err)
	}
}
