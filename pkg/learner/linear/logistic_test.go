package linear_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

var oneArm = bandit.Problem{Arms: 1, Dim: 2, Slots: 1, ContextNorm: 1, RewardMax: 1}

// logisticRow is record t of a fixed sequence: points that fill a square, and rewards of the
// logistic model with theta = (1.5, -1).
func logisticRow(t int) (x [2]float64, y float64) {
	part := func(of float64) float64 { return math.Mod(float64(t)*of, 1) }
	x = [2]float64{(2*part(0.7548776662466927) - 1) / math.Sqrt2, (2*part(0.5698402909980532) - 1) / math.Sqrt2}
	if part(0.41421356237309515) < 1/(1+math.Exp(-(x[0]*1.5-x[1]))) {
		y = 1
	}
	return x, y
}

// estimate returns theta~ of a run, and the widths, by what it shows of the unit vectors.
func estimate(t *testing.T, run bandit.Run, p bandit.Problem, round int) (theta, width []float64) {
	t.Helper()
	for i := range p.Dim {
		v := bandit.View{Round: round, Arms: 1, Dim: p.Dim, X: make([]float64, p.Dim)}
		v.X[i] = 1
		shown, err := bandit.Explain(run, &v, nil)
		if err != nil {
			t.Fatal(err)
		}
		theta, width = append(theta, shown[0].Estimate), append(width, shown[0].Width)
		if s := shown[0]; math.Abs(s.Index-s.Estimate-s.Width) > 1e-12 {
			t.Errorf("round %d: %+v, want an index that is the sum of both", round, s)
		}
	}
	return theta, width
}

