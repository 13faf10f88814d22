package learner_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// showing shows rows as they are, and claims a finite epsilon.
type showing struct{ mechanism.Exact }

func (s showing) Open(of privacy.Setup) (privacy.Mechanism[privacy.Sums], error) {
	m, err := s.Exact.Open(of)
	return showsRows{m}, err
}

type showsRows struct {
	privacy.Mechanism[privacy.Sums]
}

func (s showsRows) Plan(int) privacy.Plan {
	law := privacy.GaussianLaw(6, 1)
	release := privacy.Release{Law: law, Sensitivity: privacy.Norms{L2: 1}}
	return privacy.Plan{Neighbours: privacy.ReplaceRound, Asked: whole, Cases: [][]privacy.Release{{release}}}.HeldBy(s)
}

// several plays a number of arms, whatever the number wanted.
type several struct {
	learner.LinUCB
	arms int
}

func (s *several) Act(_ []float64, _ *bandit.View, dst []int) ([]int, error) {
	return append(dst, make([]int, s.arms)...), nil
}

// own is a policy that reads a release of its own.
type own struct{ learner.Policy[float64] }

func TestPrivateRefuses(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	wants(t, "no policy", learner.New[privacy.Sums](nil, nil).Init(p, 10), "Policy is nil")
	wants(t, "no statistic", learner.New(own{}, nil).Init(p, 10), "Statistic is nil", "learner_test.own")
	leak := learner.New(learner.LinUCB{}, showing{mechanism.Exact{}})
	wants(t, "rows", leak.Init(p, 10), "learner_test.showing", "shows rows", "claims")
	for _, arms := range []int{0, 2} {
		n := learner.LDPNoise{Budget: privacy.Budget{Epsilon: math.Inf(1)}}
		act := func() *several { return &several{arms: arms} }
		for name, l := range map[string]bandit.Learner{
			"private": learner.New(act(), nil),
			"local":   learner.Local{Device: &learner.LDPDevice{Noise: n, Policy: act()}, Server: &learner.LDPServer{Noise: n}},
		} {
			run := bandittest.Run(t, l, p, 10, nil, random.Source(1, 0, "noise"))
			got := run.Select(&bandit.View{Round: 1, Arms: 4, Dim: 2, X: make([]float64, 8)}, nil)
			if len(got) != 1 {
				t.Errorf("%s: arms %v, want 1", name, got)
			}
			wants(t, name, l.Err(), map[int]string{0: "0 arms", 2: "2 arms"}[arms], "learner_test.several", "want 1")
		}
	}
}

// holds is LinUCB that holds something else, in several places.
type holds struct {
	learner.LinUCB
	Any   any
	where struct{ list []any }
	named map[string]any
	tells func() int
	later chan int
}

// TestPolicyThatPoints: a policy from which data or noise could be reached is refused, and the field
// named.
func TestPolicyThatPoints(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	opened := func(s privacy.Accumulator) privacy.Mechanism[privacy.Sums] {
		m, err := s.Open(privacy.Setup{Horizon: 9, Dim: 3, Bound: 2, Alpha: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	tree := opened(gaussianTree())
	self := &holds{}
	self.Any = self
	for words, h := range map[string]*holds{
		"Private.Policy.Any is a *mechanism.tree, which":                                {Any: tree},
		"Private.Policy.where.list[1] is a *mechanism.exactRun, which takes in records": {where: struct{ list []any }{[]any{1, opened(mechanism.Exact{}).Start(nil)}}},
		"Private.Policy.named[inner] is a learner.Private[":                            {named: map[string]any{"inner": learner.New(learner.LinUCB{}, nil)}},
		"Private.Policy.Any is noise, a privacy.Noise":                                  {Any: privacy.NewNoise(random.Source(1, 0, "noise"))},
		"Private.Policy.Any is noise, a privacy.Ledger":                                 {Any: privacy.NewLedger(nil)},
		"Private.Policy.tells is a func":                                                {tells: func() int { return 1 }},
		"Private.Policy.later is a chan":                                                {later: make(chan int)},
		"Private.Policy.Any is a *mechanism.exact, which has a plan":                    {Any: opened(mechanism.Exact{})},
		"Private.Policy.Any.list[0] is a *environment.DecisionSets, which is an env":    {Any: &struct{ list [1]bandit.Environment }{[1]bandit.Environment{environment.DecisionSets{}}}},
		"": self,
	} {
		err := learner.New(h, gaussianTree()).Init(p, 10)
		if words == "" && err != nil {
			t.Errorf("a policy that holds itself: %v", err)
		} else if words != "" {
			wants(t, words, err, words)
		}
	}
}

// TestServerThatPoints: a server from which a device could be reached is refused.
func TestServerThatPoints(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	n := learner.LDPNoise{Budget: whole}
	device := &learner.LDPDevice{Noise: n}
	local := learner.Local{Device: device, Server: &learner.LDPServer{Noise: n, Policy: &holds{Any: []learner.Device{device}}}}
	wants(t, "a device", local.Init(p, 10), "Local.Server.Policy.Any[0] is a *learner.LDPDevice, which is a device", "messages alone")
	local.Server = &learner.LDPServer{Noise: n, Policy: &holds{Any: privacy.NewSystemNoise()}}
	wants(t, "noise", local.Init(p, 10), "Local.Server.Policy.Any is noise")
}

// forgets is a variant of LinUCB whose Init does not call LinUCB's.
type forgets struct{ learner.LinUCB }

func (*forgets) Init(bandit.Problem, int, *privacy.Sums) error { return nil }

// TestForgottenInit: whoever forgets Init or Reset is told so, by an error.
func TestForgottenInit(t *testing.T) {
	v := bandit.View{Round: 1, Arms: 2, Dim: 1, X: []float64{0, 1}}
	for name, use := range map[string]func(learner.Private[privacy.Sums]){
		"Reset":  func(l learner.Private[privacy.Sums]) { l.Reset(random.New(1, 0, "own"), random.New(1, 0, "noise")) },
		"Select": func(l learner.Private[privacy.Sums]) { l.Select(&v, nil) },
		"Update": func(l learner.Private[privacy.Sums]) { l.Update(&v, []int{0}, []float64{1}) },
	} {
		l := learner.New(learner.LinUCB{}, nil)
		use(l)
		wants(t, name, l.Err(), "before Init")
	}
	if c := privacy.ClaimOf(learner.New(learner.LinUCB{}, nil)).String(); !strings.Contains(c, "before Init") {
		t.Errorf("claims before Init:\n%s", c)
	}
	p := bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	unreset := learner.New(learner.LinUCB{}, nil)
	if err := unreset.Init(p, 10); err != nil {
		t.Fatal(err)
	}
	unreset.Select(&v, nil)
	wants(t, "no Reset", unreset.Err(), "Reset comes before")
	l := learner.New(&forgets{}, nil)
	run := bandittest.Run(t, l, p, 10, random.New(1, 0, "own"), random.New(1, 0, "noise"))
	wants(t, "a variant's Init", l.Err(), "has to call LinUCB's")
}
