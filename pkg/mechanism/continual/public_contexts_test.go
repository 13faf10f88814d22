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

// known is a setup of rows whose contexts are public.
var known = privacy.Setup{Dim: 4, Horizon: 3000, Bound: 2, Context: 1, Alpha: 0.5, Lo: -0.5, Hi: 1}

// TestPublicContextsAgainstTheirMatrix compares releases with dense algebra: when they come, the
// sums, and the noise, which is B z with B C the lower triangular matrix of ones over the phases.
func TestPublicContextsAgainstTheirMatrix(t *testing.T) {
	for _, of := range []PublicContexts{
		{Budget: budget}, {Budget: budget, Growth: 0.1, Ridge: 0.2}, {Budget: budget, Buffers: 3}, {Budget: budget, Growth: 0.25, Buffers: 2},
	} {
		m := expect.Must(of.Open(known)).(*publicContexts)
		drawn, n := 0, 0
		impulse := -1
		run := m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) {
			clear(dst)
			drawn++
		}))
		growth, ridge := m.growth, m.ridge
		v, sum := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
		for i := range 3 {
			v.SetSym(i, i, ridge)
		}
		last := 3 * math.Log(ridge)
		rng := random.New(3, 0, "rows")
		rows := make([][]float64, known.Horizon-1)
		for at := range rows {
			row := make([]float64, 4)
			random.Sphere(rng, row[:3])
			for i := range 3 {
				row[i] *= 0.99 - 0.5*float64(at%2) // no determinant doubles exactly
			}
			row[3] = known.Lo + (known.Hi-known.Lo)*rng.Float64()
			rows[at] = row
			x := mat.NewVecDense(3, row[:3])
			v.SymRankOne(v, 1, x)
			sum.AddScaledVec(sum, row[3], x)
			moved, err := run.Add(privacy.Row(row))
			if err != nil {
				t.Fatal(err)
			}
			var chol mat.Cholesky
			chol.Factorize(v)
			log := chol.LogDet()
			if want := log-last > math.Log1p(growth); moved != want {
				t.Fatalf("%+v: after %d rows moved is %v, want %v: ln det V has grown by %v", of, at+1, moved, want, log-last)
			}
			if !moved {
				continue
			}
			last = log
			n++
			r := run.Release()
			for i := range 3 {
				for j := range i + 1 {
					shift := 0.0
					if i == j {
						shift = r.Shift
					}
					if math.Abs(r.Packed[i*(i+1)/2+j]+shift-v.At(i, j)) > 1e-9 {
						t.Fatalf("%+v: V is off in release %d", of, n)
					}
				}
				if math.Abs(r.Packed[6+i]-sum.AtVec(i)) > 1e-9 {
					t.Fatalf("%+v: the sum of x y is off in release %d", of, n)
				}
			}
			if r.Packed[9] != 0 {
				t.Fatalf("%+v: the sum of y^2 is shown, %v", of, r.Packed[9])
			}
			var eigen mat.EigenSym
			eigen.Factorize(v, false)
			least := eigen.Values(nil)[0]
			k := float64(n)
			want := m.sd * math.Sqrt(m.by.rowSquare(k)) * (math.Sqrt(3) + math.Sqrt(2*math.Log(2*k*(k+1)/known.Alpha))) / math.Sqrt(least)
			if r.Bounds.Gamma < want*(1-1e-9) || r.Bounds.Gamma > 1.02*want || r.Bounds.RhoMin != ridge || r.Bounds.RhoMax != ridge {
				t.Fatalf("%+v: release %d has the bounds %+v, want gamma = %v", of, n, r.Bounds, want)
			}
		}
		if drawn != n || n > m.Releases() || n < 10 {
			t.Fatalf("%+v: %d draws in %d releases, want as many, at least 10 and at most %d", of, drawn, n, m.Releases())
		}
		b := mat.NewDense(n, n, nil)
		for j := range n {
			drawn, impulse = 0, j
			run, at := m.Start(privacy.ScriptedNoise(func(_ privacy.Law, dst []float64) {
				if clear(dst); drawn == impulse {
					dst[1] = 1
				}
				drawn++
			})), 0
			for _, row := range rows {
				zero := append([]float64(nil), row...)
				zero[3] = 0
				if moved := expect.Must(run.Add(privacy.Row(zero))); moved {
					b.Set(at, j, run.Release().Packed[7])
					at++
				}
			}
		}
		var c, inverse mat.Dense
		if err := inverse.Inverse(b); err != nil {
			t.Fatal(err)
		}
		c.Mul(&inverse, ones(n))
		for k := range n {
			sensitive(t, c.Slice(0, k+1, 0, k+1), m.plan(k+1, 0).Cases[0][0].Sensitivity.L2/1.5)
			expect.Near(t, "a row's norm", math.Sqrt(m.by.rowSquare(float64(k+1))), mat.Norm(b.RowView(k), 2), 1e-10)
		}
		if of.Buffers == 0 && distance(b, ones(n)) > 1e-12 {
			t.Errorf("%+v: noise is not that of all phases so far, added up", of)
		}
		mu := expect.Must(budget.GaussianMu())
		expect.Near(t, "the standard deviation", m.SD(), 1.5/mu*m.by.columnNorm(m.most), 1e-12)
	}
}

