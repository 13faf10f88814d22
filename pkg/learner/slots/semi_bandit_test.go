package slots_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func blocks(epsilon float64) tally.Blocks {
	return tally.Blocks{Budget: privacy.Budget{Epsilon: epsilon}}
}

func TestSemiBanditConformance(t *testing.T) {
	uniform := environment.SemiBandit{Matroid: expect.Must(matroid.NewUniform(5, 1)), Means: []float64{0.1, 0.9, 0.3, 0.2, 0}, Sigma: 0.5}
	for _, e := range []struct {
		name string
		env  bandit.Environment
		m    matroid.Matroid
	}{
		{"table2", learnertest.Table2(), learnertest.Table2().Matroid},
		{"films", learnertest.Films(), learnertest.Films().Matroid},
		{"uniform", uniform, uniform.Matroid},
	} {
		for _, s := range learnertest.SemiBandits {
			t.Run(e.name+"/"+s.Name, func(t *testing.T) {
				bandittest.Learner(t, s.Make(e.m), e.env, bandittest.LearnerOptions{Seed: 1, Rounds: 60})
			})
		}
		for name, l := range map[string]bandit.Learner{
			"omm":      learner.New(slots.OMM{Matroid: e.m, WarmUp: true}, blocks(1)),
			"cts":      learner.New(slots.CTS{Matroid: e.m, WarmUp: true}, blocks(1)),
			"kl-osm":   learner.New(slots.KLOSM{Matroid: e.m, WarmUp: true}, nil),
			"gaussian": learner.New(slots.OMM{Matroid: e.m}, tally.Blocks{Budget: learnertest.Budget}),
			"omm/inf":  learner.New(slots.OMM{Matroid: e.m}, blocks(math.Inf(1))),
		} {
			if name != "omm/inf" && name != "gaussian" {
				name += "/as published"
			}
			t.Run(e.name+"/"+name, func(t *testing.T) {
				bandittest.Learner(t, l, e.env, bandittest.LearnerOptions{Seed: 1, Rounds: 60})
			})
		}
	}
}

// TestScaleOfWeights: weights and their range scaled and moved, by numbers that leave
// floating-point results as they are, change no choice.
func TestScaleOfWeights(t *testing.T) {
	env := learnertest.Table2()
	for _, s := range learnertest.SemiBandits {
		p := env.Problem()
		want := learnertest.SemiPlay(t, s.Make(env.Matroid), p, env.Matroid, 1500, learnertest.Weights(env.Means))
		for _, scale := range []float64{1. / 8, 64} {
			p.RewardMin, p.RewardMax = 0, scale
			got := learnertest.SemiPlay(t, s.Make(env.Matroid), p, env.Matroid, 1500, func(round, arm int) float64 { return scale * learnertest.Weights(env.Means)(round, arm) })
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s: other arms with weights scaled by %v", s.Name, scale)
			}
		}
		if strings.Contains(s.Name, "blocks") || strings.HasPrefix(s.Name, "dp") || strings.HasPrefix(s.Name, "cucb") {
			continue // noise has all digits, and moving it rounds them
		}
		p.RewardMin, p.RewardMax = -1, 0
		learnertest.SemiPlay(t, s.Make(env.Matroid), p, env.Matroid, 1500, func(round, arm int) float64 { return learnertest.Weights(env.Means)(round, arm) - 1 })
	}
}

// TestPermutedArms: the arms in another order, each with its weights, are chosen as before. Weights
// and widths are such that no two indices tie, and all arms are seen at first.
func TestPermutedArms(t *testing.T) {
	vectors := [][]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {0, 0, 0}}
	env := learnertest.Table2()
	p := env.Problem()
	weight := func(round, arm int) float64 {
		return min(1, env.Means[arm]*2*rand.New(rand.NewPCG(uint64(round), uint64(arm))).Float64())
	}
	// arm i is perm[i] of before
	for _, perm := range [][]int{{6, 5, 4, 3, 2, 1, 0}, {3, 0, 6, 1, 5, 2, 4}} {
		moved := make([][]int, len(perm))
		for i, e := range perm {
			moved[i] = vectors[e]
		}
		other := expect.Must(matroid.NewLinear(moved))
		for name, l := range map[string]func(m matroid.Matroid) bandit.Learner{
			"omm": func(m matroid.Matroid) bandit.Learner {
				return learner.New(slots.OMM{Matroid: m, WarmUp: true}, nil)
			},
			"kl-osm": func(m matroid.Matroid) bandit.Learner {
				return learner.New(slots.KLOSM{Matroid: m, WarmUp: true}, nil)
			},
			"blocks": func(m matroid.Matroid) bandit.Learner {
				return learner.New(slots.OMM{Matroid: m, WarmUp: true}, blocks(math.Inf(1)))
			},
		} {
			want := learnertest.SemiPlay(t, l(env.Matroid), p, env.Matroid, 1500, weight)
			got := learnertest.SemiPlay(t, l(other), p, other, 1500, func(round, arm int) float64 { return weight(round, perm[arm]) })
			for round, arms := range got {
				for i, e := range arms {
					if perm[e] != want[round][i] {
						t.Fatalf("%s: round %d: arms %v of permutation %v, and %v before", name, round+1, arms, perm, want[round])
					}
				}
			}
		}
	}
}

