package linear_test

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/allocs"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// weighted.py makes it.
//
//go:embed testdata/weighted.csv
var weightedGolden string

// short is a problem in three dimensions.
var short = bandit.Problem{Arms: 1, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

var shortTheta = []float64{0.5, -0.3, 0.7}

// weightedOver is the learner over batches of a budget.
func weightedOver(w linear.Weighted, b privacy.Budget) learner.Private[continual.Batch] {
	return learner.New(w, continual.VectorBatches{Budget: b, Equal: w.Steps})
}

// sender plays a rule by hand: its batches, encoded.
type sender struct {
	rule      learner.Rule[continual.Batch]
	stream    privacy.Stream[continual.Batch]
	broadcast []float64
}

func sending(t *testing.T, l learner.Private[continual.Batch], p bandit.Problem, horizon int, seed uint64) *sender {
	t.Helper()
	setup, err := l.Setup(p, horizon)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.Statistic.Open(setup)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := l.Policy.Prepare(p, horizon, privacy.First(m))
	if err != nil {
		t.Fatal(err)
	}
	s := &sender{rule: prepared.Begin(nil), stream: m.Start(privacy.NewNoise(random.Source(seed, 0, "noise")))}
	s.broadcast, err = s.rule.Learn(s.stream.Release())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add adds a record, and reports whether a batch has ended.
func (s *sender) add(t *testing.T, x []float64, y float64) bool {
	t.Helper()
	r := privacy.Record{X: x, Y: []float64{y}}
	if err := s.rule.(learner.Encoder).Encode(s.broadcast, &r); err != nil {
		t.Fatal(err)
	}
	moved, err := s.stream.Add(&r)
	if err == nil && moved {
		s.broadcast, err = s.rule.Learn(s.stream.Release())
	}
	if err != nil {
		t.Fatal(err)
	}
	return moved
}

// TestWeightedReference: without noise, theta and the widths of each batch are those that numpy
// finds with another root of the same matrix, and R^T R is what scipy finds for the fixed point.
func TestWeightedReference(t *testing.T) {
	golden := learnertest.Golden(t, weightedGolden)
	batches, fixed := golden["batch"], golden["fixed"][0]
	const horizon = 4000
	x, y := learnertest.ShortData(horizon)
	s := sending(t, weightedOver(linear.Weighted{}, learnertest.None), short, horizon, 1)
	for i, row := range x {
		s.add(t, row, y[i])
	}
	got := s.broadcast[6:]
	if len(got) != 12*len(batches) || len(batches) != 8 {
		t.Fatalf("%d numbers of %d batches, want 12 of each of 8", len(got), len(batches))
	}
	near := func(what string, got, want []float64, tolerance float64) {
		for i, v := range want {
			if !(math.Abs(got[i]-v) <= tolerance*math.Abs(v)) {
				t.Errorf("%s: %v, want %v", what, got, want)
				return
			}
		}
	}
	for e, want := range batches {
		have := learnertest.Widths(got[12*e:])
		near("theta and widths of batch "+strconv.Itoa(e), have, want, 1e-7)
	}

	const long = 1 << 20
	s = sending(t, weightedOver(linear.Weighted{Sigma: 1e-5}, learnertest.None), short, long, 1)
	for i := range long {
		s.add(t, x[i%50], y[i%50])
	}
	r := s.broadcast
	square := learnertest.Square(r)
	near("R^T R", square, fixed, 1e-3)
}

// TestWeightedNoise: the noise's scale and what it buys, and that no less would do: for some R two
// messages are within a thousandth of the plan's distance, and none is longer than half of it.
func TestWeightedNoise(t *testing.T) {
	for _, c := range []struct {
		b  privacy.Budget
		sd float64 // 2 sqrt(6)/mu; mu(1, 1e-5) = 0.26805, mu(10, 0.1) = 3.5488
	}{{learnertest.Strict, 18.277}, {privacy.Budget{Epsilon: 10, Delta: 0.1}, 1.3805}} {
		ready, err := weightedOver(linear.Weighted{}, c.b).Open(short, 100)
		if err != nil {
			t.Fatal(err)
		}
		claim := privacy.ClaimOf(ready)
		if math.Abs(claim.Epsilon()-c.b.Epsilon) > 1e-6 || claim.Model() != privacy.Joint {
			t.Errorf("%v: %v", c.b, claim)
		}
		if sd := privacy.PlanOf(ready, privacy.All).Cases[0][0].Law.Scale; math.Abs(sd-c.sd) > 2e-3*c.sd {
			t.Errorf("%v: sd = %v, want %v", c.b, sd, c.sd)
		}
	}
	rule := sending(t, weightedOver(linear.Weighted{}, learnertest.None), short, 100, 1).rule.(learner.Encoder)
	message := func(r, x []float64, y float64) []float64 {
		rec := privacy.Record{X: x, Y: []float64{y}}
		if err := rule.Encode(r, &rec); err != nil || len(rec.Y) > 0 {
			t.Fatal(rec, err)
		}
		return slices.Clone(rec.X)
	}
	apart := 0.0
	const most = 2.449489742783178 // sqrt(3 (1 + 1))
	for _, stretch := range []float64{1, 1e-6, 1e-12} {
		for _, a := range []float64{1e-4, 0.3, 0.9} {
			r, c := []float64{1e6, 0, 1e6 * stretch, 0, 0, 1e6}, math.Sqrt(1-a*a)
			one, other := message(r, []float64{a, c, 0}, 1), message(r, []float64{-a, c, 0}, 1)
			var square float64
			for i, v := range one {
				square += (v - other[i]) * (v - other[i])
			}
			if apart = max(apart, math.Sqrt(square)); packed.Norm(one) > most*(1+1e-12) {
				t.Errorf("a message of norm %v, want at most sqrt(6)", packed.Norm(one))
			}
		}
	}
	if apart > 2*most*(1+1e-12) || apart < 0.999*2*most {
		t.Errorf("messages are up to %v apart, want almost 2 sqrt(6)", apart)
	}
}

// TestWeightedCoverage: under noise, no estimate of 60 runs is farther from theta* than its width
// says in any direction, at alpha = 0.001 a run (false alarm 0.06 at most), and some come within a
// third of it. In the end the mean width is at most 2 sqrt(d) beta, and that at most 9/8 sqrt(3)
// lambda, though the contexts' least eigenvalue is 3e-4.
func TestWeightedCoverage(t *testing.T) {
	const horizon, runs = 20_000, 60
	b := privacy.Budget{Epsilon: 2, Delta: 0.1}
	x, y := learnertest.ShortData(horizon)
	worst, width := 0.0, 0.0
	for seed := range uint64(runs) {
		s := sending(t, weightedOver(linear.Weighted{Alpha: 0.001, Sigma: 0.1}, b), short, horizon, seed)
		for i, row := range x {
			s.add(t, row, y[i])
		}
		got := s.broadcast[6:]
		for ; len(got) > 0; got = got[12:] {
			miss := []float64{got[0] - shortTheta[0], got[1] - shortTheta[1], got[2] - shortTheta[2]}
			for _, row := range x[:200] {
				far := learnertest.Length(got[3:12], row)
				worst = max(worst, math.Abs(learnertest.Dot(row, miss))/far)
				if len(got) == 12 {
					width += far / 200 / runs
				}
			}
		}
	}
	const last, d = 6144, 3. // rounds of the last batch, of 10
	mu, err := b.GaussianMu()
	if err != nil {
		t.Fatal(err)
	}
	tails := math.Sqrt(d) + math.Sqrt(2*math.Log(3*10/0.001))
	lambda := (0.1/math.Sqrt(last) + math.Sqrt2*2*math.Sqrt(2*d)/mu/last) * tails
	if most := 2 * math.Sqrt(d) * 1.125 * math.Sqrt(d) * lambda; width > most || width < most/10 {
		t.Errorf("a mean width of %v, want at most %v", width, most)
	}
	if worst > 1 || worst < 1./3 {
		t.Errorf("an error of %v times its width", worst)
	}
}

// TestWeightedSteps: what is ruled out changes after so many batches, and R after each.
func TestWeightedSteps(t *testing.T) {
	x, y := learnertest.ShortData(1000)
	s := sending(t, weightedOver(linear.Weighted{Steps: 3}, learnertest.Strict), short, 1000, 1)
	ended := 0
	for i, row := range x {
		before := s.broadcast[0]
		if s.add(t, row, y[i]) {
			ended++
			if s.stream.Release().Next > 0 && s.broadcast[0] == before {
				t.Errorf("batch %d leaves R as it was", ended)
			}
		}
		if n := (len(s.broadcast) - 6) / 12; n != ended/3*3 {
			t.Fatalf("%d estimates after %d batches", n, ended)
		}
	}
	if ended < 9 {
		t.Errorf("%d batches", ended)
	}
}

// TestWeightedConformance: it is a proper learner, its noise is the noise claimed, and its choices
// are a function of releases and views.
func TestWeightedConformance(t *testing.T) {
	env := environment.UnitFeatures{Dim: 3, Arms: 12}
	for name, b := range map[string]privacy.Budget{"": learnertest.Strict, "/epsilon=inf": learnertest.None} {
		for _, steps := range []int{1, 2} {
			l := weightedOver(linear.Weighted{Steps: steps}, b)
			t.Run("weighted"+name, func(t *testing.T) {
				bandittest.Learner(t, l, env, bandittest.LearnerOptions{Seed: 1, Rounds: 150})
				if b.None() {
					return
				}
				privacytest.Replay(t, privacytest.PolicyCase[continual.Batch]{
					Policy: linear.Weighted{Steps: steps, Width: 0.1}, Statistic: l.Statistic, Problem: world(t, env), Rounds: 300,
				})
				privacytest.Learner(t, privacytest.LearnerCase{Learner: l, Problem: world(t, env)})
			})
			e := &simulate.Experiment{
				Name: "weighted", Environment: env,
				Horizon: 300, Rounds: 250, Trials: 2, Seed: 1, Policies: []simulate.Policy{{Name: "weighted", Learner: l}},
			}
			if _, err := e.Run(context.Background()); err != nil { // compares the noise drawn with the claim
				t.Error(err)
			}
		}
	}
}

func world(t *testing.T, env bandit.Environment) bandit.Problem {
	t.Helper()
	return runtest.Open(t, env).Problem()
}

// TestWeightedAllocs: a round allocates nothing, at the end of a batch either.
func TestWeightedAllocs(t *testing.T) {
	const rounds = 2000
	world := runtest.Open(t, environment.UnitFeatures{Dim: 4, Arms: 8})
	l := learner.New(linear.Weighted{}, nil)
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
		of    linear.Weighted
		words []string
	}{
		{linear.Weighted{Alpha: 2}, []string{"Weighted.Alpha = 2"}},
		{linear.Weighted{Width: -1}, []string{"Width = -1"}},
		{linear.Weighted{Sigma: math.NaN()}, []string{"Sigma = NaN"}},
		{linear.Weighted{ThetaNorm: math.Inf(1)}, []string{"ThetaNorm = +Inf"}},
		{linear.Weighted{Steps: -1}, []string{"Steps = -1", ">= 1"}},
	} {
		l := learner.New(c.of, continual.VectorBatches{Budget: learnertest.Strict})
		expect.Error(t, "Weighted", learnertest.Failure(l.Open(short, 100)), c.words...)
	}
	s := sending(t, weightedOver(linear.Weighted{}, learnertest.Strict), short, 100, 1)
	good := slices.Clone(s.broadcast)
	v := bandit.View{Round: 1, Arms: 1, Dim: 3, X: []float64{1, 0, 0}}
	for _, c := range []struct {
		broadcast []float64
		words     []string
	}{
		{nil, []string{"broadcast of 0 numbers", "want 6 and 12"}},
		{append(slices.Clone(good), 1), []string{"broadcast of 7 numbers"}},
		{append(slices.Clone(good[:5]), math.NaN()), []string{"number 5", "NaN"}},
		{append(slices.Clone(good[:5]), 1e101), []string{"number 5", "1e+101", "want in ["}},
	} {
		_, err := s.rule.Act(c.broadcast, &v, nil)
		expect.Error(t, "Act", err, c.words...)
		r := privacy.Record{X: []float64{1, 0, 0}, Y: []float64{1}}
		expect.Error(t, "Encode", s.rule.(learner.Encoder).Encode(c.broadcast, &r), c.words...)
	}
	for _, r := range []privacy.Record{{X: []float64{1, 0}, Y: []float64{1}}, {X: []float64{1, 0, 0}}} {
		expect.Error(t, "Encode", s.rule.(learner.Encoder).Encode(good, &r), "want 3 and 1")
	}
	_, err := s.rule.Learn(&continual.Batch{Of: make([]float64, 6)})
	expect.Error(t, "Learn", err, "6 numbers", "want 12")
}