// TestPublicContextsCover: the noise of every release is within its bound in the norm of V^-1, in
// all runs but a share of alpha/2 = 0.25 at most. Of 200 runs more than 75 would fail with
// probability 0.04 if it were a quarter; what is seen is far less.
func TestPublicContextsCover(t *testing.T) {
	m := expect.Must(PublicContexts{Budget: budget}.Open(known))
	failed := 0
	for trial := range 200 {
		run, beyond := m.Start(privacy.NewNoise(random.Source(5, trial, "noise"))), false
		rng, sum := random.New(5, trial, "rows"), make([]float64, 3)
		for range 400 {
			row := make([]float64, 4)
			random.Sphere(rng, row[:3])
			row[0] *= 0.1 // V has a short axis
			row[3] = known.Lo + (known.Hi-known.Lo)*rng.Float64()
			for i := range sum {
				sum[i] += row[i] * row[3]
			}
			if !expect.Must(run.Add(privacy.Row(row))) {
				continue
			}
			r := run.Release()
			v, h := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
			for i := range 3 {
				for j := range i + 1 {
					v.SetSym(i, j, r.Packed[i*(i+1)/2+j])
				}
				v.SetSym(i, i, v.At(i, i)+r.Shift)
				h.SetVec(i, r.Packed[6+i]-sum[i])
			}
			var chol mat.Cholesky
			chol.Factorize(v)
			var solved mat.VecDense
			if err := chol.SolveVecTo(&solved, h); err != nil {
				t.Fatal(err)
			}
			beyond = beyond || math.Sqrt(mat.Dot(h, &solved)) > r.Bounds.Gamma
		}
		if beyond {
			failed++
		}
	}
	if failed > 75 {
		t.Errorf("%d of 200 runs are beyond their bounds", failed)
	}
}

// TestPublicContextsClip: a context is clipped by itself and a reward by itself, so that no reward
// changes V.
func TestPublicContextsClip(t *testing.T) {
	m := expect.Must(PublicContexts{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Growth: 1e-9}.Open(known))
	for _, c := range []struct{ x, y, wantX, wantY float64 }{
		{0.5, 0.25, 0.5, 0.25}, {3, 0.25, 1, 0.25}, {0.5, 1e9, 0.5, 1}, {-1e300, -1e300, -1, -0.5},
	} {
		run := m.Start(mechanismtest.Unused())
		if moved := expect.Must(run.Add(privacy.Row([]float64{c.x, 0, 0, c.y}))); !moved {
			t.Fatalf("%+v: no release", c)
		}
		r := run.Release()
		expect.Near(t, fmt.Sprintf("%+v: x x^T", c), r.Packed[0], c.wantX*c.wantX, 1e-12)
		expect.Near(t, fmt.Sprintf("%+v: x y", c), r.Packed[6], c.wantX*c.wantY, 1e-12)
		if want := min(1, math.Abs(c.x-c.wantX)+math.Abs(c.y-c.wantY)); float64(run.Clipped()) != math.Ceil(want) {
			t.Errorf("%+v: Clipped() = %d", c, run.Clipped())
		}
		if r.Bounds.Gamma != 0 {
			t.Errorf("%+v: gamma = %v without noise", c, r.Bounds.Gamma)
		}
	}
}

