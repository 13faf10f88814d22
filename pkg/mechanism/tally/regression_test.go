package tally_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

var (
	regressed = privacy.Setup{Dim: 4, Context: 2, Arms: 5, Slots: 1, Horizon: 40, Lo: -1, Hi: 2}
	tenth     = privacy.Budget{Epsilon: 1, Delta: 0.1}
)

// symmetric returns a packed matrix as gonum's.
func symmetric(of []float64, d int) *mat.SymDense {
	m := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			m.SetSym(i, j, of[i*(i+1)/2+j])
		}
	}
	return m
}

// TestRegressionAgainstItsMatrix compares batches with dense algebra: V, u, and the noise, whose
// covariance is (s g)^2 V with g the largest |x|_{V^-1} played. If an arm changes, g is 1.
func TestRegressionAgainstItsMatrix(t *testing.T) {
	const d = 3
	s := 3 / expect.Must(tenth.GaussianMu())
	for _, c := range []struct {
		changes bool
		arms    int
	}{{false, 5}, {true, 5}, {false, 2}} { // two arms do not span the space
		m := expect.Must(tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(10)}.Open(regressed))
		rng := random.New(7, c.arms, "contexts")
		var x [5][d]float64
		for a := range x {
			random.Sphere(rng, x[a][:])
		}
		var rows []privacy.Record
		for place := range 20 {
			arm := place % c.arms
			row := privacy.Record{X: append([]float64(nil), x[arm][:]...), Arms: []int{arm}, Y: []float64{-1 + 3*rng.Float64()}}
			if c.changes && place == 17 {
				row.X[0] = -row.X[0]
			}
			rows = append(rows, row)
		}
		play := func(impulse int) (*tally.Equations, *mat.SymDense, *mat.VecDense, float64) {
			run := m.Start(privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
				clear(dst)
				if impulse >= 0 {
					dst[impulse] = law.Scale
				}
			}))
			v, u, furthest := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil), 0.0
			for place, row := range rows {
				if moved := expect.Must(run.Add(&row)); moved != (place%10 == 9) {
					t.Fatalf("moved is %v after %d records", moved, place+1)
				}
				if place >= 10 {
					v.SymRankOne(v, 1, mat.NewVecDense(d, row.X))
					u.AddScaledVec(u, row.Y[0], mat.NewVecDense(d, row.X))
				}
			}
			var svd mat.SVD
			svd.Factorize(v, mat.SVDThin)
			for _, row := range rows[10:] {
				var w mat.Dense
				svd.SolveTo(&w, mat.NewDense(d, 1, row.X), min(c.arms, d))
				furthest = max(furthest, math.Sqrt(mat.Dot(mat.NewVecDense(d, row.X), w.ColView(0))))
			}
			return run.Release(), v, u, furthest
		}
		e, v, u, g := play(-1)
		if c.changes {
			g = 1
		}
		expect.Near(t, "s g", e.Noise, s*g, 1e-6)
		var off mat.Dense
		off.Sub(symmetric(e.V, d), v)
		if e.Batches != 2 || mat.Norm(&off, 2) > 1e-9 {
			t.Errorf("%+v: %d batches, and V is off by %v", c, e.Batches, mat.Norm(&off, 2))
		}
		noise := mat.NewDense(d, d, nil)
		for i := range d {
			r, _, _, _ := play(i)
			for j := range d {
				noise.Set(j, i, r.U[j]-u.AtVec(j))
				if math.Abs(e.U[j]-u.AtVec(j)) > 1e-12 {
					t.Errorf("%+v: u is off", c)
				}
			}
		}
		var covariance, want mat.Dense
		covariance.Mul(noise, noise.T())
		want.Scale(s*s*g*g, v)
		covariance.Sub(&covariance, &want)
		if e := mat.Norm(&covariance, 2); e > 3e-7*mat.Norm(&want, 2) { // g is rounded up
			t.Errorf("%+v: the covariance of the noise is off by %v", c, e)
		}
	}
}

