package mechanism

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/fresh"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// securely describes a secure mechanism.
type securely interface {
	Open() (Calibrated[Secure], error)
}

// begun returns a run of a secure mechanism.
func begun[Run Secure](t interface{ Fatal(...any) }, of securely) Run {
	opened, err := of.Open()
	if err != nil {
		t.Fatal(err)
	}
	return opened.Start(nil).(Run)
}

var addRemoved = privacy.Neighbours{Relation: privacy.AddRemove, Record: "row", Contributions: 1}

// TestSecureIsTheSystems: without the tests' hook, the noise comes from the system.
func TestSecureIsTheSystems(t *testing.T) {
	if _, ok := lattice.SystemSource().(*random.System); !ok {
		t.Fatalf("secure noise comes from a %T", lattice.SystemSource())
	}
	for _, of := range []securely{
		SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: 3, Bound: 1},
		SecureLaplace{Epsilon: 1, Dim: 3, Bound: 1},
	} {
		dst := make([]float64, 3)
		var seen [2][]float64
		var s Secure
		for i := range seen {
			opened, err := of.Open()
			if err != nil {
				t.Fatal(err)
			}
			s = opened.Start(nil)
			if err := s.Release(dst); err != nil {
				t.Fatal(err)
			}
			seen[i] = append(seen[i], dst...)
		}
		// three coordinates of a thousand likely values each: false alarm below 1e-8
		if fmt.Sprint(seen[0]) == fmt.Sprint(seen[1]) {
			t.Errorf("%T: two runs have the same noise %v", s, seen[0])
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = s.Add(dst); _ = s.Release(dst) }); n != 0 {
			t.Errorf("%T: %v allocations a release", s, n)
		}
	}
}

// TestEachSecureSumIsNoised: in every run the first sum and the second, and each of their numbers,
// have as much noise as any other, and noise of their own. The seeds are fixed.
func TestEachSecureSumIsNoised(t *testing.T) {
	for _, of := range []securely{
		SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-3}, Dim: 2, Bound: 1, Grid: 0.5},
		SecureLaplace{Epsilon: 1, Dim: 2, Bound: 1, Grid: 0.5},
	} {
		opened, err := of.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := fresh.Check(func(run int) (row []float64, err error) {
			var s Secure
			mechanismtest.WithSource(run, func() { s = opened.Start(nil) })
			row = make([]float64, 4)
			for _, dst := range [][]float64{row[:2], row[2:]} {
				if err := errors.Join(s.Add([]float64{0.5, -0.5}), s.Release(dst)); err != nil {
					return nil, err
				}
			}
			return row, nil
		}); err != nil {
			t.Errorf("%T: %v", of, err)
		}
	}
}