// TestLogisticGolden: without noise the estimates and their widths are those of numpy, which writes
// the recursion down with dense matrices. The estimates come to scikit-learn's penalised maximum
// likelihood: within a tenth of its standard error after 100 rounds, and 0.03 of it after 1000.
func TestLogisticGolden(t *testing.T) {
	type golden struct{ theta, width, likelihood, se [2]float64 }
	want := map[int]golden{
		1:    {theta: [2]float64{0.17414457237097772, 0.047718216308324506}, width: [2]float64{7.180523585985342, 7.287327235196933}},
		10:   {theta: [2]float64{0.932345392271299, 0.23011203304026684}, width: [2]float64{6.268463547761002, 6.268147913451823}},
		100:  {[2]float64{1.6479874554215417, -1.1815203772043217}, [2]float64{3.583352217730711, 3.5352530071198154}, [2]float64{1.682195936641637, -1.208198330398506}, [2]float64{0.5559184635062857, 0.5446491299833324}},
		1000: {[2]float64{1.4456621738819384, -1.0653851780272265}, [2]float64{1.3484767597641325, 1.3276044427808813}, [2]float64{1.449825260372717, -1.0680612504767242}, [2]float64{0.17054055494801307, 0.16793541515770954}},
		4000: {[2]float64{1.4553783720949105, -1.0721113060409457}, [2]float64{0.7062086823635344, 0.6954752772039628}, [2]float64{1.4565543938975312, -1.0728947428994862}, [2]float64{0.08534001815842625, 0.08404754895405293}},
	}
	run := runtest.Run(t, learner.New(linear.Logistic{ThetaNorm: 3}, nil), oneArm, 5000, nil, nil)
	for round := 1; round <= 4000; round++ {
		x, y := logisticRow(round)
		v := bandit.View{Round: round, Arms: 1, Dim: 2, X: x[:]}
		run.Update(&v, run.Select(&v, nil), []float64{y})
		w, ok := want[round]
		if !ok {
			continue
		}
		delete(want, round)
		theta, width := estimate(t, run.Run, oneArm, round+1)
		for i, got := range theta {
			if math.Abs(got-w.theta[i]) > 1e-9 || math.Abs(width[i]-w.width[i]) > 1e-9 {
				t.Errorf("round %d: theta[%d] = %v with a width of %v, want %v and %v", round, i, got, width[i], w.theta[i], w.width[i])
			}
			if off := math.Abs(got-w.likelihood[i]) / w.se[i]; w.se[i] > 0 && off > max(0.03, 10/float64(round)) {
				t.Errorf("round %d: theta[%d] = %v, %.3f standard errors from the maximum likelihood", round, i, got, off)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("rounds %v were not compared", want)
	}
}

// weighted returns the setup that Logistic asks its statistic for, a, and the row that its rule
// makes of a record by an estimate theta~.
func weighted(t *testing.T, l linear.Logistic, p bandit.Problem) (s privacy.Setup, scale float64, row func(estimate, x, y float64) []float64) {
	t.Helper()
	setup, err := learner.New(l, nil).Setup(p, 100)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := continual.Exact{}.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := l.Prepare(p, 100, privacy.First(opened))
	if err != nil {
		t.Fatal(err)
	}
	rule := prepared.Begin(nil)
	row = func(estimate, x, y float64) []float64 {
		r := privacy.Record{X: []float64{x}, Y: []float64{y}}
		broadcast := []float64{estimate * scale, 1, 1, 1}
		if err := rule.(learner.Encoder).Encode(broadcast, &r); err != nil {
			t.Fatal(err)
		}
		return append(slices.Clone(r.X), r.Y...)
	}
	scale = row(0, p.ContextNorm, p.RewardMax)[1] // a (1 - 1/2)/sqrt(1/4)
	return setup, scale, row
}

// TestLogisticRows: no row is longer than the bound that the mechanism clips to, and one comes to
// it, for rewards within their range, estimates of any size, and parameters from tiny to the
// largest. The row is the formula's.
func TestLogisticRows(t *testing.T) {
	for _, s := range []float64{1e-300, 1e-6, 0.9e-3, 1.1e-3, 0.1, 1, 2.5, 5, 10, 30} {
		for _, norm := range []float64{1, 0.25} {
			p := bandit.Problem{Arms: 1, Dim: 1, Slots: 1, ContextNorm: norm, RewardMin: -1, RewardMax: 3}
			setup, scale, row := weighted(t, linear.Logistic{ThetaNorm: s / norm}, p)
			most, context := 0.0, 0.0
			for i := -200; i <= 200; i++ {
				for _, x := range []float64{norm, norm / 2, -norm} {
					for _, y := range []float64{-1, 0.4, 3} {
						estimate := float64(i) / 160 * s / norm // to 1.25 S
						got := row(estimate, x, y)
						most, context = max(most, math.Hypot(got[0], got[1])), max(context, math.Abs(got[0]))
						z := min(max(estimate*x, -s), s)
						mu := 1 / (1 + math.Exp(-z))
						w := math.Exp(-math.Abs(z)) / math.Pow(1+math.Exp(-math.Abs(z)), 2)
						want := [2]float64{math.Sqrt(w) * x, scale * ((y+1)/4 - mu + w*z) / math.Sqrt(w)}
						if math.Abs(got[0]-want[0]) > 1e-12 || math.Abs(got[1]-want[1]) > 1e-12*setup.Bound {
							t.Fatalf("S = %v: row %v, want %v", s, got, want)
						}
					}
				}
			}
			if !(most <= setup.Bound && most >= 0.999*setup.Bound) || math.Abs(context/setup.Context-1) > 1e-12 {
				t.Errorf("S = %v, L = %v: rows of length %v at most, and contexts of %v; the bounds are %v and %v", s, norm, most, context, setup.Bound, setup.Context)
			}
		}
	}
}

// TestLogisticSigns: a context of the other sign and the other reward is the same record.
func TestLogisticSigns(t *testing.T) {
	a := runtest.Run(t, learner.New(linear.Logistic{ThetaNorm: 3}, nil), oneArm, 500, nil, nil)
	b := runtest.Run(t, learner.New(linear.Logistic{ThetaNorm: 3}, nil), oneArm, 500, nil, nil)
	for round := 1; round <= 400; round++ {
		x, y := logisticRow(round)
		v := bandit.View{Round: round, Arms: 1, Dim: 2, X: x[:]}
		a.Update(&v, a.Select(&v, nil), []float64{y})
		if round%3 == 0 {
			x, y = [2]float64{-x[0], -x[1]}, 1-y
		}
		v.X = x[:]
		b.Update(&v, b.Select(&v, nil), []float64{y})
	}
	want, _ := estimate(t, a.Run, oneArm, 401)
	got, _ := estimate(t, b.Run, oneArm, 401)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("theta[%d] = %v, want %v", i, got[i], want[i])
		}
	}
}

func logistics(b privacy.Budget) map[string]privacy.Accumulator {
	return map[string]privacy.Accumulator{
		"exact": nil, "tree": continual.Tree{Noise: continual.Gaussian{Budget: b}}, "BLT": continual.BLT{Budget: b},
	}
}

func TestLogisticConformance(t *testing.T) {
	env := environment.Logistic{Arms: 6}
	for name, sums := range logistics(privacy.Budget{Epsilon: 4, Delta: 0.02}) {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, learner.New(linear.Logistic{ThetaNorm: 2.5}, sums), env, bandittest.LearnerOptions{Seed: 1, Rounds: 300})
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{Policy: linear.Logistic{ThetaNorm: 2.5}, Statistic: sums, Problem: env.Problem(), Rounds: 200})
		})
	}
}

