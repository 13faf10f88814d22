package linear_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The inequality that Shrink stands on, for matrices at random: of all ratios some come near to 1.
func TestShrinkInequality(t *testing.T) {
	r := random.New(1, 0, "matrices")
	nearest := 0.0
	for i := range 4000 {
		d := 1 + i%4
		// H = Q diag(rho) Q^T between rho_min and rho_max, and G of rank 0 to d
		rhoMin, rhoMax := 0.5+r.Float64(), 2.0+3*r.Float64()
		var qr mat.QR
		qr.Factorize(normal(d, d, r.NormFloat64))
		var q, h, g mat.Dense
		qr.QTo(&q)
		rho := make([]float64, d)
		for j := range rho {
			rho[j] = rhoMin + (rhoMax-rhoMin)*r.Float64()
		}
		h.Product(&q, mat.NewDiagDense(d, rho), q.T())
		rows := normal(1+r.IntN(d), d, r.NormFloat64)
		g.Mul(rows.T(), rows)
		g.Scale(math.Exp(6*r.Float64()-4), &g)
		var v mat.Dense
		v.Add(&g, &h)
		theta, noise := normal(d, 1, r.NormFloat64), normal(d, 1, r.NormFloat64)
		theta.Scale(1/mat.Norm(theta, 2), theta)
		if i%2 == 0 { // the worst direction of noise
			noise.Mul(&h, theta)
			noise.Scale(-r.Float64(), noise)
		}
		gamma := norm(t, noise, &h)
		var off mat.Dense
		off.Mul(&h, theta)
		off.Sub(noise, &off)
		var eigen mat.EigenSym
		if !eigen.Factorize(symmetric(&v), false) {
			t.Fatal("no eigenvalues")
		}
		least := eigen.Values(nil)[0]
		bound := math.Min(1, math.Sqrt(rhoMax/least)) * (gamma + math.Sqrt(rhoMax))
		ratio := norm(t, &off, &v) / bound
		if ratio > 1+1e-9 {
			t.Fatalf("|h - H theta|_{V^-1} is %v of its bound", ratio)
		}
		nearest = max(nearest, ratio)
	}
	if nearest < 0.9 {
		t.Errorf("no more than %v of the bound was met", nearest)
	}
}

func normal(rows, columns int, draw func() float64) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(int, int, float64) float64 { return draw() }, m)
	return m
}