// blockMeans is a tally of doubling blocks without noise, with no machinery of the toolkit's.
type blockMeans struct{ tally.Counts }

func (b blockMeans) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	m, err := b.Counts.Open(s)
	return blockMechanism{m, s}, err
}

type blockMechanism struct {
	privacy.Mechanism[privacy.Means]
	setup privacy.Setup
}

func (b blockMechanism) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	r := &blockRun{Stream: b.Mechanism.Start(n), open: make([]float64, b.setup.Arms), n: make([]int, b.setup.Arms)}
	r.means.Of = make([]privacy.Estimate, b.setup.Arms)
	return r
}

type blockRun struct {
	privacy.Stream[privacy.Means]
	open  []float64
	n     []int
	means privacy.Means
}

func (b *blockRun) Add(r *privacy.Record) (bool, error) {
	b.means.Changed = nil
	for i, e := range r.Arms {
		b.open[e] += r.Y[i]
		if b.n[e]++; b.n[e] == max(1, 2*b.means.Of[e].Count) {
			b.means.Of[e] = privacy.Estimate{Mean: b.open[e] / float64(b.n[e]), Count: b.n[e]}
			b.means.Changed = append(b.means.Changed, e)
			b.open[e], b.n[e] = 0, 0
		}
	}
	return len(b.means.Changed) > 0, nil
}

func (b *blockRun) Release() *privacy.Means { return &b.means }

// TestNoPrivacy: at epsilon = +Inf, the private learners are those that block without noise; no
// noise is drawn.
func TestNoPrivacy(t *testing.T) {
	env := learnertest.Films()
	for name, l := range map[string]func(privacy.Tally) bandit.Learner{
		"omm": func(tally privacy.Tally) bandit.Learner {
			return learner.New(slots.OMM{Matroid: env.Matroid}, tally)
		},
		"cts": func(tally privacy.Tally) bandit.Learner {
			return learner.New(slots.CTS{Matroid: env.Matroid}, tally)
		},
		"kl-osm": func(tally privacy.Tally) bandit.Learner {
			return learner.New(slots.KLOSM{Matroid: env.Matroid}, tally)
		},
	} {
		want := learnertest.SemiPlay(t, l(blockMeans{}), env.Problem(), env.Matroid, 2000, learnertest.Weights(env.Means))
		got := learnertest.SemiPlay(t, l(blocks(math.Inf(1))), env.Problem(), env.Matroid, 2000, learnertest.Weights(env.Means))
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: other arms than without noise", name)
		}
	}
}

// TestForced: all arms that can be played are seen after at most L - K + 1 rounds, whatever comes
// back.
func TestForced(t *testing.T) {
	for _, env := range []environment.SemiBandit{learnertest.Table2(), learnertest.Films(), network()} {
		p := env.Problem()
		set := matroid.NewOracle(env.Matroid)
		for _, s := range learnertest.SemiBandits {
			if s.Name == "cts-beta" {
				continue // has a prior
			}
			played := learnertest.SemiPlay(t, s.Make(env.Matroid), p, env.Matroid, p.Arms-p.Slots+1, learnertest.Weights(env.Means))
			seen := make([]bool, p.Arms)
			for _, e := range slices.Concat(played...) {
				seen[e] = true
			}
			for e, ok := range seen {
				if ok != set.Independent([]int{e}) {
					t.Errorf("%s, L = %d: arm %d was seen: %v", s.Name, p.Arms, e, ok)
				}
			}
		}
	}
}