// TestLogisticWithoutNoise: at an infinite epsilon, sums under noise play what exact ones do.
func TestLogisticWithoutNoise(t *testing.T) {
	want, _ := learnertest.Choices(t, environment.Logistic{}, learner.New(linear.Logistic{ThetaNorm: 2.5}, nil), 2000, true)
	for name, sums := range logistics(privacy.Budget{Epsilon: math.Inf(1), Delta: 0.1}) {
		if got, _ := learnertest.Choices(t, environment.Logistic{}, learner.New(linear.Logistic{ThetaNorm: 2.5}, sums), 2000, true); !slices.Equal(got, want) {
			t.Errorf("%s: other arms than those of exact sums", name)
		}
	}
}

// TestLogisticClaim: the claim is the statistic's, exactly as calibrated, for any bound of theta.
func TestLogisticClaim(t *testing.T) {
	for _, s := range []float64{0.5, 2.5, 10} {
		for name, sums := range logistics(privacy.Budget{Epsilon: 4, Delta: 0.02}) {
			claim, err := learner.ClaimOf(learner.New(linear.Logistic{ThetaNorm: s}, sums), environment.Logistic{}.Problem(), 10_000)
			want := map[bool]float64{true: math.Inf(1), false: 4}[name == "exact"]
			if err != nil || !(claim.Epsilon() == want || math.Abs(claim.Epsilon()/want-1) < 1e-6) {
				t.Errorf("%s, S = %v: claims %v (%v), want %v", name, s, claim.Epsilon(), err, want)
			}
		}
	}
}

func TestLogisticRefuses(t *testing.T) {
	problem := environment.Logistic{}.Problem()
	long := problem
	long.ContextNorm = 20
	for _, c := range []struct {
		l    bandit.Learner
		p    bandit.Problem
		want string
	}{
		{learner.New(linear.Logistic{ThetaNorm: -1}, nil), problem, "Logistic.ThetaNorm = -1"},
		{learner.New(linear.Logistic{ThetaNorm: 31}, nil), problem, "Logistic.ThetaNorm = 31"},
		{learner.New(linear.Logistic{ThetaNorm: 2}, nil), long, "of norm 20"},
		{learner.New(linear.Logistic{ThetaNorm: math.NaN()}, nil), problem, "Logistic.ThetaNorm = NaN"},
		{learner.New(linear.Logistic{Alpha: 2}, nil), problem, "Logistic.Alpha = 2"},
		{learner.New(linear.Logistic{Width: math.Inf(1)}, nil), problem, "Logistic.Width = +Inf"},
		{learner.New(linear.Logistic{}, nil), bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, "needs contexts"},
	} {
		if _, err := c.l.Open(c.p, 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	run := runtest.Run(t, learner.New(linear.Logistic{}, nil), problem, 100, nil, random.Source(1, 0, "noise"))
	v := bandit.View{Round: 1, Arms: 1, Dim: 3, X: []float64{0.1, 0, 0}}
	if err := run.Run.Update(&v, []int{0}, []float64{math.NaN()}); err == nil {
		t.Error("a reward that is no number is taken")
	}
}

// TestLogisticRefusesNoContext: under a broadcast whose products with contexts overflow a device
// still has a row to send. To send none would tell of the context.
func TestLogisticRefusesNoContext(t *testing.T) {
	p := bandit.Problem{Arms: 1, Dim: 2, Slots: 1, ContextNorm: 10, RewardMax: 1}
	policy := learner.New(linear.Logistic{}, nil)
	ready, err := policy.Open(p, 100)
	if err != nil {
		t.Fatal(err)
	}
	rule := ready.Start(nil, random.Source(1, 0, "noise")).(*learner.PrivateRun[privacy.Sums]).Rule().(learner.Encoder)
	for _, theta := range [][]float64{{1.7e308, -1.7e308}, {math.Inf(1), 0}} {
		for _, x := range [][]float64{{5, 5}, {0, 0}, {0, 1}} {
			r := privacy.Record{X: x, Y: []float64{1}}
			if err := rule.Encode(theta, &r); err != nil || !packed.Finite(r.X) || !packed.Finite(r.Y) {
				t.Errorf("theta = %v, x = %v: %v, and a row %v, %v", theta, x, err, r.X, r.Y)
			}
		}
	}
}
