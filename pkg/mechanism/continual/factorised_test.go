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

// impulses runs the rows 1..n-1 of a horizon of n through an accumulator whose i-th matrix of fresh
// noise is replaced by the i-th unit vector, and returns B: row t is what the release after t rows,
// the shift apart, holds of each fresh matrix.
func impulses(t *testing.T, acc *mechanismtest.Player[privacy.Sums], horizon, drawn int) (*mat.Dense, *factorised) {
	t.Helper()
	dim := 2
	for dim*(dim+1)/2 < drawn {
		dim++
	}
	if err := acc.Open(privacy.Setup{Dim: dim, Horizon: horizon, Bound: 1, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	f := shared(acc)
	f.like.Shift = 0
	i := 0
	acc.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) {
		clear(dst)
		dst[i] = 1
		i++
	}))
	b := mat.NewDense(horizon-1, drawn, nil)
	zero, release := make([]float64, dim), make([]float64, dim*(dim+1)/2)
	for r := range horizon - 1 {
		if err := addRow(acc, zero); err != nil {
			t.Fatal(err)
		}
		acc.Release().Read(release)
		b.SetRow(r, release[:drawn])
	}
	if i != drawn {
		t.Fatalf("%d matrices of fresh noise, want %d", i, drawn)
	}
	return b, f
}

// lowerToeplitz returns the lower triangular matrix of coefficients.
func lowerToeplitz(coefficients []float64) *mat.Dense {
	n := len(coefficients)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			m.Set(i, j, coefficients[i-j])
		}
	}
	return m
}

// agree compares what the streaming mechanism did, B with a column for each fresh matrix, with the
// dense factorisation of C: B itself with A C^-1, the covariance B B^T with A C^-1 C^-T A^T; the
// largest column norm of C with the claim's, and the largest standard deviation with rowNorm.
func agree(t *testing.T, b, c *mat.Dense, f *factorised) {
	t.Helper()
	n, _ := b.Dims()
	var inverse, dense, want, got mat.Dense
	if err := inverse.Inverse(c); err != nil {
		t.Fatal(err)
	}
	dense.Mul(ones(n), &inverse)
	want.Mul(&dense, dense.T())
	got.Mul(b, b.T())
	if e := distance(b, &dense); e > 1e-10 {
		t.Errorf("%d rows: B is off by %v", n, e)
	}
	if e := distance(&got, &want); e > 1e-10 {
		t.Errorf("%d rows: the covariance of the noise is off by %v", n, e)
	}
	for rows := 1; rows <= n; rows += 1 + rows/3 {
		sensitive(t, c.Slice(0, rows, 0, rows), f.plan(rows, 0).Cases[0][0].Sensitivity.L2/f.sensitivity())
	}
	sensitive(t, c, f.plan(privacy.All, 0).Cases[0][0].Sensitivity.L2/f.sensitivity())
	wide(t, b, f)
}

// sensitive compares the largest column norm of C with a bound on it.
func sensitive(t *testing.T, c mat.Matrix, bound float64) {
	t.Helper()
	var longest float64
	_, columns := c.Dims()
	for j := range columns {
		longest = max(longest, mat.Norm(mat.NewVecDense(columnOf(c, j)), 2))
	}
	if bound < longest || bound > longest*(1+1e-9) {
		t.Errorf("the column norm is %v, dense algebra %v", bound, longest)
	}
}

func columnOf(m mat.Matrix, j int) (int, []float64) {
	column := mat.Col(nil, j, m)
	return len(column), column
}

// wide compares the largest row norm of B with rowNorm.
func wide(t *testing.T, b *mat.Dense, f *factorised) {
	t.Helper()
	var widest float64
	rows, _ := b.Dims()
	for i := range rows {
		widest = max(widest, mat.Norm(b.RowView(i), 2))
	}
	if norm := f.by.rowNorm(); norm < widest*(1-1e-14) || norm > widest*(1+2e-9) {
		t.Errorf("%d rows: the row norm is %v, dense algebra %v", rows, norm, widest)
	}
}

// ones returns A.
func ones(n int) *mat.Dense {
	coefficients := make([]float64, n)
	for i := range coefficients {
		coefficients[i] = 1
	}
	return lowerToeplitz(coefficients)
}

func distance(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return max(mat.Max(&d), -mat.Min(&d))
}