// TestEasyInstances: weights that hardly vary are told apart at once. The sum of regrets is that of
// the first rounds; uniform play has some 500 times it.
func TestEasyInstances(t *testing.T) {
	const rounds = 4000
	for _, m := range []matroid.Matroid{expect.Must(matroid.NewUniform(8, 3)), expect.Must(matroid.NewGraphic(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 0}, {3, 4}, {4, 0}, {1, 3}}))} {
		env := environment.SemiBandit{Matroid: m, Means: []float64{0, 1, 0, 1, 0, 1, 0, 1}}
		for _, l := range []struct {
			name  string
			l     bandit.Learner
			limit float64
		}{
			{"omm", slots.OMM{Matroid: m}.Learner(), 150}, {"cts", learner.New(slots.CTS{Matroid: m}, nil), 100}, {"cts, narrow", learner.New(slots.CTS{Matroid: m, Width: 0.5}, nil), 40},
			{"cts-beta", slots.CTSBeta{Matroid: m}, 30}, {"kl-osm", learner.New(slots.KLOSM{Matroid: m}, nil), 60},
			{"dpucb-mat", slots.OMM{Matroid: m}.Private(10), 600}, {"dpts-mat", slots.CTS{Matroid: m}.Private(10), 400},
			{"kl-osm, private", learner.New(slots.KLOSM{Matroid: m}, blocks(10)), 300},
			{"omm, narrow", learner.New(slots.OMM{Matroid: m, Width: 0.2}, blocks(10)), 120},
		} {
			trial := runtest.Open(t, env).Start(nil)
			var regret float64
			for _, arms := range learnertest.SemiPlay(t, l.l, env.Problem(), m, rounds, learnertest.Weights(env.Means)) {
				regret += trial.Regret(arms)
			}
			t.Logf("%s: regret %.0f", l.name, regret)
			if !(regret <= l.limit) {
				t.Errorf("%s: regret %.0f in %d rounds, want <= %v", l.name, regret, rounds, l.limit)
			}
		}
	}
}

// TestBetaCoins: weights between the ends of the range are successes as often as they are high.
func TestBetaCoins(t *testing.T) {
	m := expect.Must(matroid.NewUniform(2, 1))
	p := bandit.Problem{Arms: 2, Slots: 1, RewardMin: -2, RewardMax: 2}
	// 0.375 against 0.625, 0.2 against 0.4, 0.6 against 0.8
	for _, weights := range [][]float64{{-0.5, 0.5}, {-1.2, -0.4}, {0.4, 1.2}} {
		played := learnertest.SemiPlay(t, slots.CTSBeta{Matroid: m}, p, m, 3000, func(_, arm int) float64 { return weights[arm] })
		n := 0
		for _, arms := range played {
			n += arms[0]
		}
		if n < 2800 || n == 3000 { // the worse arm some ln(3000)/kl = 60 to 90 times
			t.Errorf("weights %v: the better arm was played in %d of 3000 rounds", weights, n)
		}
	}
}

