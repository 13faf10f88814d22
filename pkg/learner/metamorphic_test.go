package learner_test

import (
	"math"
	"slices"
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

var square5 = bandit.Problem{Arms: 20, Dim: 5, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// pair plays two learners side by side: b sees a's contexts through change and gets a's rewards
// times scale. Their arms must be the same in every round.
func pair(t *testing.T, first, second learner.Private[privacy.Sums], pa, pb bandit.Problem, rounds int, change func(x []float64), scale float64) (a, b *runtest.Running) {
	t.Helper()
	// a horizon's last row is never released
	a = runtest.Run(t, first, pa, rounds+1, nil, random.Source(1, 0, "noise"))
	b = runtest.Run(t, second, pb, rounds+1, nil, random.Source(1, 0, "noise"))
	r := random.New(1, 0, "contexts")
	truth := make([]float64, pa.Dim)
	random.Sphere(r, truth)
	best := make([]float64, pa.Dim)
	for round := 1; round <= rounds; round++ {
		va := bandit.View{Round: round, Arms: pa.Arms, Dim: pa.Dim, X: make([]float64, pa.Arms*pa.Dim)}
		learnertest.Contexts(r, &va, best)
		vb := va
		vb.X = slices.Clone(va.X)
		for arm := range vb.Arms {
			change(vb.Row(arm))
		}
		armsA, armsB := a.Select(&va, nil), b.Select(&vb, nil)
		if !slices.Equal(armsA, armsB) {
			t.Fatalf("round %d: arms %v and %v", round, armsA, armsB)
		}
		copy(best, va.Row(armsA[0]))
		y := math.Max(-1, math.Min(1, learnertest.Dot(best, truth)+0.3*r.NormFloat64()))
		a.Update(&va, armsA, []float64{y})
		b.Update(&vb, armsB, []float64{scale * y})
	}
	return a, b
}

func TestRotation(t *testing.T) {
	r := random.New(1, 0, "rotation")
	m := mat.NewDense(5, 5, nil)
	for i := range 5 {
		for j := range 5 {
			m.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(m)
	var q mat.Dense
	qr.QTo(&q)
	pair(t, learner.New(linear.UCB{}, nil), learner.New(linear.UCB{}, nil), square5, square5, 3000, func(x []float64) {
		var y mat.VecDense
		y.MulVec(&q, mat.NewVecDense(5, slices.Clone(x)))
		copy(x, y.RawVector().Data)
	}, 1)
}

// TestScaleRewards: rewards, their range (and so sigma) and |theta| times 1000 change nothing.
func TestScaleRewards(t *testing.T) {
	scaled := square5
	scaled.RewardMin, scaled.RewardMax = -1000, 1000
	pair(t, learner.New(linear.UCB{}, nil), learner.New(linear.UCB{ThetaNorm: 1000}, nil), square5, scaled, 3000, func([]float64) {}, 1000)
}

// TestScaleContexts: contexts times 8, theta by 8 and the ridge times 64 change nothing.
func TestScaleContexts(t *testing.T) {
	scaled := square5
	scaled.ContextNorm = 8
	pair(t, learner.New(linear.UCB{}, nil), learner.New(linear.UCB{ThetaNorm: 1. / 8}, continual.Exact{Ridge: 64}), square5, scaled, 3000, func(x []float64) {
		for i := range x {
			x[i] *= 8
		}
	}, 1)
}

// TestNoPrivacyIsExact: over a Gaussian tree with epsilon = +Inf, LinUCB is LinUCB over exact sums
// of ridge 1, bit by bit.
func TestNoPrivacyIsExact(t *testing.T) {
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for _, c := range []continual.Gaussian{{Budget: none}, {Budget: none, Calibration: privacy.AsPublished}, {Budget: none, Padded: true}} {
		a, b := pair(t, learner.New(linear.UCB{}, continual.Exact{Ridge: 1}), learner.New(linear.UCB{}, continual.Tree{Noise: c}), square5, square5, 3000, func([]float64) {}, 1)
		thetaA, betaA := learnertest.Rule(a).Confidence()
		thetaB, betaB := learnertest.Rule(b).Confidence()
		if !slices.Equal(thetaA, thetaB) || betaA != betaB {
			t.Errorf("%v, padded %v: theta %v and %v, beta %v and %v", c.Calibration, c.Padded, thetaA, thetaB, betaA, betaB)
		}
		if !math.IsInf(privacy.ClaimOf(b.Run).Epsilon(), 1) {
			t.Errorf("%v, padded %v: claims epsilon = %v, want +Inf", c.Calibration, c.Padded, privacy.ClaimOf(b.Run).Epsilon())
		}
	}
}

// TestNoPrivacyIsExactUnderCorrelatedNoise: as over the tree.
func TestNoPrivacyIsExactUnderCorrelatedNoise(t *testing.T) {
	none := privacy.Budget{Epsilon: math.Inf(1)}
	for _, sums := range []privacy.Accumulator{continual.BLT{Budget: none}, continual.SquareRoot{Budget: none}, continual.Honaker{Budget: none}} {
		a, b := pair(t, learner.New(linear.UCB{}, continual.Exact{Ridge: 1}), learner.New(linear.UCB{}, sums), square5, square5, 3000, func([]float64) {}, 1)
		thetaA, betaA := learnertest.Rule(a).Confidence()
		thetaB, betaB := learnertest.Rule(b).Confidence()
		if !slices.Equal(thetaA, thetaB) || betaA != betaB {
			t.Errorf("%T: theta %v and %v, beta %v and %v", sums, thetaA, thetaB, betaA, betaB)
		}
	}
}

// TestEpsilonToInfinity: as epsilon grows, theta~ over noisy sums, their rho_min shifted to 1,
// tends to that over exact sums.
func TestEpsilonToInfinity(t *testing.T) {
	distance := func(kind string, epsilon float64) float64 {
		var theta [2][]float64
		for i, l := range []learner.Private[privacy.Sums]{
			learner.New(linear.UCB{}, nil), learner.New(linear.UCB{RhoMin: 1}, learnertest.Accumulators(privacy.Budget{Epsilon: epsilon, Delta: 1e-5})[kind]),
		} {
			run := runtest.Run(t, l, square5, 1000, nil, random.Source(1, 0, "noise"))
			r := random.New(1, 0, "contexts")
			v := bandit.View{Arms: 20, Dim: 5, X: make([]float64, 100)}
			for round := range 500 {
				v.Round = round + 1
				learnertest.Contexts(r, &v, make([]float64, 5))
				run.Update(&v, []int{round % 20}, []float64{v.Row(round % 20)[0]})
			}
			theta[i], _ = learnertest.Rule(run).Confidence()
		}
		var square float64
		for i, x := range theta[0] {
			square += (x - theta[1][i]) * (x - theta[1][i])
		}
		return math.Sqrt(square)
	}
	for _, kind := range []string{"tree/gaussian/Sound", "blt", "square-root", "honaker"} {
		last := math.Inf(1)
		for _, epsilon := range []float64{0.1, 10, 1e3, 1e5, 1e7} {
			d := distance(kind, epsilon)
			if d >= last {
				t.Errorf("%s, epsilon = %v: theta~ is %v from the exact one, want less than %v", kind, epsilon, d, last)
			}
			last = d
		}
		if last > 2e-3 {
			t.Errorf("%s, epsilon = 1e7: theta~ is %v from the exact one, want <= 2e-3", kind, last)
		}
	}
}

// TestTies: of arms with the same context the first is played, wherever it stands.
func TestTies(t *testing.T) {
	for name, make_ := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		for _, d := range []int{3, 5, 12} {
			p := bandit.Problem{Arms: 12, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
			l := learner.New(linear.UCB{}, make_)
			run := runtest.Run(t, l, p, 300, nil, random.Source(1, 0, "noise"))
			r := random.New(1, 0, "contexts")
			v := bandit.View{Arms: 12, Dim: d, X: make([]float64, 12*d)}
			for round := 1; round <= 200; round++ {
				v.Round = round
				learnertest.Contexts(r, &v, make([]float64, d))
				for a := 3; a < 12; a++ {
					copy(v.Row(a), v.Row(a%3))
				}
				arms := run.Select(&v, nil)
				if arms[0] >= 3 {
					t.Fatalf("%s, d = %d, round %d: arm %d, whose context is that of arm %d", name, d, round, arms[0], arms[0]%3)
				}
				run.Update(&v, arms, []float64{v.Row(arms[0])[0]})
			}
		}
	}
}
