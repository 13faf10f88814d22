package continual

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/mechanismtest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// everyRow is a growth that releases after every row.
const everyRow = 1e-9

// TestLogCoefficients compares the recurrence with numpy: a Fourier transform of c(z) and b(z) on a
// circle inside the unit disc.
func TestLogCoefficients(t *testing.T) {
	for _, c := range []struct {
		powers logPowers
		b, c   map[int]float64
	}{
		{logSeldom,
			map[int]float64{0: 1, 1: 0.3125, 2: 0.275390625, 3: 0.247733109086, 7: 0.195117329505, 999: 0.04528702130845352},
			map[int]float64{1: 0.6875, 2: 0.509765625, 5: 0.285969261181, 999: 0.005789742455269394}},
		{logOften,
			map[int]float64{0: 1, 1: 0.25, 2: 0.214583333333, 3: 0.188298611111, 7: 0.138974011349, 999: 0.020305708408102807},
			map[int]float64{1: 0.75, 2: 0.597916666667, 5: 0.38610698268, 999: 0.014935232730183367}},
	} {
		b, column := c.powers.coefficients(1024)
		for k, want := range c.b {
			expect.Near(t, fmt.Sprintf("%+v: b_%d", c.powers, k), b[k], want, 1e-10)
		}
		for k, want := range c.c {
			expect.Near(t, fmt.Sprintf("%+v: c_%d", c.powers, k), column[k], want, 1e-10)
		}
	}
}

// TestLogNorm: the norm of C is that of scipy's quadrature of |c|^2 over the unit circle, rounded
// up by a millionth, and the columns of finite blocks approach it from below. What 2^17
// coefficients lack is close to the integral of the leading term. Coefficients are positive, and
// those of C fall, as roundingMargin asks.
func TestLogNorm(t *testing.T) {
	for powers, scipy := range map[logPowers]float64{logSeldom: 2.902401690357, logOften: 6.263316000328} {
		if over := powers.norm/math.Sqrt(scipy) - 1; over < 2e-7 || over > 2e-6 {
			t.Errorf("%+v: the norm is %v above sqrt(%v), want rounded up by a millionth", powers, over, scipy)
		}
		const n = 1 << 17
		b, c := powers.coefficients(n)
		for k := range c[1:] {
			if !(c[k+1] > 0 && c[k+1] < c[k] && b[k+1] > 0) {
				t.Fatalf("%+v: c_%d = %v after %v, want falling and > 0, and b = %v > 0", powers, k+1, c[k+1], c[k], b[k+1])
			}
		}
		columns := norms(c)
		lack, tail := scipy-columns[n-1]*columns[n-1], 0.0
		for u := math.Log(n); u < 1e5; u *= 1.001 { // from u to 1.001 u
			at := 1.0005*u + 2 // Euler's gamma and 2 ln 2 shift u, by about 2
			square := math.Log(at*at + math.Pi*math.Pi/4)
			tail += math.Pow(at*at+math.Pi*math.Pi/4, powers.gamma) * math.Pow(square*square, powers.delta) / math.Pi * 0.001 * u
		}
		if !(lack > 0) || math.Abs(tail/lack-1) > 0.25 {
			t.Errorf("%+v: 2^17 coefficients lack %v of the norm's square, the leading term has %v", powers, lack, tail)
		}
	}
}

// TestUnboundedAgainstItsMatrix compares the streaming noise, exactly and not by sampling, with
// dense algebra: B C is the lower triangular matrix of ones over the releases.
func TestUnboundedAgainstItsMatrix(t *testing.T) {
	for _, c := range []struct {
		horizon int
		growth  float64
	}{{2, everyRow}, {3, 0}, {70, everyRow}, {300, everyRow}, {300, 0.02}, {100_000, 0}, {100_000, 1}} {
		const dim = 24 // 300 numbers in a release
		m, err := Unbounded{Budget: budget, Growth: c.growth}.Open(privacy.Setup{Dim: dim, Horizon: c.horizon, Bound: 1, Alpha: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		u := m.(*unbounded)
		n, drawn := len(u.kernel.ends), 0
		run := u.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) {
			clear(dst)
			dst[drawn] = 1
			drawn++
		}))
		b, at := mat.NewDense(n, n, nil), 0
		zero := privacy.Row(make([]float64, dim))
		for row := 1; row < c.horizon; row++ {
			moved, err := run.Add(zero)
			if err != nil {
				t.Fatal(err)
			}
			if moved != (at < n && u.kernel.ends[at] == row) {
				t.Fatalf("%+v: moved is %v after %d rows, want releases after %v", c, moved, row, u.kernel.ends)
			}
			if moved {
				b.SetRow(at, run.Release().Packed[:n])
				at++
			}
		}
		if drawn != n || at != n {
			t.Fatalf("%+v: %d draws and %d releases, want %d", c, drawn, at, n)
		}
		powers := logSeldom
		if c.growth == everyRow {
			powers = logOften
		}
		_, column := powers.coefficients(length(n))
		dense := lowerToeplitz(column[:n])
		var product mat.Dense
		product.Mul(b, dense)
		if e := distance(&product, ones(n)); e > 1e-12 {
			t.Errorf("%+v: B C is off by %v", c, e)
		}
		for k, end := range u.kernel.ends {
			sensitive(t, dense.Slice(0, k+1, 0, k+1), u.plan(end, 0).Cases[0][0].Sensitivity.L2/u.sensitivity())
			if k+1 < n && u.plan(u.kernel.ends[k+1]-1, 0).Cases[0][0].Sensitivity != u.plan(end, 0).Cases[0][0].Sensitivity {
				t.Errorf("%+v: the plan grows before a release", c)
			}
			expect.Near(t, "a row's norm", u.kernel.rows[k], mat.Norm(b.RowView(k), 2), 1e-12)
		}
		wide(t, b, u.factorised)
	}
}