func TestSemiBanditRefuses(t *testing.T) {
	nan := math.NaN()
	m := learnertest.Table2().Matroid
	good := learnertest.Table2().Problem()
	type maker func(m matroid.Matroid) bandit.Learner
	all := map[string]maker{
		"OMM":     func(m matroid.Matroid) bandit.Learner { return learner.New(slots.OMM{Matroid: m}, nil) },
		"CTS":     func(m matroid.Matroid) bandit.Learner { return learner.New(slots.CTS{Matroid: m}, nil) },
		"CTSBeta": func(m matroid.Matroid) bandit.Learner { return slots.CTSBeta{Matroid: m} },
		"KLOSM":   func(m matroid.Matroid) bandit.Learner { return learner.New(slots.KLOSM{Matroid: m}, nil) },
	}
	for name, l := range all {
		expect.Error(t, name, learnertest.Failure(l(nil).Open(good, 100)), name+".Matroid is nil")
		expect.Error(t, name, learnertest.Failure(l(m).Open(good, 0)), "horizon = 0", "at least 1")
		for _, c := range []struct {
			change func(*bandit.Problem)
			words  []string
		}{
			{func(p *bandit.Problem) { p.Dim, p.ContextNorm = 3, 1 }, []string{"Dim = 3", "want 0"}},
			{func(p *bandit.Problem) { p.Arms = 8 }, []string{"Arms = 8", "size 7"}},
			{func(p *bandit.Problem) { p.Slots = 2 }, []string{"Slots = 2", "rank 3"}},
			{func(p *bandit.Problem) { p.Slots = 0 }, []string{"Slots = 0"}},
			{func(p *bandit.Problem) { p.RewardMin = nan }, []string{"RewardMin = NaN"}},
		} {
			p := good
			c.change(&p)
			expect.Error(t, name, learnertest.Failure(l(m).Open(p, 100)), c.words...)
		}
		loops := expect.Must(matroid.NewLinear([][]int{{0}, {0}}))
		expect.Error(t, name, learnertest.Failure(l(loops).Open(bandit.Problem{Arms: 2, Slots: 1, RewardMax: 1}, 100)), name, "rank 0", ">= 1")
		expect.Error(t, name, learnertest.Failure(l(liar{m}).Open(bandit.Problem{Arms: 7, Slots: 4, RewardMax: 1}, 100)), name, "3 elements", "rank is 4")
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		l     bandit.Learner
		words []string
	}{
		{learner.New(slots.OMM{Matroid: m, Width: -1}, nil), []string{"OMM.Width = -1", "> 0"}},
		{learner.New(slots.OMM{Matroid: m, Width: nan}, nil), []string{"OMM.Width = NaN", "> 0"}},
		{learner.New(slots.OMM{Matroid: m, Width: inf}, nil), []string{"OMM.Width = +Inf", "finite"}},
		{learner.New(slots.OMM{Matroid: m, Explore: -2}, nil), []string{"OMM.Explore = -2", "> 0"}},
		{learner.New(slots.OMM{Matroid: m, Explore: nan}, nil), []string{"OMM.Explore = NaN", "> 0"}},
		{learner.New(slots.CTS{Matroid: m, Width: -1}, nil), []string{"CTS.Width = -1", "> 0"}},
		{learner.New(slots.CTS{Matroid: m, Boost: nan}, nil), []string{"CTS.Boost = NaN", "> 0"}},
		{learner.New(slots.KLOSM{Matroid: m, LogLog: -1}, nil), []string{"KLOSM.LogLog = -1", ">= 0"}},
		{learner.New(slots.KLOSM{Matroid: m, LogLog: nan}, nil), []string{"KLOSM.LogLog = NaN", ">= 0"}},
		{learner.New(slots.KLOSM{Matroid: m, Explore: inf}, nil), []string{"KLOSM.Explore = +Inf", "finite"}},
		{learner.New(slots.KLOSM{Matroid: m, Boost: -1}, nil), []string{"KLOSM.Boost = -1", "> 0"}},
		{slots.OMM{Matroid: m}.Private(0), []string{"epsilon = 0", "> 0"}},
		{slots.CTS{Matroid: m}.Private(nan), []string{"epsilon = NaN", "> 0"}},
	} {
		expect.Error(t, fmt.Sprintf("%T", c.l), learnertest.Failure(c.l.Open(good, 100)), c.words...)
	}
}

// liar is a matroid that says that its rank is higher than it is.
type liar struct{ matroid.Matroid }

func (l liar) Rank() int { return l.Matroid.Rank() + 1 }

