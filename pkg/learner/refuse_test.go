package learner_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

func TestInitRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for _, c := range []struct {
		budget privacy.Budget
		words  []string
	}{
		{privacy.Budget{Epsilon: 0, Delta: 0.1}, []string{"epsilon = 0", "> 0"}},
		{privacy.Budget{Epsilon: -1, Delta: 0.1}, []string{"epsilon = -1", "> 0"}},
		{privacy.Budget{Epsilon: nan, Delta: 0.1}, []string{"epsilon = NaN", "> 0"}},
		{privacy.Budget{Epsilon: 1, Delta: -1}, []string{"delta = -1", "[0, 1)"}},
		{privacy.Budget{Epsilon: 1, Delta: 1}, []string{"delta = 1", "[0, 1)"}},
		{privacy.Budget{Epsilon: 1, Delta: nan}, []string{"delta = NaN", "[0, 1)"}},
		{privacy.Budget{Epsilon: 1}, []string{"delta = 0", "(0, 1)"}},
	} {
		for name, make_ := range learnertest.Accumulators(c.budget) {
			if strings.Contains(name, "exact") || strings.Contains(name, "default") || strings.Contains(name, "inf") {
				continue
			}
			expect.Error(t, name, learnertest.Failure(learner.New(linear.UCB{}, make_).Open(good, 100)), c.words...)
		}
	}
	for name, make_ := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		for horizon, word := range map[int]string{0: "horizon = 0", -5: "horizon = -5"} {
			expect.Error(t, name, learnertest.Failure(learner.New(linear.UCB{}, make_).Open(good, horizon)), word, "at least 1")
		}
		for _, c := range []struct {
			change func(*bandit.Problem)
			words  []string
		}{
			{func(p *bandit.Problem) { p.Dim = 0 }, []string{"Dim = 0", ">= 1"}},
			{func(p *bandit.Problem) { p.Dim = -1 }, []string{"Dim = -1", ">= 0"}},
			{func(p *bandit.Problem) { p.Arms = 0 }, []string{"Arms = 0", ">= 1"}},
			{func(p *bandit.Problem) { p.Slots = 2 }, []string{"Slots = 2", "want 1"}},
			{func(p *bandit.Problem) { p.ContextNorm = nan }, []string{"ContextNorm = NaN", "> 0"}},
			{func(p *bandit.Problem) { p.ContextNorm = -2 }, []string{"ContextNorm = -2", "> 0"}},
			{func(p *bandit.Problem) { p.RewardMax = -3 }, []string{"RewardMax = -3", "RewardMin < RewardMax"}},
		} {
			p := good
			c.change(&p)
			expect.Error(t, name, learnertest.Failure(learner.New(linear.UCB{}, make_).Open(p, 100)), c.words...)
		}
	}
	for _, c := range []struct {
		l     linear.UCB
		sums  privacy.Accumulator
		words []string
	}{
		{linear.UCB{Alpha: -1}, nil, []string{"Alpha = -1", "(0, 1]"}},
		{linear.UCB{Alpha: 2}, nil, []string{"Alpha = 2", "(0, 1]"}},
		{linear.UCB{Alpha: nan}, nil, []string{"Alpha = NaN", "(0, 1]"}},
		{linear.UCB{Sigma: -1}, nil, []string{"Sigma = -1", "> 0"}},
		{linear.UCB{Sigma: inf}, nil, []string{"Sigma = +Inf", "finite"}},
		{linear.UCB{ThetaNorm: nan}, nil, []string{"ThetaNorm = NaN", "> 0"}},
		{linear.UCB{RhoMin: -1}, nil, []string{"RhoMin = -1", "> 0"}},
		{linear.UCB{RhoMin: 1, OptimalShift: true}, nil, []string{"RhoMin = 1", "OptimalShift"}},
		{linear.UCB{}, continual.Exact{Ridge: -1}, []string{"Ridge = -1", ">= 0"}},
		{linear.UCB{}, continual.Tree{}, []string{"Noise is nil"}},
		{linear.UCB{RhoMin: 1}, fixed{}, []string{"LinUCB.RhoMin", "rho_min = 1", "cannot be shifted"}},
		{linear.UCB{OptimalShift: true}, fixed{}, []string{"LinUCB.OptimalShift", "cannot be shifted"}},
	} {
		expect.Error(t, "LinUCB", learnertest.Failure(learner.New(c.l, c.sums).Open(good, 100)), c.words...)
	}
}