// TestSecureLaws: a release less the exact sum of the rounded records has the discrete law of the
// claim's event, on the grid.
func TestSecureLaws(t *testing.T) {
	gaussian := SecureGaussian{Budget: privacy.Budget{Epsilon: 2, Delta: 1e-3}, Dim: 2, Bound: 2.5, Grid: 0.5}
	laplace := SecureLaplace{Epsilon: 2, Dim: 2, Bound: 2.5, Grid: 0.5, Neighbours: addRemoved}
	// Each record is clipped, (3, -4) to (1.5, -2) in L2 and to (1.07, -1.43) in L1, then rounded to
	// halves.
	for i, c := range []struct {
		of     securely
		want   []float64
		weight func(s Secure, z float64) float64
	}{
		{gaussian, []float64{3, -4}, func(s Secure, z float64) float64 {
			sigma := privacy.ClaimOf(s).Event().(account.DiscreteGaussianEvent).Sigma
			return math.Exp(-z * z / (2 * sigma * sigma))
		}},
		{laplace, []float64{2, -3}, func(s Secure, z float64) float64 {
			return math.Exp(-math.Abs(z) / privacy.ClaimOf(s).Event().(account.DiscreteLaplaceEvent).Scale)
		}},
	} {
		var s Secure
		mechanismtest.WithSource(i, func() { s = begun[Secure](t, c.of) })
		const n, reach = 100_000, 40
		counts, p := make([]int, 2*reach+1), make([]float64, 2*reach+1)
		dst := make([]float64, 2)
		for range n {
			for range 2 {
				if err := s.Add([]float64{3, -4}); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Release(dst); err != nil {
				t.Fatal(err)
			}
			for j, x := range dst {
				step := (x - c.want[j]) / 0.5
				if step != math.Trunc(step) {
					t.Fatalf("%T: %v is not on the grid", s, x)
				}
				counts[max(0, min(2*reach, int(step)+reach))]++
			}
		}
		var sum float64
		for z := -400; z <= 400; z++ {
			w := c.weight(s, float64(z))
			sum += w
			p[max(0, min(2*reach, z+reach))] += w
		}
		for j := range p {
			p[j] /= sum
		}
		// Merge cells of fewer than 20 expected draws into their neighbour on the inside.
		lo, hi := 0, 2*reach
		for ; p[lo]*2*n < 20; lo++ {
			p[lo+1] += p[lo]
			counts[lo+1] += counts[lo]
		}
		for ; p[hi]*2*n < 20; hi-- {
			p[hi-1] += p[hi]
			counts[hi-1] += counts[hi]
		}
		if v := chiSquare(counts[lo:hi+1], p[lo:hi+1]); v < rareAlarm {
			t.Errorf("%T: %v, p = %.2g", s, counts[lo:hi+1], v)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		draws := privacy.PlanOf(s, privacy.All).Draws
		if draws[0].Count != n {
			t.Errorf("%T: %v, want %d draws", s, draws, n)
		}
	}
}

// TestSecureSensitivity: whatever is added, the change of the integer sum is within what the event
// says, in exact arithmetic.
func TestSecureSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		bound := rapid.Float64Range(0.3, 1000).Draw(t, "bound")
		grid := math.Ldexp(1, rapid.IntRange(-16, 1).Draw(t, "log2 grid"))
		coordinate := rapid.OneOf(rapid.Float64Range(-2*bound, 2*bound), rapid.Float64(),
			rapid.Map(rapid.IntRange(-1000, 1000), func(i int) float64 { return (float64(i) + 0.5) * grid }),
			rapid.Just(bound), rapid.Just(bound/math.Sqrt(float64(dim))), rapid.Just(math.MaxFloat64), rapid.Just(0.0))
		record := rapid.SliceOfN(coordinate, dim, dim)
		ofG := SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: dim, Bound: bound, Grid: grid}
		ofL := SecureLaplace{Epsilon: 1, Dim: dim, Bound: bound, Grid: grid}
		if _, err := ofG.Open(); err != nil {
			t.Skip("all rounds to 0")
		}
		if _, err := ofL.Open(); err != nil {
			t.Skip("all rounds to 0")
		}
		g, l := begun[*secureGaussianRun](t, ofG), begun[*secureLaplaceRun](t, ofL)
		a, b := record.Draw(t, "a"), record.Draw(t, "b")
		difference := func(m Secure, s *secureRun) []int64 {
			if err := m.Add(a); err != nil {
				t.Fatal(err)
			}
			d := append([]int64(nil), s.sum...)
			clear(s.sum)
			if err := m.Add(b); err != nil {
				t.Fatal(err)
			}
			for i := range d {
				d[i] -= s.sum[i]
			}
			return d
		}
		square, magnitude := new(big.Int), int64(0)
		for _, z := range difference(g, &g.secureRun) {
			square.Add(square, new(big.Int).Mul(big.NewInt(z), big.NewInt(z)))
		}
		for _, z := range difference(l, &l.secureRun) {
			magnitude += max(z, -z)
		}
		// (2 R)^2 as an integer, which the event's Sensitivity is the root of.
		limit := new(big.Int).Mul(big.NewInt(4), new(big.Int).SetUint64(g.square))
		if square.Cmp(limit) > 0 {
			t.Fatalf("replacing %v by %v moves the sum by sqrt(%v) steps, want sqrt(%v) at most", a, b, square, limit)
		}
		if e := privacy.ClaimOf(g).Event().(account.DiscreteGaussianEvent).Sensitivity; math.Abs(e*e/(4*float64(g.square))-1) > 1e-14 {
			t.Fatalf("the event's sensitivity is %v, want 2 sqrt(%d)", e, g.square)
		}
		if most := privacy.ClaimOf(l).Event().(account.DiscreteLaplaceEvent).Sensitivity; magnitude > most {
			t.Fatalf("replacing %v by %v moves the sum by %v steps, want %v at most", a, b, magnitude, most)
		}
		// And no more is charged than sqrt(dim) and dim steps for two roundings.
		if most := 2*bound/grid + math.Sqrt(float64(dim)); 2*math.Sqrt(float64(g.square)) > most*(1+1e-12) {
			t.Fatalf("the L2 sensitivity is %v steps, want %v at most", 2*math.Sqrt(float64(g.square)), most)
		}
		if most := 2*bound/grid + float64(dim); float64(2*l.radius) > most*(1+1e-12) {
			t.Fatalf("the L1 sensitivity is %v steps, want %v at most", 2*l.radius, most)
		}
	})
	// The charge is needed: 2 records of norm 1.5 sqrt(2) < 2.13 round to (2, 2) and (-2, -2), 5.66
	// apart and not 4.26.
	g := begun[*secureGaussianRun](t, SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: 2, Bound: 2.13, Grid: 1})
	if err := g.Add([]float64{1.502, 1.502}); err != nil || g.sum[0] != 2 || g.sum[1] != 2 {
		t.Errorf("(1.502, 1.502) is added as %v, %v", g.sum, err)
	}
	l := begun[*secureLaplaceRun](t, SecureLaplace{Epsilon: 1, Dim: 2, Bound: 3.02, Grid: 1})
	if err := l.Add([]float64{1.505, 1.505}); err != nil || l.sum[0] != 2 || l.sum[1] != 2 {
		t.Errorf("(1.505, 1.505) is added as %v, %v", l.sum, err)
	}
	// The integers are held to their bound whatever the clipping before them lets through.
	g.bound, l.bound = 100, 100
	clear(g.sum)
	clear(l.sum)
	for _, s := range []Secure{g, l} {
		if err := s.Add([]float64{60, -9}); err != nil {
			t.Fatal(err)
		}
	}
	if sum := g.sum[0]*g.sum[0] + g.sum[1]*g.sum[1]; sum == 0 || uint64(sum) > g.square {
		t.Errorf("a record of %v steps is added, want %d at most in squared norm", g.sum, g.square)
	}
	if sum := max(l.sum[0], -l.sum[0]) + max(l.sum[1], -l.sum[1]); sum == 0 || sum > l.radius {
		t.Errorf("a record of %v steps is added, want %d at most in L1 norm", l.sum, l.radius)
	}
}