// TestPublicContextsNumbers: the number of releases that the comment gives for LinUCB's usual
// setting, and the noise of the last of them.
func TestPublicContextsNumbers(t *testing.T) {
	s := privacy.Setup{Dim: 6, Horizon: 131_072, Bound: math.Sqrt2, Context: 1, Alpha: 0.1, Lo: -1, Hi: 1}
	m := expect.Must(PublicContexts{Budget: budget}.Open(s)).(*publicContexts)
	if m.Releases() != 73 {
		t.Errorf("%d releases, want 73", m.Releases())
	}
	m = expect.Must(PublicContexts{Budget: budget, Buffers: 3}.Open(s)).(*publicContexts)
	expect.Near(t, "the noise of the last release", m.by.columnNorm(73)*m.by.rowNorm(), 2.4, 0.02)
}

func TestPublicContextsRefuse(t *testing.T) {
	open := func(of PublicContexts, s privacy.Setup) error {
		of.Budget = budget
		_, err := of.Open(s)
		return err
	}
	expect.Error(t, "growth", open(PublicContexts{Growth: -1}, known), "Growth = -1", "want in (0, 1e6]")
	expect.Error(t, "growth", open(PublicContexts{Growth: math.NaN()}, known), "Growth = NaN", "want in (0, 1e6]")
	expect.Error(t, "ridge", open(PublicContexts{Ridge: math.Inf(1)}, known), "Ridge = +Inf", "want finite and > 0")
	expect.Error(t, "buffers", open(PublicContexts{Buffers: 17}, known), "Buffers = 17", "want in [1, 16]")
	s := known
	s.Hi = s.Lo
	expect.Error(t, "range", open(PublicContexts{}, s), "Lo = -0.5, Hi = -0.5", "Lo < Hi")
	run := expect.Must(PublicContexts{Budget: budget}.Open(known)).Start(mechanismtest.Unused())
	if _, err := run.Release().Shifted(3); err == nil {
		t.Error("sums whose times of release depend on the ridge can be shifted, want an error")
	}
}

// TestPublicContextsDoNotAllocate: a round, Add and Release, in the steady state.
func TestPublicContextsDoNotAllocate(t *testing.T) {
	for _, buffers := range []int{0, 3} {
		run := expect.Must(PublicContexts{Budget: budget, Growth: 1e-3, Buffers: buffers}.Open(known)).Start(privacy.NewNoise(mechanismtest.Source()))
		row := privacy.Row([]float64{0.5, 0.5, 0.1, 0.1})
		if n := testing.AllocsPerRun(1000, func() {
			row.X[0] = -row.X[0]
			expect.Must(run.Add(row))
			run.Release()
		}); n != 0 {
			t.Errorf("%d buffers: %v allocations a round", buffers, n)
		}
	}
}

// TestPublicContextsHideUnderLargeRewards: rewards are summed relative to Lo. So rounding moves no
// sum by more than a reward may. Floats of the size of the whole sum are 512 apart; Lo and Hi lie
// on two sides of the middle between two of them. A release is rounded once, so that a pair differs
// with probability 1/256; more than 2 of 10 do once in 10^5 seeds.
func TestPublicContextsHideUnderLargeRewards(t *testing.T) {
	s := privacy.Setup{Dim: 2, Horizon: 8000, Bound: 1, Context: 1, Alpha: 0.1, Lo: 512*1953125000000 + 255}
	s.Hi = s.Lo + 2
	m := expect.Must(PublicContexts{Budget: budget}.Open(s))
	differ := 0
	for seed := range 10 {
		var release [2]float64
		for world := range release {
			run := m.Start(privacy.NewNoise(random.Source(1, seed, "noise")))
			for round := range s.Horizon - 1 {
				y := s.Hi
				if round == 4000 && world == 0 {
					y = s.Lo
				}
				expect.Must(run.Add(privacy.Row([]float64{1, y})))
			}
			release[world] = run.Release().Packed[1]
		}
		if release[0] != release[1] {
			differ++
		}
	}
	if differ > 2 {
		t.Errorf("%d of 10 releases tell a reward", differ)
	}
}