// TestBadRounds: what a round may bring that is wrong, and that the error names. That the state
// stays as it was is bandittest's to check.
func TestBadRounds(t *testing.T) {
	good := bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for name, make_ := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		for _, c := range []struct {
			do    func(l bandit.Run, v *bandit.View) error
			words []string
		}{
			{func(l bandit.Run, v *bandit.View) error {
				v.X[4] = math.NaN()
				return learnertest.Failure(l.Select(v, nil))
			}, []string{"arm 1", "NaN"}},
			{func(l bandit.Run, v *bandit.View) error {
				v.X[11] = math.Inf(-1)
				return learnertest.Failure(l.Select(v, nil))
			}, []string{"arm 3", "-Inf"}},
			{func(l bandit.Run, v *bandit.View) error {
				v.X[0], v.X[11] = 1e200, math.NaN()
				return learnertest.Failure(l.Select(v, nil))
			}, []string{"arm 3", "NaN"}},
			{func(l bandit.Run, v *bandit.View) error { v.Dim = 2; return learnertest.Failure(l.Select(v, nil)) }, []string{"dimension 2", "want 3"}},
			{func(l bandit.Run, v *bandit.View) error { v.Arms = 5; return learnertest.Failure(l.Select(v, nil)) }, []string{"5 arms", "[1, 4]"}},
			{func(l bandit.Run, v *bandit.View) error { v.Arms = 0; return learnertest.Failure(l.Select(v, nil)) }, []string{"0 arms", "[1, 4]"}},
			{func(l bandit.Run, v *bandit.View) error { v.X = v.X[:11]; return learnertest.Failure(l.Select(v, nil)) }, []string{"11 numbers", "12"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, []int{0}, []float64{math.NaN()}) }, []string{"round 1", "NaN", "finite"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, []int{0}, []float64{math.Inf(1)}) }, []string{"round 1", "+Inf", "finite"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, []int{4}, []float64{1}) }, []string{"arm 4", "[0, 4)"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, []int{-1}, []float64{1}) }, []string{"arm -1", "[0, 4)"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, []int{0, 1}, []float64{1}) }, []string{"2 arms", "1 rewards"}},
			{func(l bandit.Run, v *bandit.View) error { return l.Update(v, nil, nil) }, []string{"0 arms", "0 rewards"}},
		} {
			l := learner.New(linear.UCB{}, make_)
			run := runtest.Run(t, l, good, 100, nil, random.Source(1, 0, "noise"))
			theta, beta := learnertest.Rule(run).Confidence()
			err := c.do(run.Run, &bandit.View{Round: 1, Arms: 4, Dim: 3, X: make([]float64, 12)})
			expect.Error(t, name, err, c.words...)
			if after, width := learnertest.Rule(run).Confidence(); !slices.Equal(theta, after) || beta != width || len(run.Warnings()) > 0 {
				t.Errorf("%s: %v, and the state has changed", name, err)
			}
		}
	}
}

// TestOversized: contexts beyond their norm are clipped inside the mechanism and counted in the
// warnings. The release is that of the clipped rows.
func TestOversized(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	for name, make_ := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		l := learner.New(linear.UCB{}, make_)
		run, clean := runtest.Run(t, l, p, 100, nil, random.Source(1, 0, "noise")), runtest.Run(t, l, p, 100, nil, random.Source(1, 0, "noise"))
		r := random.New(1, 0, "contexts")
		v := bandit.View{Arms: 4, Dim: 3, X: make([]float64, 12)}
		const rounds, long = 60, 20
		for round := range rounds {
			v.Round = round + 1
			learnertest.Contexts(r, &v, make([]float64, 3))
			y := 1.0
			scale := 1.0
			if round%(rounds/long) == 0 {
				x := v.Row(0)
				for i := range x {
					x[i] *= 30 / math.Sqrt(learnertest.Dot(v.Row(0), v.Row(0))) / math.Sqrt(3)
				}
				scale = 1 / math.Sqrt(learnertest.Dot(x, x))
			}
			run.Select(&v, nil)
			run.Update(&v, []int{0}, []float64{y})
			for i := range v.Row(0) {
				v.Row(0)[i] *= scale
			}
			clean.Select(&v, nil)
			clean.Update(&v, []int{0}, []float64{y})
		}
		if w := run.Warnings(); len(w) != 1 || w[0].Count != long || !strings.Contains(w[0].What, "clipped") {
			t.Errorf("%s: warnings %v, want %d clipped", name, w, long)
		}
		if w := clean.Warnings(); len(w) != 0 {
			t.Errorf("%s: warnings %v, want none: the rows are within the bound", name, w)
		}
		a, betaA := learnertest.Rule(run).Confidence()
		b, betaB := learnertest.Rule(clean).Confidence()
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-9 || math.Abs(betaA-betaB) > 1e-9*betaA {
				t.Errorf("%s: theta~ = %v, beta = %v; of the clipped rows %v, %v", name, a, betaA, b, betaB)
				break
			}
		}
	}
}

