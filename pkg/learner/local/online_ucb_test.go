package local_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/online"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// unpack returns V of a broadcast ellipsoid.
func unpack(broadcast []float64, d int) *mat.SymDense {
	inverse := mat.NewSymDense(d, nil)
	p := d
	for i := range d {
		for j := range i + 1 {
			inverse.SetSym(i, j, broadcast[p])
			p++
		}
	}
	var c mat.Cholesky
	c.Factorize(inverse)
	v := mat.NewSymDense(d, nil)
	if err := c.InverseTo(v); err != nil {
		panic(err)
	}
	return v
}

func normOf(v *mat.SymDense, x []float64) float64 {
	w := mat.NewVecDense(len(x), x)
	return math.Sqrt(mat.Inner(w, v, w))
}

// TestOnlineUCBReference: theta_t, the centre and V~ equal those of Algorithm 1 written down anew,
// with gonum, to 1e-8, beyond a refactorisation.
func TestOnlineUCBReference(t *testing.T) {
	const rounds, d = 1500, 4
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		const mu, delta2 = 0.3, 0.2
		n := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 0.1}, Calibration: c}
		s := learnertest.Server[*local.OnlineReceiver](t, local.OnlineServer{Noise: n, Online: learnertest.OGD(mu), DeltaSquared: delta2, Gradient: 1e6}, learnertest.Features, rounds)
		dev, _ := learnertest.Device(t, local.OnlineDevice{Noise: n}, learnertest.Features, rounds)
		sigma := privacy.PlanOf(dev, privacy.All).Draws[0].Scale
		r := random.New(1, 0, "messages")
		theta := mat.NewVecDense(d, nil)
		v, u := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for i := range d {
			v.SetSym(i, i, 1)
		}
		for round := 1; round <= rounds; round++ {
			m := make(learner.Message, d+1)
			for i := range m {
				m[i] = 0.5*r.NormFloat64() + 0.2
			}
			if got := s.Prediction(); !closeTo(got, theta.RawVector().Data, 1e-8) {
				t.Fatalf("%v, round %d: theta_t = %v, want %v", c, round, got, theta.RawVector().Data)
			}
			x := mat.NewVecDense(d, slices.Clone(m[:d]))
			prediction := mat.Dot(x, theta)
			var g mat.VecDense
			g.ScaleVec(2*(prediction-m[d]), x)
			factor := -2 * sigma * sigma
			if c == privacy.Sound {
				factor += 2 * delta2
			}
			g.AddScaledVec(&g, factor, theta)
			theta.AddScaledVec(theta, -1/(mu*float64(round)), &g)
			if norm := mat.Norm(theta, 2); norm > 1 {
				theta.ScaleVec(1/norm, theta)
			}
			v.SymRankOne(v, 1, x)
			u.AddScaledVec(u, prediction, x)
			if err := s.Receive(m); err != nil {
				t.Fatal(err)
			}
		}
		var chol mat.Cholesky
		chol.Factorize(v)
		var centre mat.VecDense
		if err := chol.SolveVecTo(&centre, u); err != nil {
			t.Fatal(err)
		}
		got, beta := s.Confidence()
		if !closeTo(got, centre.RawVector().Data, 1e-8) {
			t.Errorf("%v: centre %v, want %v", c, got, centre.RawVector().Data)
		}
		if want := 1 + 0.5*math.Sqrt(d*math.Log((1+rounds)*rounds)); math.Abs(beta-want) > 1e-12*want {
			t.Errorf("%v: beta = %v, want %v", c, beta, want)
		}
		w := unpack(s.Broadcast(), d)
		for i := range d {
			for j := range d {
				if math.Abs(w.At(i, j)-v.At(i, j)) > 1e-7*v.At(i, i) {
					t.Errorf("%v: V~[%d, %d] = %v, want %v", c, i, j, w.At(i, j), v.At(i, j))
				}
			}
		}
		if delta := s.Broadcast()[d+d*(d+1)/2+2]; (c == privacy.AsPublished) != (delta == math.Sqrt(delta2)) {
			t.Errorf("%v: broadcasts Delta = %v", c, delta)
		}
	}
}