func TestRegressionRefuses(t *testing.T) {
	open := func(change func(s *privacy.Setup), of tally.Regression) error {
		s := regressed
		change(&s)
		_, err := of.Open(s)
		return err
	}
	good := tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(10)}
	same := func(*privacy.Setup) {}
	expect.Error(t, "slots", open(func(s *privacy.Setup) { s.Slots = 2 }, good), "Slots = 2", "want 1")
	expect.Error(t, "dimension", open(func(s *privacy.Setup) { s.Dim = 1 }, good), "Dim = 1", "want >= 2")
	expect.Error(t, "context", open(func(s *privacy.Setup) { s.Context = math.NaN() }, good), "Context = NaN", "want finite")
	expect.Error(t, "delta", open(same, tally.Regression{Budget: privacy.Budget{Epsilon: 1}, Lengths: tally.EqualRounds(3)}), "delta = 0")
	expect.Error(t, "lengths", open(same, tally.Regression{Budget: tenth}), "Lengths")
	expect.Error(t, "lengths", open(same, tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(-1)}), "Length(0) = -1")
	run := expect.Must(good.Open(regressed)).Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	_, err := run.Add(&privacy.Record{X: []float64{1, 0, 0}})
	expect.Error(t, "no arm", err, "0 arms", "want 1")
}

// TestRegressionDoesNotAllocate: a round in the steady state, batches' ends among them.
func TestRegressionDoesNotAllocate(t *testing.T) {
	s := regressed
	s.Horizon = 5000
	run := expect.Must(tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(7)}.Open(s)).Start(privacy.NewNoise(random.Source(1, 0, "noise")))
	row := &privacy.Record{X: []float64{0.5, 1, 0}, Arms: []int{1}, Y: []float64{0.5}}
	if n := testing.AllocsPerRun(1000, func() { expect.Must(run.Add(row)) }); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

// twoRegressions returns what two streams of one context release that differ in a reward, three
// quarters on: the least one, or the largest.
func twoRegressions(t *testing.T, s privacy.Setup, rounds int, x []float64, seed int) (release [2]tally.Equations) {
	t.Helper()
	s.Horizon = rounds + 1
	m := expect.Must(tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(rounds)}.Open(s))
	for world := range release {
		run := m.Start(privacy.NewNoise(random.Source(1, seed, "noise")))
		for round := range rounds {
			y := s.Hi
			if round == rounds*3/4 && world == 0 {
				y = s.Lo
			}
			expect.Must(run.Add(&privacy.Record{X: x, Arms: []int{0}, Y: []float64{y}}))
		}
		release[world] = *run.Release()
	}
	return release
}

// TestRegressionHidesShortContexts: noise does not vanish before its context does. Squares of the
// contexts here underflow, or nearly so.
func TestRegressionHidesShortContexts(t *testing.T) {
	s := regressed
	for _, length := range []float64{1, 1e-50, 1e-99, 8e-168, 1e-200, 5e-324} {
		two := twoRegressions(t, s, 10, []float64{length, 0, 0}, 1)
		moved := math.Abs(two[1].U[0]-two[0].U[0]) / math.Sqrt(two[0].V[0])
		if moved > two[0].Noise/expect.Must(tally.Regression{Budget: tenth, Lengths: tally.EqualRounds(10)}.Open(s)).(interface{ SD() float64 }).SD()*(s.Hi-s.Lo) {
			t.Errorf("a context of length %v: a reward moves the release by %v, under noise of %v", length, moved, two[0].Noise)
		}
	}
}

// TestRegressionHidesUnderLargeRewards: rewards are summed relative to Lo. So rounding moves no sum
// by more than a reward may. Floats of the size of the whole sum are 512 apart; Lo and Hi lie on
// two sides of the middle between two of them. A release is rounded once, so that a pair differs
// with probability 1/256; more than 3 of 20 do once in 10^6 seeds.
func TestRegressionHidesUnderLargeRewards(t *testing.T) {
	s := regressed
	s.Lo = 512*1953125000000 + 255
	s.Hi = s.Lo + 2
	differ := 0
	for seed := range 20 {
		if two := twoRegressions(t, s, 4000, []float64{1, 0, 0}, seed); two[0].U[0] != two[1].U[0] {
			differ++
		}
	}
	if differ > 3 {
		t.Errorf("%d of 20 releases tell a reward", differ)
	}
}