// TestUnboundedForgetsTheHorizon: one stream of noise gives the same releases, shifts and bounds,
// bit for bit, for horizons of n and 4n.
func TestUnboundedForgetsTheHorizon(t *testing.T) {
	for _, growth := range []float64{0, 1. / 64, everyRow} {
		for _, n := range []int{3, 40, 600, 5000} {
			var runs [2]privacy.Stream[privacy.Sums]
			for i := range runs {
				m, err := Unbounded{Budget: budget, Growth: growth}.Open(privacy.Setup{Dim: 3, Horizon: n << (2 * i), Bound: 1, Alpha: 1e-6})
				if err != nil {
					t.Fatal(err)
				}
				runs[i] = m.Start(privacy.NewNoise(random.Source(7, 0, "noise")))
			}
			for row := range n - 1 {
				for _, run := range runs {
					if err := addTo(run, []float64{0.5, 0.1, float64(row%3) / 4}); err != nil {
						t.Fatal(err)
					}
				}
				a, b := runs[0].Release(), runs[1].Release()
				if a.Shift != b.Shift || a.Bounds != b.Bounds || a.Least != b.Least || fmt.Sprint(a.Packed) != fmt.Sprint(b.Packed) {
					t.Fatalf("growth %v: after %d rows of %d the release is %+v, of %d %+v", growth, row+1, n, a, 4*n, b)
				}
			}
		}
	}
}

// TestUnboundedBounds: bounds grow with the noise from release to release and are those of
// symmetricUpsilon, and the shift is twice the bound on the operator norm. Least holds throughout.
func TestUnboundedBounds(t *testing.T) {
	s := privacy.Setup{Dim: 6, Horizon: 2000, Bound: math.Sqrt2, Alpha: 1e-3}
	m, err := Unbounded{Budget: budget}.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	u := m.(*unbounded)
	mu, err := budget.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	expect.Near(t, "the largest standard deviation", u.MaxSD(), u.sd*u.kernel.rows[len(u.kernel.rows)-1]*mu/2, 1e-8)
	run := m.Start(privacy.NewNoise(mechanismtest.Source()))
	before, k, failed := run.Release().Bounds, 0, 0.0
	for range s.Horizon - 1 {
		moved, err := run.Add(privacy.Row(make([]float64, s.Dim)))
		if err != nil {
			t.Fatal(err)
		}
		r := run.Release()
		if !moved {
			if r.Bounds != before {
				t.Fatalf("the bounds move without a release")
			}
			continue
		}
		k++
		failed += s.Alpha / float64(2*k*(k+1))
		sd := u.sd * u.kernel.rows[k-1]
		want := sd * (2*math.Sqrt(5) + 2*math.Sqrt(math.Log(8*float64(k*(k+1))/s.Alpha)))
		expect.Near(t, "rho_min", r.Bounds.RhoMin, want, 1e-12)
		expect.Near(t, "rho_max", r.Bounds.RhoMax, 3*want, 1e-12)
		expect.Near(t, "the shift", r.Shift, 2*want, 1e-12)
		if r.Bounds.RhoMin < before.RhoMin || r.Least > r.Bounds.RhoMin || r.Least != run.(*unboundedRun).like.Least {
			t.Fatalf("release %d: rho_min = %v after %v, least %v", k, r.Bounds.RhoMin, before.RhoMin, r.Least)
		}
		if bounds := r.Spread.Bounds(2 * u.sd); -r.Spread.Low < 0.8*want || bounds.RhoMin > bounds.RhoMax {
			t.Fatalf("release %d: the spread %+v is less than the noise's bound %v", k, r.Spread, want)
		}
		before = r.Bounds
	}
	if failed > s.Alpha/2 {
		t.Errorf("the bounds fail with probability %v, want at most %v", failed, s.Alpha/2)
	}
}