// factorisations makes one of each for a budget.
func factorisations(b privacy.Budget) map[string]*mechanismtest.Player[privacy.Sums] {
	return map[string]*mechanismtest.Player[privacy.Sums]{
		"honaker": mechanismtest.Played(Honaker{Budget: b}), "square root": mechanismtest.Played(SquareRoot{Budget: b}), "blt": mechanismtest.Played(BLT{Budget: b}), "blt of one": mechanismtest.Played(BLT{Budget: b, Buffers: 1}),
	}
}

// shared returns what the factorisations have in common.
func shared(acc *mechanismtest.Player[privacy.Sums]) *factorised {
	of, _ := acc.Opened.(*factorised)
	return of
}

// TestMaxSD holds the largest standard deviations at T = 20,000 to what is known of them, in units
// of L~^2/mu, and measures that of an accumulator as its bounds see it.
func TestMaxSD(t *testing.T) {
	s := privacy.Setup{Dim: 6, Horizon: 20_000, Bound: math.Sqrt2, Alpha: 1. / 20_000}
	mu, err := budget.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	g := nodes[*gaussian](t, Gaussian{Budget: budget}, s)
	inTree := 0.0
	for row := 1; row < s.Horizon; row++ {
		inTree = max(inTree, math.Sqrt(float64(len(PrefixNodes(row))))*g.SD()*mu/2)
	}
	expect.Near(t, "the tree's", inTree, math.Sqrt(15*14), 1e-9)
	for _, padded := range []bool{false, true} {
		for _, calibration := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
			for _, horizon := range []int{1, 2, 3, 7, 8, 9, 1000, 20_000} {
				of := mechanismtest.Played(Tree{Noise: Gaussian{Budget: budget, Calibration: calibration, Padded: padded}})
				if err := of.Open(privacy.Setup{Dim: 6, Horizon: horizon, Bound: 3, Alpha: 0.1}); err != nil {
					t.Fatal(err)
				}
				most, node := 1, of.Opened.(*tree).noise.(*gaussian)
				for row := 1; row < horizon; row++ {
					most = max(most, len(PrefixNodes(row)))
				}
				if padded {
					most, _ = node.Levels()
				}
				expect.Near(t, fmt.Sprintf("a tree's, n = %d, %v, padded: %v", horizon, calibration, padded),
					of.Opened.(*tree).MaxSD(), node.SD()*mu/9*math.Sqrt(float64(most)), 1e-12)
			}
		}
	}
	if w := mechanismtest.Played(Tree{Noise: Wishart{Budget: budget}}); w.Open(s) != nil || !math.IsNaN(w.Opened.(*tree).MaxSD()) {
		t.Errorf("a Wishart tree's largest standard deviation is %v, want NaN", w.Opened.(*tree).MaxSD())
	}
	for name, want := range map[string]float64{"honaker": 10.010, "square root": 4.2186, "blt": 4.228} {
		acc := factorisations(budget)[name]
		if err := acc.Open(s); err != nil {
			t.Fatal(err)
		}
		f := shared(acc)
		expect.Near(t, name, f.MaxSD(), want, 1e-3)
		expect.Near(t, name+" in the accumulator's units", f.SD()*f.by.rowNorm()*mu/2, f.MaxSD(), 1e-12)
		if name != "honaker" && f.MaxSD() > inTree/3 {
			t.Errorf("%s: the largest standard deviation is %v, want at most a third of the tree's %v", name, f.MaxSD(), inTree)
		}
	}
}

