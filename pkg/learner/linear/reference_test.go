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

// reference is LinUCB as it is written down: dense matrices, no pruning, all of it anew each round.
// It has an accumulator of its own, fed with the same rows and noise.
type reference struct {
	acc                 privacy.Stream[privacy.Sums]
	rhoMin              float64
	dim                 int
	sigma, theta, alpha float64 // sigma, S, alpha
}

// sums returns the release, shifted to rhoMin if that is set.
func (r *reference) sums(t *testing.T) privacy.Sums {
	t.Helper()
	sums := *r.acc.Release()
	if r.rhoMin == 0 {
		return sums
	}
	sums, err := sums.Shifted(r.rhoMin)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// upper returns the upper confidence bound of each arm, beta_t by Proposition 4, and how far truth
// is from the centre in units of it.
func (r *reference) upper(t *testing.T, v *bandit.View, truth []float64) (ucb []float64, beta, distance float64) {
	t.Helper()
	d := r.dim
	release := make([]float64, (d+1)*(d+2)/2)
	sums := r.sums(t)
	sums.Read(release)
	gram, u := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			gram.SetSym(i, j, release[i*(i+1)/2+j])
		}
		u.SetVec(i, release[d*(d+1)/2+i])
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		t.Fatal("the reference's Gram matrix is not positive definite")
	}
	var theta mat.VecDense
	if err := chol.SolveVecTo(&theta, u); err != nil {
		t.Fatal(err)
	}
	b := sums.Bounds
	beta = r.sigma*math.Sqrt(2*math.Log(2/r.alpha)+chol.LogDet()-float64(d)*math.Log(b.RhoMin)) + r.theta*math.Sqrt(b.RhoMax) + b.Gamma
	for a := range v.Arms {
		x := mat.NewVecDense(d, v.Row(a))
		var solved mat.VecDense
		if err := chol.SolveVecTo(&solved, x); err != nil {
			t.Fatal(err)
		}
		ucb = append(ucb, mat.Dot(x, &theta)+beta*math.Sqrt(mat.Dot(x, &solved)))
	}
	var off mat.VecDense
	off.SubVec(mat.NewVecDense(d, truth), &theta)
	return ucb, beta, math.Sqrt(mat.Inner(&off, gram, &off)) / beta
}

// TestAgainstReference compares arms and beta_t with the reference, round by round: ruling arms
// out, updating the inverse by rank one and the short cuts of small dimensions must not show.
// Another arm is allowed only if its upper confidence bound is within 1e-10 of the best, as
// rounding differs.
func TestAgainstReference(t *testing.T) {
	const horizon, alpha = 2500, 0.05
	b := privacy.Budget{Epsilon: 5, Delta: 0.1}
	small := privacy.Budget{Epsilon: 1, Delta: 0.1}
	for _, c := range []struct {
		name   string
		make   privacy.Accumulator
		rhoMin float64
		rounds int
	}{
		{"exact", continual.Exact{}, 0, horizon},
		{"exact/ridge", continual.Exact{Ridge: 0.01}, 0, horizon},
		{"gaussian/Sound", continual.Tree{Noise: continual.Gaussian{Budget: b}}, 0, 1000},
		{"gaussian/Sound/shifted", continual.Tree{Noise: continual.Gaussian{Budget: b}}, 2, 1000},
		{"gaussian/padded", continual.PanPrivateTree{Noise: continual.Gaussian{Budget: b, Calibration: privacy.AsPublished, Padded: true}}, 0, 1000},
		{"wishart/Sound", continual.Tree{Noise: continual.Wishart{Budget: small}}, 0, 500},
		{"wishart/unshifted", continual.Tree{Noise: continual.Wishart{Budget: small, Calibration: privacy.AsPublished, Unshifted: true}}, 0, 500},
	} {
		for _, d := range []int{1, 2, 5, 12, 20} {
			t.Run(fmt.Sprintf("%s/d=%d", c.name, d), func(t *testing.T) {
				p := bandit.Problem{Arms: 24, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
				opened, err := c.make.Open(privacy.Setup{Dim: d + 1, Horizon: horizon, Bound: math.Sqrt2, Alpha: alpha})
				if err != nil {
					t.Fatal(err)
				}
				ref := reference{acc: opened.Start(privacy.NewNoise(random.Source(1, d, "noise"))), rhoMin: c.rhoMin, dim: d, sigma: 0.3, theta: 1.2, alpha: alpha}
				l := learner.New(linear.UCB{Sigma: 0.3, ThetaNorm: 1.2, Alpha: alpha, RhoMin: c.rhoMin}, c.make)
				run := runtest.Run(t, l, p, horizon, nil, random.Source(1, d, "noise"))
				fresh, err := linear.UCB{}.Prepare(p, horizon, privacy.First(opened))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := fresh.Begin(nil).(*linear.UCBRule).Distance(make([]float64, d)); err == nil {
					t.Fatal("a distance before the first release, want an error")
				}
				r := random.New(1, d, "contexts")
				truth, best := make([]float64, d), make([]float64, d)
				random.Sphere(r, truth)
				different := 0
				for round := 1; round <= c.rounds; round++ {
					v := bandit.View{Round: round, Arms: 1 + r.IntN(p.Arms), Dim: d}
					v.X = make([]float64, v.Arms*d)
					learnertest.Contexts(r, &v, best)
					ucb, beta, distance := ref.upper(t, &v, truth)
					want := 0
					for a, u := range ucb {
						if u > ucb[want] {
							want = a
						}
					}
					arms := run.Select(&v, nil)
					if _, got := learnertest.Rule(run).Confidence(); !(math.Abs(got-beta) <= 1e-9*beta) {
						t.Fatalf("round %d: beta = %v, want %v", round, got, beta)
					}
					if got, err := learnertest.Rule(run).Distance(truth); err != nil || !(math.Abs(got-distance) <= 1e-6*distance) {
						t.Fatalf("round %d: theta is at a distance of %v, error %v, want %v", round, got, err, distance)
					}
					if got := arms[0]; got != want {
						if different++; !(ucb[want]-ucb[got] <= 1e-10*math.Abs(ucb[want])) {
							t.Fatalf("round %d: arm %d of bound %v, want arm %d of bound %v", round, got, ucb[got], want, ucb[want])
						}
					}
					copy(best, v.Row(arms[0]))
					y := math.Max(-1, math.Min(1, learnertest.Dot(best, truth)+0.3*r.NormFloat64()))
					run.Update(&v, arms, []float64{y})
					if _, err := ref.acc.Add(&privacy.Record{X: best, Y: []float64{y}}); err != nil {
						t.Fatal(err)
					}
				}
				if w := run.Warnings(); len(w) > 0 {
					t.Errorf("warnings %v", w)
				}
				if d > 1 && different > c.rounds/100 {
					t.Errorf("%d near ties in %d rounds", different, c.rounds)
				}
			})
		}
	}
}