func symmetric(m *mat.Dense) *mat.SymDense {
	d, _ := m.Dims()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// norm is |x|_{m^-1}.
func norm(t *testing.T, x, m *mat.Dense) float64 {
	t.Helper()
	var solved mat.Dense
	if err := solved.Solve(m, x); err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(mat.Dot(x.ColView(0), solved.ColView(0)))
}

// With Shrink beta is what the formula says of the release, up to the bound on |V^-1|, which is
// within a factor of d^(1/64); it is at most Proposition 4's, and the set holds theta in every
// round.
func TestShrunkWidth(t *testing.T) {
	const horizon, alpha = 20_000, 0.05
	b := privacy.Budget{Epsilon: 5, Delta: 0.1}
	for name, c := range map[string]struct {
		sums   privacy.Accumulator
		rhoMin float64
		exact  bool
		share  float64 // of the width at the end, at most
	}{
		"exact":     {continual.Exact{Ridge: 10}, 0, true, 0.9},
		"tree":      {continual.Tree{Noise: continual.Gaussian{Budget: b}}, 0, false, 0.9},
		"shifted":   {continual.BLT{Budget: b}, 50, false, 0.9},
		"unbounded": {continual.Unbounded{Budget: b}, 20, false, 0.9},
		"public":    {continual.PublicContexts{Budget: b}, 0, false, 1},
		"wishart":   {continual.Tree{Noise: continual.Wishart{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}}, 0, false, 1},
	} {
		for _, d := range []int{1, 2, 5, 12} {
			t.Run(fmt.Sprintf("%s/d=%d", name, d), func(t *testing.T) {
				p := bandit.Problem{Arms: 8, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
				opened, err := c.sums.Open(privacy.Setup{Dim: d + 1, Horizon: horizon, Bound: math.Sqrt2, Context: 1, Lo: -1, Hi: 1, Alpha: alpha})
				if err != nil {
					t.Fatal(err)
				}
				ref := reference{acc: opened.Start(privacy.NewNoise(random.Source(1, d, "noise"))), rhoMin: c.rhoMin, dim: d, sigma: 1, theta: 1.2, alpha: alpha}
				run := runtest.Run(t, learner.New(linear.UCB{Sigma: 1, ThetaNorm: 1.2, Alpha: alpha, RhoMin: c.rhoMin, Shrink: true}, c.sums), p, horizon, nil, random.Source(1, d, "noise"))
				r := random.New(1, d, "contexts")
				truth, best := make([]float64, d), make([]float64, d)
				random.Sphere(r, truth)
				var last float64
				for round := 1; round <= 3000; round++ {
					v := bandit.View{Round: round, Arms: p.Arms, Dim: d, X: make([]float64, p.Arms*d)}
					learnertest.Contexts(r, &v, best)
					arms := run.Select(&v, nil)
					rule := learnertest.Rule(run)
					_, got := rule.Confidence()
					if round%50 == 1 {
						sums := ref.sums(t)
						_, full, _ := ref.upper(t, &v, truth)
						most := 1.2*math.Sqrt(sums.Bounds.RhoMax) + sums.Bounds.Gamma
						want := math.Min(1, math.Sqrt(sums.Bounds.RhoMax/leastEigenvalue(t, &sums, d))) * most
						if sums.Spread.Fixed { // gamma is in the norm of V^-1
							want += (most - 1.2*math.Sqrt(sums.Bounds.RhoMax)) * (1 - want/most)
						}
						part, slack := got-(full-most), math.Pow(float64(d), 1./128)*(1+1e-6)
						if !(part >= want*(1-1e-6)) || !(part <= most*(1+1e-6)) || !c.exact && !(part <= want*slack) {
							t.Fatalf("round %d: noise and shift have %v of beta, want %v, at most %v times that", round, part, want, slack)
						}
						last = got / full
					}
					if got, err := rule.Distance(truth); err != nil || got > 1 {
						t.Fatalf("round %d: theta is at a distance of %v, error %v", round, got, err)
					}
					copy(best, v.Row(arms[0]))
					y := random.Rademacher(r, learnertest.Dot(best, truth))
					run.Update(&v, arms, []float64{y})
					if _, err := ref.acc.Add(&privacy.Record{X: best, Y: []float64{y}}); err != nil {
						t.Fatal(err)
					}
				}
				if d < 12 && last > c.share {
					t.Errorf("at the end beta is %v of Proposition 4's, want at most %v", last, c.share)
				}
			})
		}
	}
}

// TestSetHoldsThetaUnderRounding: over a SecureTree the set holds theta, with Shrink and without,
// though a coarse grid rounds the squares of contexts up and their products with rewards down. The
// noise is the system's; each of the six runs fails with probability alpha = 1e-9.
func TestSetHoldsThetaUnderRounding(t *testing.T) {
	const grid, horizon, alpha = 0.125, 1 << 14, 1e-9
	sums := continual.SecureTree{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}, Grid: grid}
	for _, c := range []struct {
		d     int
		whole float64 // steps of the grid that rounding leaves of a product, at least
		share float64 // of Proposition 4's width that Shrink leaves at the end, at most
	}{{1, 0, 1}, {1, 5, 0.8}, {2, 3, 0.9}} {
		p := bandit.Problem{Arms: 1, Dim: c.d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
		theta, slope := make([]float64, c.d), (c.whole+0.499)/(c.whole+0.501)
		theta[0] = slope
		var widths [2]float64
		for i, shrink := range []bool{false, true} {
			of := learner.New(linear.UCB{Sigma: 0.1, Alpha: alpha, Shrink: shrink}, sums)
			run := runtest.Run(t, of, p, horizon, nil, random.Source(1, 0, "noise"))
			farthest := 0.0
			for round := 1; round <= horizon; round++ {
				x := make([]float64, c.d)
				for j := range x {
					x[j] = math.Sqrt((c.whole + 0.501) * grid)
				}
				if round%2 == 0 { // all directions
					x[c.d-1] = -x[c.d-1]
				}
				v := bandit.View{Round: round, Arms: 1, Dim: c.d, X: x}
				arms := run.Select(&v, nil)
				distance, err := learnertest.Rule(run).Distance(theta)
				if err != nil {
					t.Fatal(err)
				}
				farthest = max(farthest, distance)
				run.Update(&v, arms, []float64{slope * x[0]})
			}
			if _, widths[i] = learnertest.Rule(run).Confidence(); !(farthest <= 1) {
				t.Errorf("%+v, Shrink = %v: theta is at a distance of up to %v", c, shrink, farthest)
			}
		}
		if share := widths[1] / widths[0]; share > c.share {
			t.Errorf("%+v: Shrink leaves %v of the width, want at most %v", c, share, c.share)
		}
	}
}

// leastEigenvalue is that of the release's V.
func leastEigenvalue(t *testing.T, sums *privacy.Sums, d int) float64 {
	t.Helper()
	release := make([]float64, (d+1)*(d+2)/2)
	sums.Read(release)
	gram := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			gram.SetSym(i, j, release[i*(i+1)/2+j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, false) {
		t.Fatal("no eigenvalues")
	}
	return eigen.Values(nil)[0]
}