// TestSecureClaims: the claim is within the budget, next to it, and follows from the event; the
// default grid costs next to nothing.
func TestSecureClaims(t *testing.T) {
	twice := privacy.Neighbours{Relation: privacy.Replace, Record: "row", Contributions: 2}
	for _, n := range []privacy.Neighbours{{}, addRemoved, twice} {
		factor := map[privacy.Neighbours]float64{{}: 2, addRemoved: 1, twice: 4}[n]
		for _, epsilon := range []float64{0.01, 1, 10, 100} {
			for _, dim := range []int{1, 30} {
				b := privacy.Budget{Epsilon: epsilon, Delta: 1e-6}
				g := begun[Secure](t, SecureGaussian{Budget: b, Dim: dim, Bound: 3, Neighbours: n})
				rho, _ := b.ConcentratedRho()
				event := privacy.ClaimOf(g).Event().(account.DiscreteGaussianEvent)
				ratio := event.Sensitivity / event.Sigma
				if ratio*ratio/2 > rho {
					t.Errorf("%v: event of rho = %v, want <= %v", b, ratio*ratio/2, rho)
				}
				if e := privacy.ClaimOf(g).Epsilon(); e > epsilon || e < 0.999*epsilon {
					t.Errorf("%v: claims %v", b, e)
				}
				if exact := factor * 3 / math.Sqrt(2*rho); g.Scale() < exact || g.Scale() > 1.002*exact {
					t.Errorf("%v, %d dimensions, %v: sd %v on the grid, %v without one", b, dim, n, g.Scale(), exact)
				}
				l := begun[Secure](t, SecureLaplace{Epsilon: epsilon, Dim: dim, Bound: 3, Neighbours: n})
				if e := privacy.ClaimOf(l).Epsilon(); e > epsilon || e < 0.999*epsilon {
					t.Errorf("epsilon = %v: claims %v", epsilon, e)
				}
				if exact := factor * 3 / epsilon; l.Scale() < exact || l.Scale() > 1.002*exact {
					t.Errorf("epsilon = %v, %d dimensions, %v: scale %v on the grid, %v without one", epsilon, dim, n, l.Scale(), exact)
				}
			}
		}
	}
}