// TestFactorisationNoise draws the noise of 60 releases 6000 times, and compares the covariance of
// releases 37 and 60, on the diagonal and off it, with B B^T; the mean is 0, and entries are
// uncorrelated. Each of 14 numbers an accumulator fails beyond 5 standard errors: 4e-5 false alarms
// over seeds in all; the seed is fixed.
func TestFactorisationNoise(t *testing.T) {
	const draws, n, z = 6000, 61, 5
	for name := range factorisations(budget) {
		twin := factorisations(budget)[name]
		drawn := n - 1
		if name == "honaker" {
			drawn += finished(n - 1)
		}
		b, _ := impulses(t, twin, n, drawn)
		var covariance mat.Dense
		covariance.Mul(b, b.T())

		acc := factorisations(budget)[name]
		if err := acc.Open(privacy.Setup{Dim: 2, Horizon: n, Bound: 1.5, Alpha: 1}); err != nil {
			t.Fatal(err)
		}
		f := shared(acc)
		f.like.Shift = 0
		source := random.Source(1, 0, name)
		var mean, square [6]float64 // release 37's three entries and release 60's
		var cross [3]float64
		var across [2]float64
		release, early := make([]float64, 3), make([]float64, 3)
		for range draws {
			acc.Start(privacy.NewNoise(source))
			for row := 1; row < n; row++ {
				if err := addRow(acc, []float64{0, 0}); err != nil {
					t.Fatal(err)
				}
				if row == 37 {
					acc.Release().Read(early)
				}
			}
			acc.Release().Read(release)
			for i := range 3 {
				mean[i] += early[i]
				square[i] += early[i] * early[i]
				mean[3+i] += release[i]
				square[3+i] += release[i] * release[i]
				cross[i] += early[i] * release[i]
			}
			across[0] += release[0] * release[1]
			across[1] += release[0] * release[2]
		}
		root := math.Sqrt(draws)
		sd := func(row, entry int) float64 {
			s := f.SD() * math.Sqrt(covariance.At(row-1, row-1))
			if entry != 1 {
				s *= math.Sqrt2
			}
			return s
		}
		for i := range 6 {
			s := sd([]int{37, 60}[i/3], i%3)
			if m := mean[i] / draws / s; math.Abs(m) > z/root {
				t.Errorf("%s: the mean of number %d is %v standard deviations", name, i, m)
			}
			if v := square[i] / draws / s / s; math.Abs(v-1) > z*math.Sqrt2/root {
				t.Errorf("%s: number %d has a variance %v times what it should", name, i, v)
			}
		}
		rho := covariance.At(36, 59) / math.Sqrt(covariance.At(36, 36)*covariance.At(59, 59))
		for i, c := range cross {
			if r := c / draws / sd(37, i) / sd(60, i); math.Abs(r-rho) > z*math.Sqrt(1+rho*rho)/root {
				t.Errorf("%s: releases 37 and 60 have the correlation %v in entry %d, want %v", name, r, i, rho)
			}
		}
		for i, c := range across {
			if r := c / draws / sd(60, 0) / sd(60, i+1); math.Abs(r) > z/root {
				t.Errorf("%s: entries 0 and %d have the correlation %v", name, i+1, r)
			}
		}
	}
}

// TestFactorisationsRefuse: what cannot be built is an error that says why.
func TestFactorisationsRefuse(t *testing.T) {
	s := privacy.Setup{Dim: 2, Horizon: 100, Bound: 1, Alpha: 0.1}
	for _, buffers := range []int{-1, 17, 1 << 40} {
		expect.Error(t, "buffers", mechanismtest.Played(BLT{Budget: budget, Buffers: buffers}).Open(s), "BLT.Buffers = ", "want in [1, 16]")
	}
	long := s
	long.Horizon = 1<<17 + 1
	expect.Error(t, "square root", mechanismtest.Played(SquareRoot{Budget: budget}).Open(long), "131073", "want <= 131072", "use BLT")
	long.Horizon = 1e10 + 1
	expect.Error(t, "blt", mechanismtest.Played(BLT{Budget: budget}).Open(long), "10000000001", "want <= 1e+10")
	expect.Error(t, "square root", mechanismtest.Played(SquareRoot{Budget: budget}).Open(long), "use BLT")
	if err := mechanismtest.Played(Honaker{Budget: budget}).Open(long); err != nil {
		t.Errorf("honaker over 1e10 rounds: %v", err)
	}
}

// TestFactorisationsDoNotAllocate: a round, Add and Read, in the steady state.
func TestFactorisationsDoNotAllocate(t *testing.T) {
	for name, acc := range factorisations(budget) {
		allocatesNothing(t, name, acc)
	}
}

func allocatesNothing(t *testing.T, name string, acc *mechanismtest.Player[privacy.Sums]) {
	if err := acc.Open(privacy.Setup{Dim: 6, Horizon: 10_000, Bound: 1, Alpha: 0.1}); err != nil {
		t.Fatal(err)
	}
	acc.Start(privacy.NewNoise(mechanismtest.Source()))
	row, release := privacy.Row([]float64{0.5, 0, 0, 0, 0, 0.1}), make([]float64, 21)
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := acc.Add(row); err != nil {
			t.Fatal(err)
		}
		acc.Release().Read(release)
	}); n != 0 {
		t.Errorf("%s: %v allocations a round", name, n)
	}
}