// TestBadSemiRounds: what is wrong with a round is said, by number.
func TestBadSemiRounds(t *testing.T) {
	env := learnertest.Table2()
	view := bandit.View{Round: 5, Arms: 7}
	choose := func(v bandit.View) func(bandit.Run) error {
		return func(l bandit.Run) error { return learnertest.Failure(l.Select(&v, nil)) }
	}
	update := func(arms []int, y ...float64) func(bandit.Run) error {
		return func(l bandit.Run) error { return l.Update(&view, arms, y) }
	}
	for _, c := range []struct {
		name  string
		start bool
		do    func(bandit.Run) error
		words []string
	}{
		{"round 0", false, choose(bandit.View{Arms: 7}), []string{"Round = 0", ">= 1"}},
		{"arms", false, choose(bandit.View{Round: 3, Arms: 6}), []string{"round 3", "6 arms", "want 7"}},
		{"contexts", false, choose(bandit.View{Round: 3, Arms: 7, Dim: 1, X: make([]float64, 7)}), []string{"round 3", "dimension 1", "want 0"}},
		{"numbers", false, choose(bandit.View{Round: 3, Arms: 7, X: make([]float64, 7)}), []string{"round 3", "7 numbers"}},
		{"few", false, update([]int{0, 1}, 1, 1), []string{"round 5", "2 arms and 2 rewards", "want 3"}},
		{"range", false, update([]int{0, 1, 7}, 1, 1, 1), []string{"round 5", "arm 7"}},
		{"twice", false, update([]int{0, 1, 1}, 1, 1, 1), []string{"round 5", "arm 1 twice"}},
		{"infinite", false, update([]int{0, 1, 2}, 1, math.Inf(-1), 1), []string{"round 5", "weight -Inf of arm 1"}},
		{"cold", true, choose(view), []string{"round 5", "no warm-up"}},
		{"warm", false, func(l bandit.Run) error { return l.(bandit.Warmed).WarmUp(make([]float64, 7)) }, []string{"warm-up", "asks for none"}},
		{"short", true, func(l bandit.Run) error { return l.(bandit.Warmed).WarmUp(make([]float64, 6)) }, []string{"round 0", "6 rewards", "all 7"}},
		{"again", true, func(l bandit.Run) error {
			w := l.(bandit.Warmed)
			if err := w.WarmUp(make([]float64, 7)); err != nil {
				return err
			}
			return w.WarmUp(make([]float64, 7))
		}, []string{"second warm-up"}},
	} {
		l := learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: c.start}, blocks(1))
		run := runtest.Run(t, l, env.Problem(), 100, nil, random.Source(1, 0, "noise"))
		expect.Error(t, c.name, c.do(run.Run), c.words...)
	}
}

// TestClippedWeights are counted, and taken for the ends of the range.
func TestClippedWeights(t *testing.T) {
	env := learnertest.Table2()
	for _, s := range learnertest.SemiBandits {
		if s.Name == "cts-beta" {
			continue // tosses no coin for 2, and none for 1: the same, but for what it draws
		}
		want := learnertest.SemiPlay(t, s.Make(env.Matroid), env.Problem(), env.Matroid, 300, learnertest.Weights(env.Means))
		var runs []bandit.Run
		got := learnertest.SemiPlay(t, learnertest.Keep(s.Make(env.Matroid), &runs), env.Problem(), env.Matroid, 300, func(round, arm int) float64 { return 3*learnertest.Weights(env.Means)(round, arm) - 1 })
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: other arms with weights of -1 and 2 in place of 0 and 1", s.Name)
		}
		w := bandit.Warnings(runs[0])
		if len(w) != 1 || w[0].Count != 900 || w[0].What != "weights outside [0, 1], clipped" {
			t.Errorf("%s: warnings %v, want 900 clipped weights", s.Name, w)
		}
	}
}

// TestSemiBanditClaims: a learner claims what its tally claims, and so does its meter.
func TestSemiBanditClaims(t *testing.T) {
	env := learnertest.Table2()
	for _, of := range []bandit.Learner{slots.OMM{Matroid: env.Matroid}.Private(2), slots.OMM{Matroid: env.Matroid}.OverTree(2), slots.CTS{Matroid: env.Matroid}.Private(2), learner.New(slots.KLOSM{Matroid: env.Matroid}, blocks(2))} {
		l, err := of.Open(env.Problem(), 100)
		if err != nil {
			t.Fatal(err)
		}
		if c := privacy.ClaimOf(l); c.Model() != privacy.Central || c.Epsilon() != 2 || c.Asked().Delta != 0 {
			t.Errorf("%T claims %v", l, c)
		}
		if epsilon, _, err := account.Tightest(privacy.PlanOf(l, 100).Event(), 0); err != nil || math.Abs(epsilon-2) > 1e-12 {
			t.Errorf("%T spends epsilon = %v, %v", l, epsilon, err)
		}
	}
	l := learner.New(slots.OMM{Matroid: env.Matroid, WarmUp: true}, tally.Blocks{Budget: privacy.Budget{Epsilon: 2}, Calibration: privacy.AsPublished})
	if c := learnertest.ClaimOf(t, l, env.Problem(), 100); math.Abs(c.Epsilon()-14./3) > 1e-12 {
		t.Errorf("with the first round as published the claim is epsilon = %v, want L epsilon/K = 14/3", c.Epsilon())
	}
	if c := learnertest.ClaimOf(t, learner.New(slots.OMM{Matroid: env.Matroid}, nil), env.Problem(), 100); !math.IsInf(c.Epsilon(), 1) {
		t.Errorf("exact counts claim epsilon = %v", c.Epsilon())
	}
}