// TestSecureScales: records, bound and grid doubled double the release, exactly.
func TestSecureScales(t *testing.T) {
	var releases [2][2][]float64
	for i, by := range []float64{1, 2} {
		all := []securely{
			SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: 3, Bound: 0.7 * by},
			SecureLaplace{Epsilon: 1, Dim: 3, Bound: 0.7 * by},
		}
		for j, of := range all {
			var s Secure
			mechanismtest.WithSource(50, func() { s = begun[Secure](t, of) })
			for k := range 10 {
				x := float64(k) / 10 * by
				if err := s.Add([]float64{x, -x / 2, 0.3 * by}); err != nil {
					t.Fatal(err)
				}
			}
			dst := make([]float64, 3)
			if err := s.Release(dst); err != nil {
				t.Fatal(err)
			}
			releases[i][j] = dst
		}
	}
	for j := range 2 {
		for k := range 3 {
			if 2*releases[0][j][k] != releases[1][j][k] {
				t.Errorf("released %v and %v, want twice that", releases[0][j], releases[1][j])
			}
		}
	}
}

func TestSecureRefuses(t *testing.T) {
	b := privacy.Budget{Epsilon: 1, Delta: 1e-6}
	inf, nan := math.Inf(1), math.NaN()
	bad := privacy.Neighbours{Relation: privacy.Replace, Record: "row"}
	crowd := privacy.Neighbours{Relation: privacy.Replace, Record: "row", Contributions: 1 << 40}
	for _, c := range []struct {
		s     securely
		words []string
	}{
		{SecureGaussian{Dim: 1, Bound: 1}, []string{"epsilon = 0"}},
		{SecureGaussian{Budget: privacy.Budget{Epsilon: 1}, Dim: 1, Bound: 1}, []string{"delta = 0"}},
		{SecureGaussian{Budget: privacy.Budget{Epsilon: inf, Delta: 0.1}, Dim: 1, Bound: 1}, []string{"epsilon = +Inf", "noise of zero"}},
		{SecureGaussian{Budget: b, Bound: 1}, []string{"Dim = 0", ">= 1"}},
		{SecureGaussian{Budget: b, Dim: 1}, []string{"Bound = 0", "> 0"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: nan}, []string{"Bound = NaN"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: inf}, []string{"Bound = +Inf"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1e200}, []string{"Bound = 1e+200", "has no grid"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: 0.3}, []string{"Grid = 0.3", "power of two"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: -1}, []string{"Grid = -1", "power of two"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: nan}, []string{"Grid = NaN", "power of two"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: 0x1p-31}, []string{"< 2^31", "coarser grid"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: 0x1p-30}, []string{"<= 2^52", "coarser grid"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Grid: 4}, []string{"rounds to 0 on the grid 4", "noise of zero"}},
		{SecureGaussian{Budget: b, Dim: 1, Bound: 1, Neighbours: bad}, []string{"Contributions = 0"}},
		{SecureLaplace{Epsilon: -1, Dim: 1, Bound: 1}, []string{"epsilon = -1"}},
		{SecureLaplace{Epsilon: inf, Dim: 1, Bound: 1}, []string{"epsilon = +Inf", "noise of zero"}},
		{SecureLaplace{Epsilon: 1, Bound: 1}, []string{"Dim = 0"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: -1}, []string{"Bound = -1"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1, Grid: 3}, []string{"Grid = 3", "power of two"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1, Grid: 0x1p-31}, []string{"< 2^31", "coarser grid"}},
		{SecureLaplace{Epsilon: 1e-6, Dim: 1, Bound: 1, Grid: 0x1p-30}, []string{"<= 2^50", "coarser grid"}},
		{SecureLaplace{Epsilon: 5e-4, Dim: 1, Bound: 1, Grid: 0x1p-30}, []string{"noise of up to", "coarser grid"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1, Grid: 0x1p-20, Neighbours: crowd}, []string{"contributions", "2^53"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1, Grid: 4}, []string{"rounds to 0 on the grid 4", "noise of zero"}},
		{SecureLaplace{Epsilon: 1, Dim: 1, Bound: 1, Neighbours: bad}, []string{"Contributions = 0"}},
	} {
		_, err := c.s.Open()
		expect.Error(t, fmt.Sprintf("%+v", c.s), err, c.words...)
	}
	g := begun[*secureGaussianRun](t, SecureGaussian{Budget: b, Dim: 2, Bound: 1, Grid: 0x1p-20})
	l := begun[*secureLaplaceRun](t, SecureLaplace{Epsilon: 1, Dim: 2, Bound: 1, Grid: 0x1p-20})
	for _, c := range []struct {
		m Secure
		s *secureRun
	}{{g, &g.secureRun}, {l, &l.secureRun}} {
		expect.Error(t, "short", c.m.Add([]float64{1}), "length 1", "want 2")
		expect.Error(t, "NaN", c.m.Add([]float64{0, nan}), "record[1] = NaN")
		expect.Error(t, "Inf", c.m.Add([]float64{inf, 0}), "record[0] = +Inf")
		expect.Error(t, "dst", c.m.Release(make([]float64, 3)), "into 3 numbers, want 2")
		// A sum at the end of its room takes no more, in either direction, and stays as it is.
		for _, sign := range []int64{1, -1} {
			c.s.sum[1] = sign * (c.s.of.room - 100)
			expect.Error(t, "overflow", c.m.Add([]float64{0.5, float64(sign) * 0.5}), "coordinate 1 of the sum", "release sooner")
			if c.s.sum[0] != 0 || c.s.sum[1] != sign*(c.s.of.room-100) || c.s.clipped != 0 {
				t.Errorf("%T: a refused record changed the sum", c.m)
			}
			if err := c.m.Add([]float64{0, float64(-sign) * 0.5}); err != nil {
				t.Errorf("%T: %v", c.m, err)
			}
			clear(c.s.sum)
		}
		if privacy.PlanOf(c.m, privacy.All).Draws[0].Count != 0 || c.m.Check() != nil {
			t.Errorf("%T: refusals drew %v", c.m, privacy.PlanOf(c.m, privacy.All).Draws)
		}
	}
}

