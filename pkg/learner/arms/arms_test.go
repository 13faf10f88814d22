package arms_test

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

type (
	private    = learner.Private[privacy.Means]
	privateRun = *learner.PrivateRun[privacy.Means]
)

// opened returns a learner that knows its problem.
func opened(tb testing.TB, l bandit.Learner, p bandit.Problem, horizon int) bandit.Calibrated {
	tb.Helper()
	ready, err := l.Open(p, horizon)
	if err != nil {
		tb.Fatal(err)
	}
	return ready
}

// run is a run of which each error ends the test.
type run struct {
	bandit.Run
	tb testing.TB
}

// started begins a trial.
func started(tb testing.TB, ready bandit.Calibrated, trial int) run {
	return run{ready.Start(random.New(1, trial, "learner"), random.Source(1, trial, "noise")), tb}
}

func (r run) choose(v *bandit.View, dst []int) []int {
	dst, err := r.Select(v, dst)
	if err != nil {
		r.tb.Fatal(err)
	}
	return dst
}

func (r run) learn(v *bandit.View, arms []int, y []float64) {
	if err := r.Update(v, arms, y); err != nil {
		r.tb.Fatal(err)
	}
}

// maker makes a learner of this package.
type maker struct {
	name    string
	private bool
	random  bool // draws at random, so that permuting the arms need not permute the choice
	make    func(epsilon float64) private
}

// public returns a maker of a learner that takes no epsilon.
func public(make func() private) func(float64) private {
	return func(float64) private { return make() }
}

// makers lists all learners of this package.
var makers = []maker{
	{"UCB1", false, false, public(arms.NewUCB1)},
	{"KL-UCB", false, false, public(arms.NewKLUCB)},
	{"IMED", false, false, public(arms.NewIMED)},
	{"Thompson", false, true, public(arms.NewThompson)},
	{"SuccessiveElimination", false, false, public(arms.NewSuccessiveElimination)},
	{"DP-SE", true, false, arms.NewDPElimination},
	{"AdaP-UCB", true, false, arms.NewAdaPUCB},
	{"AdaP-KLUCB", true, false, arms.NewAdaPKLUCB},
	{"AdaC-UCB", true, false, func(epsilon float64) private {
		return arms.NewAdaCUCB(privacy.Budget{Epsilon: epsilon, Delta: 1e-5})
	}},
	{"DP-UCB", true, false, arms.NewDPUCB},
	{"local KL-UCB", true, false, arms.NewLocalKLUCB},
	{"Lazy-UCB", true, false, arms.NewLazyUCB},
	{"Lazy-DP-TS", true, true, arms.NewLazyThompson},
	{"DP-KLUCB", true, false, func(epsilon float64) private { return arms.NewDPKLUCB(epsilon, 1.2) }},
	{"TopTwo", true, true, func(epsilon float64) private { return arms.NewTopTwo(epsilon, 0.1) }},
	{"AdaP-TT", true, true, func(epsilon float64) private { return arms.NewAdaPTT(epsilon, 0.1) }},
	{"Gaussian Thompson", true, true, func(float64) private { return arms.NewGaussianThompson(0.1, 2, 1e-5) }},
	{"DP-TS-UCB", true, true, func(epsilon float64) private {
		return arms.NewDPTSUCB(1, privacy.Budget{Epsilon: epsilon, Delta: 1e-5})
	}},
	{"sequential halving", true, false, arms.NewSequentialHalving},
	{"TargetIMED", true, false, arms.NewTargetIMED},
	{"EXP3", false, true, public(arms.NewEXP3)},
	{"EXP3-IX", false, true, public(arms.NewEXP3IX)},
	{"Tsallis-INF", false, true, public(arms.NewTsallisINF)},
	{"DP-HTINF", true, true, arms.NewPrivateHTINF},
	{"DP-IMED", true, false, func(epsilon float64) private { return arms.NewDPIMED(epsilon, 2) }},
}

// TestConformance runs the suite of all learners. Means of Gaussian rewards do not tie.
func TestConformance(t *testing.T) {
	env := environment.Arms{Means: []float64{0.3, 0.9, 0.4, 0.1}, Law: environment.GaussianWeights, Sigma: 0.4}
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			bandittest.Learner(t, m.make(20), env, bandittest.LearnerOptions{Seed: 1})
		})
	}
}

// TestClaims: a learner claims the epsilon that it was asked for, and a public one nothing.
func TestClaims(t *testing.T) {
	p := bandit.Problem{Arms: 3, Slots: 1, RewardMin: -1, RewardMax: 4}
	for _, m := range makers {
		if m.name == "Gaussian Thompson" || m.name == "DP-TS-UCB" { // whose epsilon follows, or is kept by whole numbers
			continue
		}
		c := privacy.ClaimOf(opened(t, m.make(0.7), p, 1000))
		if got := c.Epsilon(); m.private && math.Abs(got-0.7) > 1e-9 || !m.private && !math.IsInf(got, 1) {
			t.Errorf("%s claims epsilon %v", m.name, got)
		}
		model := privacy.Central
		if m.name == "local KL-UCB" {
			model = privacy.Local
		}
		if m.private && (c.Model() != model || c.Asked().Epsilon != 0.7) {
			t.Errorf("%s claims\n%v", m.name, c)
		}
	}
}