// TestUnboundedWithoutNoise: at epsilon = +Inf a release is the sum of its rows, which are not
// shown one by one.
func TestUnboundedWithoutNoise(t *testing.T) {
	m, err := Unbounded{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Growth: 1}.Open(privacy.Setup{Dim: 2, Horizon: 20, Bound: 2, Alpha: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	run, sum, shown := m.Start(mechanismtest.Unused()), 0.0, 0.0
	for row := 1; row < 20; row++ {
		x := float64(row) / 20
		sum += x * x
		moved, err := run.Add(privacy.Row([]float64{x, 0.5}))
		if err != nil {
			t.Fatal(err)
		}
		if moved {
			shown = sum
		}
		if moved != (row&(row-1) == 0) {
			t.Errorf("moved is %v after %d rows, want releases after powers of two", moved, row)
		}
		if r := run.Release(); math.Abs(r.Packed[0]-shown) > 1e-12 || r.Row != nil || r.Exact || r.Shift != 1 {
			t.Errorf("after %d rows: %+v, want the sum %v with shift 1", row, r, shown)
		}
	}
}

// TestUnboundedNumbers holds the numbers of Unbounded's comment, the largest standard deviations
// |C| |B|, and compares releases 50 and 100 with numpy. With a release for every row, 2^20 rows
// have at most 1.491 times the variance of the square root that is calibrated for 2^24 rows, as
// numpy has. The paper has less than 1.5 up to 2^24.
func TestUnboundedNumbers(t *testing.T) {
	ends := growing(unboundedGrowth, 49_999_999)
	kernel := newLogKernel(ends, logSeldom)
	for rows, want := range map[int]struct {
		releases int
		sd       float64
	}{1_000: {30, 2.36}, 100_000: {51, 2.54}, 49_999_999: {79, 2.70}} {
		k := kernel.finished(rows)
		t.Logf("%d rows: %d releases, largest standard deviation %.4f", rows, k, logSeldom.norm*kernel.rows[k-1])
		if k != want.releases {
			t.Errorf("%d rows: %d releases, want %d", rows, k, want.releases)
		}
		expect.Near(t, "the largest standard deviation", logSeldom.norm*kernel.rows[k-1], want.sd, 3e-3)
	}
	b, _ := logSeldom.coefficients(128)
	expect.Near(t, "at release 50", logSeldom.norm*norms(b)[49], 2.5306, 5e-5)
	expect.Near(t, "at release 100", logSeldom.norm*norms(b)[99], 2.8003, 5e-5)
	const n = 1 << 20
	b, _ = logOften.coefficients(n)
	rows, root, f, worst, most := norms(b), 0.0, 1.0, 0.0, rootMaxSD(1<<24)
	for k := range n {
		root += f * f
		f *= float64(2*k+1) / float64(2*k+2)
		ours := logOften.norm * rows[k]
		if worst = max(worst, ours*ours/(root*most)); k == 1<<17-1 {
			expect.Near(t, "every row's variance over the square root's, up to 2^17", worst, 1.1838, 1e-4)
		}
	}
	expect.Near(t, "and up to 2^20", worst, 1.491, 1e-3)
}

func TestUnboundedRefuses(t *testing.T) {
	s := privacy.Setup{Dim: 2, Horizon: 100, Bound: 1, Alpha: 0.1}
	for _, growth := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
		expect.Error(t, "growth", mechanismtest.Played(Unbounded{Budget: budget, Growth: growth}).Open(s), "Unbounded.Growth = ", "want in (0, 1]")
	}
	s.Horizon = 1<<20 + 2
	expect.Error(t, "releases", mechanismtest.Played(Unbounded{Budget: budget, Growth: everyRow}).Open(s), "Unbounded.Growth = 1e-09", "1048578 rounds", "more than 1048576 releases")
	s.Horizon = math.MaxInt
	if err := mechanismtest.Played(Unbounded{Budget: budget}).Open(s); err != nil {
		t.Errorf("over all rounds that an int counts: %v", err)
	}
}

// TestUnboundedDoesNotAllocate: a round, Add and Release, in the steady state.
func TestUnboundedDoesNotAllocate(t *testing.T) {
	for _, growth := range []float64{0, everyRow} {
		allocatesNothing(t, fmt.Sprintf("growth %v", growth), mechanismtest.Played(Unbounded{Budget: budget, Growth: growth}))
	}
}