func BenchmarkSecure(b *testing.B) {
	for _, dim := range []int{1, 10, 100} {
		record := make([]float64, dim)
		dst := make([]float64, dim)
		for name, of := range map[string]securely{
			"gaussian": SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: dim, Bound: 1},
			"laplace":  SecureLaplace{Epsilon: 1, Dim: dim, Bound: 1},
		} {
			b.Run(fmt.Sprintf("%s/d=%d", name, dim), func(b *testing.B) {
				s := begun[Secure](b, of)
				b.ReportAllocs()
				for b.Loop() {
					_ = s.Add(record)
					_ = s.Release(dst)
				}
			})
		}
	}
}

// TestSecureTakesTheSystemsNoise: a run draws from the noise that it is handed if that is the
// system's, so that a recorded run shows the same again, and from its own if it is seeded.
func TestSecureTakesTheSystemsNoise(t *testing.T) {
	for _, of := range []securely{
		SecureGaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}, Dim: 3, Bound: 1},
		SecureLaplace{Epsilon: 1, Dim: 3, Bound: 1},
	} {
		opened, err := of.Open()
		if err != nil {
			t.Fatal(err)
		}
		released := func(source rand.Source) []float64 {
			run, dst := opened.Start(privacy.NewNoise(source)), make([]float64, 3)
			if err := run.Release(dst); err != nil {
				t.Fatal(err)
			}
			if err := run.Check(); err != nil {
				t.Error(err)
			}
			return dst
		}
		first := new(random.System).Record(nil)
		was := released(first)
		past, _ := first.Words()
		if again := released(new(random.System).Record(past)); !slices.Equal(was, again) {
			t.Errorf("%T: %v the first time, and %v when it is played again", of, was, again)
		}
		// three coordinates of a thousand likely values each: false alarm below 1e-8
		if a, b := released(rand.NewPCG(1, 2)), released(rand.NewPCG(1, 2)); slices.Equal(a, b) {
			t.Errorf("%T: seeded noise gives %v twice", of, a)
		}
	}
}
