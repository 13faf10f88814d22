package learner_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/internal/expect"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/learnertest"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// showing shows rows as they are, and claims a finite epsilon.
type showing struct{ continual.Exact }

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

// several is LinUCB that plays a number of arms, whatever the number wanted.
type several struct {
	linear.UCB
	Arms int
}

type severalReady struct {
	learner.Prepared[privacy.Sums]
	arms int
}

type severalRule struct {
	learner.Rule[privacy.Sums]
	arms int
}

func (s several) Prepare(p bandit.Problem, horizon int, r *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	ready, err := s.UCB.Prepare(p, horizon, r)
	return severalReady{ready, s.Arms}, err
}

func (s severalReady) Begin(own *rand.Rand) learner.Rule[privacy.Sums] {
	return &severalRule{s.Prepared.Begin(own), s.arms}
}

func (s *severalRule) Act(_ []float64, _ *bandit.View, dst []int) ([]int, error) {
	return append(dst, make([]int, s.arms)...), nil
}

// own is a policy that reads a release of its own.
type own struct{ learner.Policy[float64] }

func TestPrivateRefuses(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	expect.Error(t, "no policy", learnertest.Failure(learner.New[privacy.Sums](nil, nil).Open(p, 10)), "Policy is nil")
	expect.Error(t, "no statistic", learnertest.Failure(learner.New(own{}, nil).Open(p, 10)), "Statistic is nil", "learner_test.own")
	leak := learner.New(linear.UCB{}, showing{continual.Exact{}})
	expect.Error(t, "rows", learnertest.Failure(leak.Open(p, 10)), "learner_test.showing", "shows rows", "claims")
	for _, arms := range []int{0, 2} {
		n := local.LDPNoise{Budget: privacy.Budget{Epsilon: math.Inf(1)}}
		for name, l := range map[string]bandit.Learner{
			"private": learner.New(several{Arms: arms}, nil),
			"local":   learner.Local{Device: local.LDPDevice{Noise: n, Policy: several{Arms: arms}}, Server: local.LDPServer{Noise: n}},
		} {
			run := runtest.Run(t, l, p, 10, nil, random.Source(1, 0, "noise")).Run
			_, err := run.Select(&bandit.View{Round: 1, Arms: 4, Dim: 2, X: make([]float64, 8)}, nil)
			expect.Error(t, name, err, map[int]string{0: "0 arms", 2: "2 arms"}[arms], "learner_test.several", "want 1")
		}
	}
}

// holds is LinUCB that holds something else, in several places.
type holds struct {
	linear.UCB
	Any   any
	where struct{ list []any }
	named map[string]any
	tells func() int
	later chan int
}

// TestPolicyThatPoints: a policy from which data or noise could be reached is refused, and the
// field named.
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
		"Private.Policy.Any is a *continual.tree, which":                                {Any: tree},
		"Private.Policy.where.list[1] is a *continual.exactRun, which takes in records": {where: struct{ list []any }{[]any{1, opened(continual.Exact{}).Start(nil)}}},
		"Private.Policy.named[inner] is a learner.Private[":                             {named: map[string]any{"inner": learner.New(linear.UCB{}, nil)}},
		"Private.Policy.Any is noise, a privacy.Noise":                                  {Any: privacy.NewNoise(random.Source(1, 0, "noise"))},
		"Private.Policy.Any is noise, a privacy.Ledger":                                 {Any: privacy.NewLedger(nil)},
		"Private.Policy.tells is a func":                                                {tells: func() int { return 1 }},
		"Private.Policy.later is a chan":                                                {later: make(chan int)},
		"Private.Policy.Any is a *continual.exact, which has a plan":                    {Any: opened(continual.Exact{})},
		"Private.Policy.Any.list[0] is a environment.DecisionSets, which is an env":     {Any: &struct{ list [1]bandit.Environment }{[1]bandit.Environment{environment.DecisionSets{}}}},
		"": self,
	} {
		_, err := learner.New(h, gaussianTree()).Open(p, 10)
		if words == "" && err != nil {
			t.Errorf("a policy that holds itself: %v", err)
		} else if words != "" {
			expect.Error(t, words, err, words)
		}
	}
}

// TestServerThatPoints: a server from which a device could be reached is refused.
func TestServerThatPoints(t *testing.T) {
	p := bandit.Problem{Arms: 4, Dim: 2, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}
	n := local.LDPNoise{Budget: whole}
	ready, reporter := learnertest.Device(t, local.LDPDevice{Noise: n}, p, 10)
	for words, held := range map[string]any{
		"Local.Server.Policy.Any[0] is a local.LDPDevice, which is a device": []learner.Device{local.LDPDevice{Noise: n}},
		"Local.Server.Policy.Any is a *local.ldpDevice, which is a device":   ready,
		"Local.Server.Policy.Any is a *local.ldpReporter, which is a device": reporter,
		"Local.Server.Policy.Any is noise":                                   privacy.NewNoise(new(random.System)),
	} {
		local := learner.Local{Device: local.LDPDevice{Noise: n}, Server: local.LDPServer{Noise: n, Policy: &holds{Any: held}}}
		expect.Error(t, words, learnertest.Failure(local.Open(p, 10)), words, "messages alone")
	}
	// What comes in only when the run starts is found then.
	local := learner.Local{Device: local.LDPDevice{Noise: n}, Server: lateServer{local.LDPServer{Noise: n}, func() any { return reporter }}}
	run := runtest.Run(t, local, p, 10, nil, random.Source(1, 0, "noise")).Run
	_, err := run.Select(&bandit.View{Round: 1, Arms: 4, Dim: 2, X: make([]float64, 8)}, nil)
	expect.Error(t, "a device in a run", err, "is a *local.ldpReporter, which is a device")
}

// lateServer is a server whose runs reach something that the server does not.
type lateServer struct {
	learner.Server
	Gets func() any
}

type lateReady struct {
	learner.CalibratedServer
	gets func() any
}

type lateRun struct {
	learner.Receiver
	got any
}

func (l lateServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	ready, err := l.Server.Open(p, horizon)
	return lateReady{ready, l.Gets}, err
}

func (l lateReady) Start(own *rand.Rand) learner.Receiver {
	return &lateRun{l.CalibratedServer.Start(own), l.gets()}
}