func closeTo(a, b []float64, tol float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tol*(1+math.Abs(y)) })
}

// TestOnlineSigma: the noise's scale and what it buys, against values computed elsewhere: Sound, D
// = sqrt(3) and 2 sqrt(2), and the published sigma, whose true epsilon is below 1 at 1 for delta =
// 0.1 and above 10 at 10.
func TestOnlineSigma(t *testing.T) {
	general := bandit.Problem{Arms: 2, Dim: 5, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	paper := environment.UnitFeatures{}.Problem()
	k := environment.UnitFeatures{}.Constant()
	for _, c := range []struct {
		p              bandit.Problem
		n              local.OnlineNoise
		sigma, epsilon float64
	}{
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}}, 10.55, 1},
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}}, 1.414, 10},
		{paper, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Constant: k}, 1.881, 1},
		{paper, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 0.1}, Constant: k}, 0.488, 10},
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Calibration: privacy.AsPublished}, 9.69, 1.098},
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}, Calibration: privacy.AsPublished}, 0.969, 16.1},
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Calibration: privacy.AsPublished}, 4.495, 0.48},
		{general, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 0.1}, Calibration: privacy.AsPublished}, 0.4495, 27.0},
		{paper, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 0.1}, Calibration: privacy.AsPublished, Constant: k}, 0.4495, 11.5},
		{paper, local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}, Calibration: privacy.AsPublished, Constant: k}, 4.495, 0.14},
	} {
		d, _ := learnertest.Device(t, local.OnlineDevice{Noise: c.n}, c.p, 100)
		if sigma := privacy.PlanOf(d, privacy.All).Draws[0].Scale; math.Abs(sigma-c.sigma) > 2e-3*c.sigma {
			t.Errorf("%+v: sigma = %v, want %v", c.n, sigma, c.sigma)
		}
		if eps := privacy.ClaimOf(d).Epsilon(); math.Abs(eps-c.epsilon) > 0.02*c.epsilon {
			t.Errorf("%+v: epsilon = %v, want %v", c.n, eps, c.epsilon)
		}
	}
}

// TestOracleWidth: the oracle's set holds theta* at its very border in every round: its width is an
// identity.
func TestOracleWidth(t *testing.T) {
	env := environment.UnitFeatures{Dim: 4, Arms: 10}
	n := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 20, Delta: 0.1}}
	trial := runtest.Open(t, env).Start(random.New(1, 0, "contexts"))
	s := local.OnlineServer{Online: learnertest.OGD(0.5), Rule: local.OracleWidth, Truth: environment.Theta(trial)}
	l := runtest.Run(t, learnertest.OnlineUCB(n, s), env.Problem(), 2000, nil, random.Source(1, 0, "noise"))
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	y := make([]float64, 1)
	for round := 1; round <= 2000; round++ {
		trial.Next(&v)
		arms := l.Select(&v, nil)
		trial.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
		theta := environment.Theta(trial)
		b := learnertest.ServerOf(l).Broadcast()[:4+10+2]
		diff := make([]float64, 4)
		for i := range diff {
			diff[i] = theta[i] - b[i]
		}
		// |theta* - centre|_V^2 = Ridge |theta*|^2 + misses - rest: the width is the distance.
		if got := normOf(unpack(b, 4), diff); math.Abs(got-b[14]) > 1e-6*(1+b[14]) {
			t.Fatalf("round %d: theta* is %v from the centre, beta = %v", round, got, b[14])
		}
	}
}

