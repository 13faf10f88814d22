package local_test

import (
	"context"
	_ "embed"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/allocs"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// weighted.py makes it.
//
//go:embed testdata/weighted.csv
var weightedGolden string

// short is a problem in three dimensions.
var short = bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// reports sends a server the messages of rows, again and again.
func reports(t *testing.T, device learner.Reporter, server learner.Receiver, x [][]float64, y []float64, count int, seed uint64) {
	t.Helper()
	noise := privacy.NewNoise(random.Source(seed, 0, "noise"))
	var m learner.Message
	var err error
	for i := range count {
		if m, err = device.Report(server.Broadcast(), x[i%len(x)], y[i%len(x)], noise, m[:0]); err != nil {
			t.Fatal(err)
		}
		if err = server.Receive(m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWeightedReference: without noise, theta and the widths of each epoch are those that numpy
// finds with another root of the same matrix, and R^T R is what scipy finds by minimising.
func TestWeightedReference(t *testing.T) {
	golden := learnertest.Golden(t, weightedGolden)
	epochs, lewis := golden["epoch"], golden["lewis"][0]
	const horizon = 4000
	_, device := learnertest.Device(t, local.WeightedDevice{Budget: learnertest.None}, short, horizon)
	server := learnertest.Server[learner.Receiver](t, local.WeightedServer{Budget: learnertest.None}, short, horizon)
	x, y := learnertest.ShortData(horizon)
	reports(t, device, server, x, y, horizon, 1)
	got := server.Broadcast()[6:]
	if len(got) != 12*len(epochs) || len(epochs) < 5 {
		t.Fatalf("%d numbers of %d epochs, want 12 of each", len(got), len(epochs))
	}
	for e, want := range epochs {
		have := learnertest.Widths(got[12*e:])
		if !closeTo(have, want, 1e-7) {
			t.Errorf("epoch %d: theta and widths %v, want %v", e, have, want)
		}
	}

	const long = 1 << 20
	server = learnertest.Server[learner.Receiver](t, local.WeightedServer{Budget: learnertest.None, Sigma: 1e-5}, short, long)
	reports(t, device, server, x[:50], y, long, 1)
	r := server.Broadcast()
	square := learnertest.Square(r)
	if !closeTo(square, lewis, 1e-3) {
		t.Errorf("R^T R = %v, want the L1 Lewis ellipsoid %v", square, lewis)
	}
}

// TestWeightedNoise: the noise's scale, what it buys, and that no less would do: a broadcast brings
// two messages within a thousandth of the plan's distance.
func TestWeightedNoise(t *testing.T) {
	for _, c := range []struct {
		b     privacy.Budget
		sigma float64 // 2 sqrt(2)/mu; mu(1, 1e-5) = 0.26805, mu(10, 0.1) = 3.5488
	}{{learnertest.Strict, 10.552}, {privacy.Budget{Epsilon: 10, Delta: 0.1}, 0.797}} {
		ready, _ := learnertest.Device(t, local.WeightedDevice{Budget: c.b}, short, 100)
		if sigma := privacy.PlanOf(ready, privacy.All).Draws[0].Scale; math.Abs(sigma-c.sigma) > 2e-3*c.sigma {
			t.Errorf("%v: sigma = %v, want %v", c.b, sigma, c.sigma)
		}
		if eps := privacy.ClaimOf(ready).Epsilon(); math.Abs(eps-c.b.Epsilon) > 1e-6 {
			t.Errorf("%v: epsilon = %v", c.b, eps)
		}
	}
	_, device := learnertest.Device(t, local.WeightedDevice{Budget: learnertest.None}, short, 100)
	far := 0.0
	for _, stretch := range []float64{1, 1e-6, 1e-12} {
		for _, a := range []float64{1e-4, 0.3, 0.9} {
			c := math.Sqrt(1 - a*a)
			one := message(t, device, []float64{1, 0, stretch, 0, 0, 1}, []float64{a, c, 0}, 1)
			for _, other := range []learner.Message{
				message(t, device, []float64{1, 0, stretch, 0, 0, 1}, []float64{-a, c, 0}, 1),
				message(t, device, []float64{1, 0, stretch, 0, 0, 1}, []float64{a, -c, 0}, -1),
			} {
				var square float64
				for i, v := range one {
					square += (v - other[i]) * (v - other[i])
				}
				far = max(far, math.Sqrt(square))
			}
		}
	}
	if d := 2 * math.Sqrt2; far > d*(1+1e-12) || far < 0.999*d {
		t.Errorf("messages are up to %v apart, want almost 2 sqrt(2)", far)
	}
	for _, r := range [][]float64{{0, 0, 0, 0, 0, 0}, {1e-300, 0, 0, 0, 0, 1e-300}, {1e100, 1e100, 1e100, 1e100, 1e100, 1e100}} {
		if m := message(t, device, r, []float64{0.6, 0.8, 0}, 1); packed.Norm(m) > math.Sqrt2*(1+1e-12) {
			t.Errorf("R = %v: a message of length %v", r, packed.Norm(m))
		}
	}
}

func message(t *testing.T, device learner.Reporter, r, x []float64, y float64) learner.Message {
	t.Helper()
	m, err := device.Report(r, x, y, privacy.NewNoise(random.Source(1, 0, "noise")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWeightedCoverage: under noise, no estimate of 100 runs is farther from theta* than its width
// says in any direction, at alpha = 0.001 a run (false alarm 0.1 at most), and some come within a
// third of it. The mean width is at most 2 d beta, though the contexts' least eigenvalue is 3e-4
// and lambda is above 0.03.
func TestWeightedCoverage(t *testing.T) {
	const horizon, d = 30_000, 3
	b := privacy.Budget{Epsilon: 10, Delta: 0.1}
	x, y := learnertest.ShortData(horizon)
	theta := []float64{0.5, -0.3, 0.7}
	worst := 0.0
	for seed := range uint64(100) {
		_, device := learnertest.Device(t, local.WeightedDevice{Budget: b}, short, horizon)
		server := learnertest.Server[learner.Receiver](t, local.WeightedServer{Budget: b, Alpha: 0.001}, short, horizon)
		reports(t, device, server, x, y, horizon, seed)
		got := server.Broadcast()[6:]
		for ; len(got) > 0; got = got[12:] {
			miss := []float64{got[0] - theta[0], got[1] - theta[1], got[2] - theta[2]}
			// sup over x of <x, miss>/|A x| is |A^-T miss|: try the directions of many contexts
			for _, row := range x[:200] {
				worst = max(worst, math.Abs(learnertest.Dot(row, miss))/learnertest.Length(got[3:12], row))
			}
		}
	}
	if worst > 1 || worst < 1./3 {
		t.Errorf("an error of %v times its width", worst)
	}
}

// TestWeightedElimination: the arms played in turn are those that no estimate rules out, found by
// comparing each with the best that is left, in gonum.
func TestWeightedElimination(t *testing.T) {
	r := random.New(1, 0, "estimates")
	p := bandit.Problem{Arms: 6, Dim: 3, Slots: 1, ContextNorm: 10, RewardMin: -1, RewardMax: 1}
	_, device := learnertest.Device(t, local.WeightedDevice{Budget: learnertest.Strict}, p, 100)
	sizes := map[int]int{}
	for range 300 {
		broadcast := make([]float64, 6+3*12)
		v := bandit.View{Arms: 6, Dim: 3, X: make([]float64, 18)}
		for i := range broadcast {
			broadcast[i] = r.NormFloat64()
		}
		for i := range v.X {
			v.X[i] = r.NormFloat64()
		}
		left := map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true}
		for e := range 3 {
			theta := mat.NewVecDense(3, broadcast[6+12*e:9+12*e])
			a := mat.NewDense(3, 3, broadcast[9+12*e:18+12*e])
			row := func(arm int) *mat.VecDense { return mat.NewVecDense(3, slices.Clone(v.Row(arm))) }
			best := -1
			for arm := range 6 {
				if left[arm] && (best < 0 || mat.Dot(theta, row(arm)) > mat.Dot(theta, row(best))) {
					best = arm
				}
			}
			for arm := range 6 {
				var delta, side mat.VecDense
				delta.SubVec(row(best), row(arm))
				side.MulVec(a, &delta)
				if mat.Dot(theta, &delta) > mat.Norm(&side, 2) {
					delete(left, arm)
				}
			}
		}
		played := map[int]bool{}
		for v.Round = 1; v.Round <= len(left); v.Round++ {
			arm, err := device.Act(broadcast, &v)
			if err != nil {
				t.Fatal(err)
			}
			played[arm] = true
		}
		if !maps.Equal(played, left) {
			t.Errorf("%v are played, want %v", played, left)
		}
		sizes[len(left)]++
	}
	if len(sizes) < 5 {
		t.Errorf("arms left, and how often: %v", sizes)
	}
}

// rotated shows the contexts of an environment in other coordinates.
type rotated struct{ bandit.Environment }

type rotatedRun struct {
	bandit.Instance
	x []float64
}

func (r rotated) Open() (bandit.World, error) {
	w, err := r.Environment.Open()
	if err != nil {
		return nil, err
	}
	return bandit.NewWorld(w.Problem(), func(contexts *rand.Rand) bandit.Instance {
		return &rotatedRun{Instance: w.Start(contexts)}
	}), nil
}

// Next turns each pair of neighbouring coordinates by an angle of its own.
func (r *rotatedRun) Next(v *bandit.View) {
	r.Instance.Next(v)
	r.x = append(r.x[:0], v.X...)
	v.X = r.x
	for a := range v.Arms {
		row := v.Row(a)
		for i := range len(row) - 1 {
			s, c := math.Sincos(float64(i + 1))
			row[i], row[i+1] = c*row[i]-s*row[i+1], s*row[i]+c*row[i+1]
		}
	}
}

// TestWeightedRotation: without noise, turning all contexts changes no choice but by rounding, and
// noise that vanishes changes few.
func TestWeightedRotation(t *testing.T) {
	const rounds = 20_000
	env := environment.UnitFeatures{Dim: 4, Arms: 8}
	weighted := func(b privacy.Budget) learner.Local {
		return learner.Local{Device: local.WeightedDevice{Budget: b}, Server: local.WeightedServer{Budget: b, Width: 0.3}}
	}
	plain, _ := learnertest.Choices(t, env, weighted(learnertest.None), rounds, false)
	turned, _ := learnertest.Choices(t, rotated{env}, weighted(learnertest.None), rounds, false)
	faint, _ := learnertest.Choices(t, env, weighted(privacy.Budget{Epsilon: 1e16, Delta: 0.1}), rounds, false)
	noisy, _ := learnertest.Choices(t, env, weighted(learnertest.Strict), rounds, false)
	differ := func(other []int) (n int) {
		for i, a := range plain {
			if a != other[i] {
				n++
			}
		}
		return n
	}
	if n := differ(turned); n > 4 {
		t.Errorf("%d choices of %d change with the coordinates", n, len(plain))
	}
	if n := differ(faint); n > 40 {
		t.Errorf("%d choices of %d differ under noise that vanishes", n, len(plain))
	}
	if n := differ(noisy); n < len(plain)/10 {
		t.Errorf("%d choices of %d differ under noise", n, len(plain))
	}
}

// TestWeightedConformance: it is a proper learner, and its noise is the noise claimed.
func TestWeightedConformance(t *testing.T) {
	for name, b := range map[string]privacy.Budget{"": learnertest.Strict, "/epsilon=inf": learnertest.None} {
		l := learner.Local{Device: local.WeightedDevice{Budget: b}, Server: local.WeightedServer{Budget: b}}
		t.Run("weighted"+name, func(t *testing.T) {
			bandittest.Learner(t, l, environment.UnitFeatures{Dim: 4, Arms: 12}, bandittest.LearnerOptions{Seed: 1, Rounds: 150})
		})
		e := &simulate.Experiment{
			Name: "weighted", Environment: environment.UnitFeatures{Dim: 4, Arms: 12, Fixed: true},
			Horizon: 300, Rounds: 250, Trials: 2, Seed: 1, Policies: []simulate.Policy{{Name: "weighted", Learner: l}},
		}
		if _, err := e.Run(context.Background()); err != nil { // compares the noise drawn with the claim
			t.Error(err)
		}
	}
}

// TestWeightedAllocs: a round allocates nothing, at the end of an epoch either.
func TestWeightedAllocs(t *testing.T) {
	const rounds = 2000
	world := runtest.Open(t, environment.UnitFeatures{Dim: 4, Arms: 8})
	l := learner.Local{Device: local.WeightedDevice{Budget: learnertest.None}, Server: local.WeightedServer{Budget: learnertest.None}}
	run := runtest.Run(t, l, world.Problem(), 3*rounds, random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	trial, rewards := world.Start(random.New(1, 0, "contexts")), random.New(1, 0, "rewards")
	var v bandit.View
	arms, y := make([]int, 0, 1), make([]float64, 1)
	if n := allocs.PerRun(2, func() {
		for range rounds {
			trial.Next(&v)
			arms = run.Select(&v, arms[:0])
			trial.Pull(rewards, arms, y)
			run.Update(&v, arms, y)
		}
	}); n > 0 {
		t.Errorf("%v allocations in %d rounds", n, rounds)
	}
}

func TestWeightedRefuses(t *testing.T) {
	for _, c := range []struct {
		b     privacy.Budget
		words []string
	}{
		{privacy.Budget{}, []string{"epsilon = 0"}},
		{privacy.Budget{Epsilon: 1}, []string{"delta = 0"}},
		{privacy.Budget{Epsilon: 1e-60, Delta: 1e-60}, []string{"1e50"}},
	} {
		expect.Error(t, "WeightedDevice", learnertest.Failure(local.WeightedDevice{Budget: c.b}.Open(short, 100)), c.words...)
		expect.Error(t, "WeightedServer", learnertest.Failure(local.WeightedServer{Budget: c.b}.Open(short, 100)), c.words...)
	}
	for _, c := range []struct {
		s     local.WeightedServer
		words []string
	}{
		{local.WeightedServer{Alpha: 2}, []string{"WeightedServer.Alpha = 2"}},
		{local.WeightedServer{Width: -1}, []string{"Width = -1"}},
		{local.WeightedServer{Sigma: math.NaN()}, []string{"Sigma = NaN"}},
		{local.WeightedServer{ThetaNorm: math.Inf(1)}, []string{"ThetaNorm = +Inf"}},
	} {
		c.s.Budget = learnertest.Strict
		expect.Error(t, "WeightedServer", learnertest.Failure(c.s.Open(short, 100)), c.words...)
	}
	_, device := learnertest.Device(t, local.WeightedDevice{Budget: learnertest.Strict}, short, 100)
	server := learnertest.Server[learner.Receiver](t, local.WeightedServer{Budget: learnertest.Strict}, short, 100)
	good := slices.Clone(server.Broadcast())
	v := bandit.View{Round: 1, Arms: 2, Dim: 3, X: []float64{1, 0, 0, 0, 1, 0}}
	for _, c := range []struct {
		broadcast []float64
		words     []string
	}{
		{nil, []string{"broadcast of 0 numbers", "want 6 and 12 for each epoch"}},
		{append(slices.Clone(good), 1), []string{"broadcast of 7 numbers"}},
		{append(slices.Clone(good[:5]), math.NaN()), []string{"number 5", "NaN"}},
		{append(slices.Clone(good[:5]), 1e101), []string{"number 5", "1e+101", "want in ["}},
	} {
		_, err := device.Act(c.broadcast, &v)
		expect.Error(t, "Act", err, c.words...)
		ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
		_, err = device.Report(c.broadcast, []float64{1, 0, 0}, 1, privacy.NewNoise(ledger), nil)
		if expect.Error(t, "Report", err, c.words...); len(ledger.Drawn()) > 0 {
			t.Errorf("a refused report has drawn %v", ledger.Drawn())
		}
	}
	v.X[1] = math.Inf(1)
	_, err := device.Act(good, &v)
	expect.Error(t, "Act", err, "Inf")
	for _, m := range []learner.Message{nil, make(learner.Message, 13), with(12, 3, math.NaN()), with(12, 11, 1e60)} {
		if server.Receive(m) == nil {
			t.Errorf("a message of %v is accepted", m)
		}
	}
}

// with is a message of zeros but for one number.
func with(size, at int, v float64) learner.Message {
	m := make(learner.Message, size)
	m[at] = v
	return m
}