// noMatroid is a matroid that is always nil.
type noMatroid struct{ matroid.Matroid }

// fixed is an accumulator whose release is always the same matrix.
type fixed struct {
	release []float64
	bounds  privacy.Bounds
}

func (f fixed) Open(privacy.Setup) (privacy.Mechanism[privacy.Sums], error) { return f, nil }
func (f fixed) Plan(int) privacy.Plan                                       { return privacy.NoPlan("it is fixed") }

func (f fixed) Start(*privacy.Noise) privacy.Stream[privacy.Sums] {
	return &fixedRun{f, &privacy.Sums{Packed: f.release, Bounds: f.bounds, Spread: privacy.Spread{Fixed: true}}}
}

type fixedRun struct {
	fixed
	sums *privacy.Sums
}

func (*fixedRun) Add(*privacy.Record) (bool, error) { return true, nil }
func (f *fixedRun) Release() *privacy.Sums          { return f.sums }
func (*fixedRun) Clipped() int                      { return 0 }

// TestSumsOfAnotherSize: LinUCB refuses them, and keeps its broadcast.
func TestSumsOfAnotherSize(t *testing.T) {
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	l := learner.New(linear.UCB{}, fixed{release: make([]float64, 5), bounds: privacy.Bounds{RhoMin: 1, RhoMax: 1}})
	run := runtest.Run(t, l, p, 10, nil, random.Source(1, 0, "noise")).Run
	_, err := run.Select(&bandit.View{Round: 1, Arms: 2, Dim: 2, X: make([]float64, 4)}, nil)
	expect.Error(t, "five numbers", err, "sums of 5 numbers, want 6")
}