// TestTheoryWidth: the widths of the theory are what they are, about 5,000 and 500, and G of
// Corollary C.1 is 2,938 as worked out by hand.
func TestTheoryWidth(t *testing.T) {
	for eps, want := range map[float64][2]float64{1: {4e3, 6e3}, 10: {400, 700}} {
		n := local.OnlineNoise{Budget: privacy.Budget{Epsilon: eps, Delta: 0.1}, Calibration: privacy.AsPublished}
		of := local.OnlineServer{Noise: n, Rule: local.TheoryWidth, LambdaMin: 0.1, Alpha: 0.05, Online: learnertest.OGD(0.2)}
		s := learnertest.Server[*local.OnlineReceiver](t, of, environment.UnitFeatures{}.Problem(), 20000)
		m := make(learner.Message, 6)
		for range 19999 {
			if err := s.Receive(m); err != nil {
				t.Fatal(err)
			}
		}
		if _, beta := s.Confidence(); beta < want[0] || beta > want[1] {
			t.Errorf("epsilon = %v: beta = %v, want in %v", eps, beta, want)
		}
		if g := s.GradientBound(); eps == 1 && math.Abs(g-2938) > 10 {
			t.Errorf("G = %v, want 2938", g)
		}
	}
}

// TestOnlineWithoutNoise: at epsilon = +Inf both calibrations are Online LinUCB, the same arms; a
// constant coordinate makes no difference to it.
func TestOnlineWithoutNoise(t *testing.T) {
	tune := local.OnlineServer{Online: learnertest.OGD(0.2), Gradient: 10}
	plain := learnertest.OnlineUCB(local.OnlineNoise{Budget: learnertest.None}, tune)
	for _, n := range []local.OnlineNoise{
		{Budget: learnertest.None, Calibration: privacy.AsPublished}, {Budget: learnertest.None, Constant: 1 / math.Sqrt2}, {Budget: privacy.Budget{Epsilon: 1e16, Delta: 0.1}},
	} {
		if differ := twins(t, plain, learnertest.OnlineUCB(n, tune), 2000); differ > 20 {
			t.Errorf("%+v: %d arms of 2000 differ", n, differ)
		}
	}
	if differ := twins(t, plain, learnertest.OnlineUCB(local.OnlineNoise{Budget: learnertest.Strict}, tune), 2000); differ < 200 {
		t.Errorf("under noise %d arms of 2000 differ", differ)
	}
}

func TestOnlineRefuses(t *testing.T) {
	for _, c := range []struct {
		n     local.OnlineNoise
		words []string
	}{
		{local.OnlineNoise{}, []string{"epsilon = 0"}},
		{local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1}}, []string{"delta = 0"}},
		{local.OnlineNoise{Budget: learnertest.Strict, Constant: -1.5}, []string{"Constant = -1.5", "[-L, L]"}},
		{local.OnlineNoise{Budget: learnertest.Strict, Calibration: privacy.Given}, []string{"Given", "AsPublished"}},
		{local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1e-300, Delta: 0.1}, Calibration: privacy.AsPublished}, []string{"1e50"}},
	} {
		expect.Error(t, "OnlineDevice", learnertest.Failure(local.OnlineDevice{Noise: c.n}.Open(learnertest.Features, 100)), c.words...)
		expect.Error(t, "OnlineServer", learnertest.Failure(local.OnlineServer{Noise: c.n}.Open(learnertest.Features, 100)), c.words...)
	}
	for _, c := range []struct {
		s     local.OnlineServer
		words []string
	}{
		{local.OnlineServer{Alpha: -1}, []string{"OnlineServer.Alpha = -1"}},
		{local.OnlineServer{Width: math.Inf(1)}, []string{"Width = +Inf"}},
		{local.OnlineServer{Radius: -1}, []string{"Radius = -1"}},
		{local.OnlineServer{Gradient: math.NaN()}, []string{"Gradient = NaN"}},
		{local.OnlineServer{DeltaSquared: -0.1}, []string{"DeltaSquared = -0.1"}},
		{local.OnlineServer{LambdaMin: -1}, []string{"LambdaMin = -1"}},
		{local.OnlineServer{Rule: 7}, []string{"WidthRule(7)"}},
		{local.OnlineServer{Rule: local.OracleWidth}, []string{"Truth = []"}},
		{local.OnlineServer{Rule: local.OracleWidth, Truth: []float64{1, 0, 0, math.NaN()}}, []string{"Truth = [1 0 0 NaN]", "4 finite"}},
		{local.OnlineServer{DeltaPower: -1}, []string{"DeltaPower = -1", "(0, 1]"}},
		{local.OnlineServer{DeltaPower: 0.25, DeltaSquared: 0.5}, []string{"DeltaPower = 0.25", "DeltaSquared = 0.5", "exclude"}},
		{local.OnlineServer{Online: predicts{}}, []string{"OnlineServer.Online.On(", "is nil"}},
		{local.OnlineServer{Online: predicts{online.ONS{}}}, []string{"ONS.ExpConcave"}},
	} {
		c.s.Noise = local.OnlineNoise{Budget: learnertest.Strict}
		expect.Error(t, "OnlineServer", learnertest.Failure(c.s.Open(learnertest.Features, 100)), c.words...)
	}
	expect.Error(t, "Anytime", learnertest.Failure(local.Anytime{}.Open(learnertest.Features, 100)), "Anytime.Server is nil")
	expect.Error(t, "Anytime", learnertest.Failure(local.Anytime{Server: ahead{}}.Open(learnertest.Features, 100)), "opens as", "Anytime.Server", "is nil")
}