// TestIndefinite: a release whose noise has outgrown its bounds gets its eigenvalues floored at
// rho_min, and a warning each time.
func TestIndefinite(t *testing.T) {
	p := bandit.Problem{Arms: 2, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	// [[1, 2], [2, 1]] has the eigenvalues 3 and -1 along (1, 1) and (1, -1); floored at 0.5:
	// [[1.75, 1.25], [1.25, 1.75]].
	l := learner.New(linear.UCB{Alpha: 0.5, Sigma: 1}, fixed{release: []float64{1, 2, 1, 1, 0, 9}, bounds: privacy.Bounds{RhoMin: 0.5, RhoMax: 4, Gamma: 1}})
	run := runtest.Run(t, l, p, 100, nil, random.Source(1, 0, "noise"))
	v := bandit.View{Round: 1, Arms: 2, Dim: 2, X: []float64{0.7, 0.7, 0.7, -0.7}}
	for range 3 {
		// 0.7 + .. sqrt(0.98/3) against 0.7 + .. sqrt(0.98/0.5)
		if arms := run.Select(&v, nil); !slices.Equal(arms, []int{1}) {
			t.Errorf("arms %v, want [1]", arms)
		}
		run.Update(&v, []int{0}, []float64{1})
	}
	run.Select(&v, nil)
	if w := run.Warnings(); len(w) != 1 || w[0].Count != 4 || !strings.Contains(w[0].What, "floored") {
		t.Errorf("warnings %v, want 4 floored", w)
	}
	theta, beta := learnertest.Rule(run).Confidence()
	expect.Near(t, "theta~[0]", theta[0], 1.75/1.5, 1e-12) // of (1, 0)
	expect.Near(t, "theta~[1]", theta[1], -1.25/1.5, 1e-12)
	expect.Near(t, "beta", beta, math.Sqrt(2*math.Log(4)+math.Log(1.5)-2*math.Log(0.5))+2+1, 1e-12)

	none := learner.New(linear.UCB{}, fixed{bounds: privacy.Bounds{RhoMin: -1, RhoMax: 4}})
	expect.Error(t, "rho_min", learnertest.Failure(none.Open(p, 100)), "rho_min = -1", "> 0")
}

// TestNoAllocations plays 1500 rounds, over a refactorisation, after as many.
func TestNoAllocations(t *testing.T) {
	for name, make_ := range learnertest.Accumulators(privacy.Budget{Epsilon: 1, Delta: 0.1}) {
		for _, d := range []int{5, 12} {
			p := bandit.Problem{Arms: 10, Dim: d, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
			l := learner.New(linear.UCB{}, make_)
			run := runtest.Run(t, l, p, 20000, nil, random.Source(1, 0, "noise"))
			v := bandit.View{Arms: 10, Dim: d, X: make([]float64, 10*d)}
			r := random.New(1, 0, "contexts")
			arms, y, zero := make([]int, 0, 1), []float64{1}, make([]float64, d)
			batch := func() {
				for range 1500 {
					v.Round++
					learnertest.Contexts(r, &v, zero)
					arms = run.Select(&v, arms[:0])
					run.Update(&v, arms, y)
				}
			}
			if n := testing.AllocsPerRun(2, batch); n > 0 {
				t.Errorf("%s, d = %d: %v allocations in 1500 rounds, want 0", name, d, n)
			}
		}
	}
}

// TestNilPointers: a field that holds a nil pointer is refused by its name, as one that is nil is.
func TestNilPointers(t *testing.T) {
	contextual := bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	arms := bandit.Problem{Arms: 4, Slots: 2, RewardMax: 1}
	noise := local.LDPNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}
	device, server := local.LDPDevice{Noise: noise}, local.LDPServer{Noise: noise}
	var gaussian *continual.Gaussian
	var policy *linear.UCB
	private := (*learner.Private[privacy.Sums])(nil)
	for _, c := range []struct {
		what any
		p    bandit.Problem
		want string
	}{
		{learner.New(linear.UCB{}, continual.Tree{Noise: gaussian}), contextual, "Noise is a *continual.Gaussian that is nil"},
		{learner.New(linear.UCB{}, continual.PanPrivateTree{Noise: gaussian}), contextual, "Noise is a *continual.Gaussian that is nil"},
		{learner.New[privacy.Sums](policy, nil), contextual, "Private.Policy is a *linear.UCB that is nil"},
		{learner.New[privacy.Sums](linear.UCB{}, (*continual.BLT)(nil)), contextual, "Private.Statistic is a *continual.BLT that is nil"},
		{learner.Metered{Learner: private, Budget: noise.Budget}, contextual, "Metered.Learner is a *learner.Private"},
		{learner.RandomisedAction{Learner: private, Epsilon: 1}, contextual, "RandomisedAction.Learner is a *learner.Private"},
		{learner.Local{Device: (*local.LDPDevice)(nil), Server: server}, contextual, "Local.Device is a *local.LDPDevice that is nil"},
		{learner.Local{Device: device, Server: (*local.LDPServer)(nil)}, contextual, "Local.Server is a *local.LDPServer that is nil"},
		{learner.Local{Device: device, Server: server, Batch: 2, Shuffler: (*learner.Uniform)(nil)}, contextual, "Local.Shuffler is a *learner.Uniform that is nil"},
		{local.LDPDevice{Noise: noise, Policy: policy}, contextual, "LDPDevice.Policy is a *linear.UCB that is nil"},
		{local.LDPServer{Noise: noise, Policy: policy}, contextual, "LDPServer.Policy is a *linear.UCB that is nil"},
		{local.CombinerDevice{Devices: []learner.Device{device, (*local.LDPDevice)(nil)}}, contextual, "CombinerDevice.Devices[1] is a *local.LDPDevice that is nil"},
		{local.CombinerServer{Servers: []learner.Server{(*local.OnlineServer)(nil)}, Regret: []local.RegretBound{{Coefficient: 1, Power: 0.5, Eta: 1}}},
			contextual, "CombinerServer.Servers[0] is a *local.OnlineServer that is nil"},
		{learner.New(slots.CTS{Matroid: (*noMatroid)(nil)}, nil), arms, "CTS.Matroid is a *learner_test.noMatroid that is nil"},
	} {
		var err error
		switch what := c.what.(type) {
		case bandit.Learner:
			_, err = what.Open(c.p, 10)
		case learner.Device:
			_, err = what.Open(c.p, 10)
		case learner.Server:
			_, err = what.Open(c.p, 10)
		}
		expect.Error(t, fmt.Sprintf("%T", c.what), err, c.want)
	}
}