// predicts is a Predictor whose online learner is given.
type predicts struct{ online.Learner }

func (p predicts) On(float64, float64) online.Learner { return p.Learner }

// ahead is a server that remembers how it was opened and started.
type ahead struct{ opened, started *[]int }

// aheadReady is an ahead for a number of rounds.
type aheadReady struct {
	of     ahead
	rounds int
}

// aheadRun is an ahead in one trial.
type aheadRun struct {
	learnertest.Recorder
	rounds int
}

func (a ahead) Open(_ bandit.Problem, rounds int) (learner.CalibratedServer, error) {
	if a.opened == nil {
		return nil, nil
	}
	*a.opened = append(*a.opened, rounds)
	return aheadReady{a, rounds}, nil
}

func (a aheadReady) Start(*rand.Rand) learner.Receiver {
	*a.of.started = append(*a.of.started, a.rounds)
	return &aheadRun{rounds: a.rounds}
}

// TestAnytime: message 1 goes to block 0, 2 and 3 to block 1, 4 to 7 to block 2; each trial starts
// the blocks of the horizon anew; it goes on beyond the horizon; a refused message is not counted.
func TestAnytime(t *testing.T) {
	var opened, begun []int
	ready, err := local.Anytime{Server: ahead{&opened, &begun}}.Open(learnertest.Features, 5)
	if err != nil || !slices.Equal(opened, []int{1, 2, 4}) {
		t.Fatalf("%v, blocks of %v for 5 rounds, want 1, 2 and 4", err, opened)
	}
	for range 2 {
		begun = nil
		a := ready.Start(nil).(interface {
			learner.Receiver
			Server() (learner.Receiver, int)
		})
		next := 0
		for next < 40 {
			if a.Receive(learner.Message{-1}) == nil {
				t.Fatal("a bad message is accepted")
			}
			s, m := a.Server()
			if err := a.Receive(learner.Message{float64(next)}); err != nil {
				t.Fatal(err)
			}
			next++
			run := s.(*aheadRun)
			first := 1<<m - 1 // messages of the blocks before
			if run.rounds != 1<<m || m != bits.Len(uint(next))-1 || len(run.Got) != next-first || run.Got[len(run.Got)-1][0] != float64(next-1) {
				t.Fatalf("message %d went to block %d, made for %d rounds, as its number %d: %v", next, m, run.rounds, len(run.Got), run.Got)
			}
		}
		if _, m := a.Server(); m != 5 {
			t.Fatalf("block %d after 40 messages", m)
		}
		if !slices.Equal(begun, []int{1, 2, 4, 8, 16, 32}) {
			t.Errorf("blocks of %v rounds have begun", begun)
		}
	}
	if d := local.PublishedDelta(0.01, 10000, 0.25); math.Abs(d-0.1) > 1e-12 {
		t.Errorf("Delta^2 = %v, want 0.1", d)
	}
	if d := local.PublishedDelta(0.2, 10000, 0.25); d != 0 {
		t.Errorf("Delta^2 = %v, want 0", d)
	}
}
