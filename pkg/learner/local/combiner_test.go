package local_test

import (
	"context"
	"errors"
	"fmt"
	"log"
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
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
	"github.com/dpbandits/dpbandits/pkg/random"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// scripted is a base server whose runs record their messages. A message is a reward, or a reward
// and another number that Receive refuses.
type scripted struct {
	noise float64
	name  float64 // its broadcast
	fail  error
}

// scriptedRun is a scripted in one trial.
type scriptedRun struct {
	of  *scripted
	got []float64
}

func (s *scripted) Open(bandit.Problem, int) (learner.CalibratedServer, error) { return s, s.fail }
func (s *scripted) Start(*rand.Rand) learner.Receiver                          { return &scriptedRun{of: s} }
func (s *scriptedRun) Broadcast() []float64                                    { return []float64{s.of.name, float64(len(s.got))} }
func (s *scriptedRun) Receive(m learner.Message) error {
	if len(m) != 1 {
		return errors.New("refused by Receive")
	}
	s.got = append(s.got, m[0])
	return nil
}
func (s *scripted) Reward(m learner.Message) (float64, error) {
	if len(m) == 0 {
		return 0, errors.New("refused by Reward")
	}
	return m[0], nil
}
func (s *scripted) RewardNoise() (float64, error) { return s.noise, nil }

// sender is a base device that plays an arm, and reports the reward under noise.
type sender struct {
	arm, dim  int // arm played, numbers in a draw
	extra     int // draws that it says a message has beside that of its plan
	sigma, mu float64
	heard     []float64
}

func (s *sender) Open(bandit.Problem, int) (learner.CalibratedDevice, error) { return s, nil }
func (s *sender) Start() learner.Reporter                                    { return s }
func (s *sender) Act(broadcast []float64, _ *bandit.View) (int, error) {
	s.heard = slices.Clone(broadcast)
	return s.arm, nil
}
func (s *sender) Report(broadcast []float64, _ []float64, y float64, n *privacy.Noise, dst learner.Message) (learner.Message, error) {
	z := make([]float64, s.dim)
	n.Gaussian(z, s.sigma)
	return append(dst, y+z[0]), nil
}
func (s *sender) Plan(int) privacy.Plan {
	return privacy.Plan{Model: privacy.Local, Scope: privacy.OneMessage, Neighbours: privacy.ReplaceRound, Asked: learnertest.Strict, Cases: [][]privacy.Release{{{
		Law: privacy.GaussianLaw(s.dim, s.sigma), Sensitivity: privacy.Norms{L2: s.mu * s.sigma},
	}}}, Draws: []privacy.Draws{{Law: privacy.GaussianLaw(s.dim, s.sigma), Count: 1 + s.extra}}}.HeldBy(s)
}

// combinerReference is Algorithm 2 as it is written down: all from the whole history in each round.
type combinerReference struct {
	horizon    int
	regret     []local.RegretBound
	sigma      []float64
	low, high  float64 // of the rewards
	p, alpha   float64
	bound, aim float64 // scales of L_i and R_i
	published  bool
	history    [][]float64 // rewards by base
	active     []bool
	eliminated []local.Elimination
	round      int
}

func (r *combinerReference) limit(i, n int) float64 {
	t, m, v := float64(r.horizon), float64(len(r.regret)), float64(n)*(1+r.sigma[i]*r.sigma[i]/((r.high-r.low)*(r.high-r.low)))
	l := r.bound * r.regret[i].Coefficient
	return l*math.Pow(float64(n), r.regret[i].Power) + r.p*math.Sqrt(v*math.Log(t*t*t*m*math.Log(math.Max(math.E, v))/r.alpha))
}

func (r *combinerReference) target(i int) float64 {
	t, m := float64(r.horizon), float64(len(r.regret))
	l, a, eta := r.regret[i].Coefficient, r.regret[i].Power, r.regret[i].Eta
	sum := l*math.Pow(t, a) +
		math.Pow(1-a, (1-a)/a)*math.Pow(1+a, 1/a)/math.Pow(a, (1-a)/a)*math.Pow(l, 1/a)*t*math.Pow(eta, (1-a)/a) +
		288*math.Log(t*t*t*m/r.alpha)*t*eta
	for k := range r.regret {
		if k != i {
			sum += 1 / r.regret[k].Eta
		}
	}
	return r.aim * sum
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

// upper returns U_i.
func (r *combinerReference) upper(i int) float64 {
	n := len(r.history[i])
	u := 1.0
	switch {
	case n > 0 && r.published:
		u = mean(r.history[i]) + math.Min(1, r.limit(i, n)/float64(n))
	case n > 0:
		u = math.Min(1, mean(r.history[i])+r.limit(i, n)/float64(n))
	}
	return u - r.target(i)/float64(r.horizon)
}

// choose returns the base to play, and by how much it leads.
func (r *combinerReference) choose() (best int, lead float64) {
	best, lead = -1, math.Inf(1)
	for i := range r.regret {
		if !r.active[i] {
			continue
		}
		switch {
		case best < 0:
			best = i
		case r.upper(i) > r.upper(best):
			best, lead = i, r.upper(i)-r.upper(best)
		default:
			lead = math.Min(lead, r.upper(best)-r.upper(i))
		}
	}
	return best, lead
}

func (r *combinerReference) receive(i int, reward float64) {
	r.round++
	r.history[i] = append(r.history[i], (reward-r.low)/(r.high-r.low))
	if !r.active[i] {
		return
	}
	var behind float64
	for n, y := range r.history[i] {
		if n > 0 {
			behind += mean(r.history[i][:n])
		}
		behind -= y
	}
	if behind < r.limit(i, len(r.history[i])) {
		return
	}
	r.active[i] = false
	last := !slices.Contains(r.active, true)
	r.eliminated = append(r.eliminated, local.Elimination{Round: r.round, Base: i, Last: last})
	if last {
		for k := range r.active {
			r.active[k] = true
		}
	}
}

// TestCombinerAgainstReference: on scripted messages, bases of falling and of rising rewards, the
// choice of base, the eliminations and the bounds are those of the reference. A round in which two
// bounds are within 1e-9 may go to either, as rounding differs; but for exact ties, which go to the
// lower index.
func TestCombinerAgainstReference(t *testing.T) {
	eliminated, resets, wrapped := 0, 0, 0
	for trial := range 40 {
		r := random.New(1, trial, "script")
		m, horizon := 1+r.IntN(4), 200
		ref := &combinerReference{
			horizon: horizon, low: -r.Float64(), high: 0.5 + r.Float64(), p: 0.02 + 0.1*r.Float64(), alpha: 0.01 + 0.5*r.Float64(), bound: 0.1, aim: 0.01,
			published: trial%2 == 1, history: make([][]float64, m), active: make([]bool, m),
		}
		of := local.CombinerServer{Servers: []learner.Server{}, Confidence: ref.p, Alpha: ref.alpha, BoundScale: ref.bound, TargetScale: ref.aim}
		if ref.published {
			of.Calibration = privacy.AsPublished
		}
		for i := range m {
			ref.active[i] = true
			ref.sigma = append(ref.sigma, 0.3*r.Float64())
			b := local.RegretBound{Coefficient: 0.1 + r.Float64(), Power: 0.5 + 0.5*r.Float64(), Eta: 0.01 + 0.1*r.Float64()}
			if trial%5 == 0 { // exact ties at first
				b = local.RegretBound{Coefficient: 1, Power: 0.5, Eta: 0.1}
			}
			ref.regret = append(ref.regret, b)
			of.Servers = append(of.Servers, &scripted{noise: ref.sigma[i], name: float64(10 * i)})
		}
		of.Regret = ref.regret
		p := learnertest.CombinerProblem
		p.RewardMin, p.RewardMax = ref.low, ref.high
		ready, err := of.Open(p, horizon)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // runs
			for i := range m {
				ref.history[i], ref.active[i] = nil, true
			}
			ref.eliminated, ref.round = nil, 0
			server := ready.Start(nil).(*local.CombinerReceiver)
			for round := range horizon {
				b := server.Broadcast()
				got := int(b[0])
				want, lead := ref.choose()
				if tied := lead < 1e-9 && lead > 0; got != want && !tied {
					t.Fatalf("trial %d, round %d: base %d plays, want %d, which leads by %v", trial, round, got, want, lead)
				}
				if len(b) != 3 || b[1] != float64(10*got) || b[2] != float64(len(ref.history[got])) || server.Playing() != got {
					t.Fatalf("trial %d, round %d: broadcast %v, Playing() = %d", trial, round, b, server.Playing())
				}
				slope := float64(got%2) - 0.6 // the even bases get worse and worse
				y := ref.low + (ref.high-ref.low)*min(max(0.6+slope*float64(round)/60+0.3*r.NormFloat64(), -1), 2)
				if err := server.Receive(learner.Message{y}); err != nil {
					t.Fatal(err)
				}
				ref.receive(got, y)
				for i, s := range server.Standings(nil) {
					n := len(ref.history[i])
					expect.Near(t, "U", s.Upper, ref.upper(i), 1e-9)
					expect.Near(t, "R/T", s.Target, ref.target(i)/float64(horizon), 1e-9)
					if n > 0 {
						expect.Near(t, "mean", s.Mean, mean(ref.history[i]), 1e-9)
						expect.Near(t, "w", s.Limit, ref.limit(i, n), 1e-9)
					}
					if s.Played != n || s.Active != ref.active[i] || len(server.BaseServer(i).(*scriptedRun).got) != n {
						t.Fatalf("trial %d, round %d: base %d: %+v, want %d messages, active %v", trial, round, i, s, n, ref.active[i])
					}
				}
			}
			if !slices.Equal(server.Eliminations(), ref.eliminated) {
				t.Fatalf("trial %d: eliminations %v, want %v", trial, server.Eliminations(), ref.eliminated)
			}
			w := server.Warnings()
			for _, e := range ref.eliminated {
				eliminated++
				if e.Last {
					resets++
				}
			}
			if lasts := slices.IndexFunc(ref.eliminated, func(e local.Elimination) bool { return e.Last }) >= 0; lasts != (len(w) == 1) {
				t.Errorf("trial %d: warnings %v, all eliminated: %v", trial, w, lasts)
			}
			wrapped++
		}
	}
	if eliminated < 50 || resets < 10 || wrapped != 80 {
		t.Errorf("%d eliminations, %d of them of the last base: the scripts test too little", eliminated, resets)
	}
}

// TestCombinerCap: one reward of -3 under noise does not shut a base out for ever, as it does as
// published, where the bonus and not the bound is capped at 1.
func TestCombinerCap(t *testing.T) {
	for c, want := range map[privacy.Calibration]float64{privacy.Sound: 1, privacy.AsPublished: -2} {
		b := local.RegretBound{Coefficient: 10, Power: 0.5, Eta: 1}
		of := local.CombinerServer{Servers: []learner.Server{&scripted{noise: 2}, &scripted{noise: 2}}, Regret: []local.RegretBound{b, b}, TargetScale: 1e-12, Calibration: c}
		s := learnertest.Server[*local.CombinerReceiver](t, of, learnertest.CombinerProblem, 100)
		if err := s.Receive(learner.Message{-3}); err != nil {
			t.Fatal(err)
		}
		expect.Near(t, c.String(), s.Standings(nil)[0].Upper, want, 1e-6)
	}
}

// TestCombinerBatch: messages that come in a row, as from a shuffler, all belong to the base that
// was broadcast before them, whoever leads by then.
func TestCombinerBatch(t *testing.T) {
	b := local.RegretBound{Coefficient: 0.01, Power: 0.5, Eta: 1}
	bases := []*scripted{{name: 1}, {name: 2}}
	of := local.CombinerServer{Servers: []learner.Server{bases[0], bases[1]}, Regret: []local.RegretBound{b, b}}
	of.TargetScale, of.Confidence = 1e-12, 1e-6
	s := learnertest.Server[*local.CombinerReceiver](t, of, learnertest.CombinerProblem, 100)
	got := func(i int) int { return len(s.BaseServer(i).(*scriptedRun).got) }
	for batch := range 4 {
		i := batch % 2 // of two that are alike, the one that has not just had low rewards leads
		if told := s.Broadcast(); told[0] != float64(i) {
			t.Fatalf("batch %d: broadcast %v, want of base %d", batch, told, i)
		}
		for range 3 {
			if err := s.Receive(learner.Message{0.5 - 0.1*float64(batch)}); err != nil {
				t.Fatal(err)
			}
		}
		if got(i) != 3*(batch/2+1) {
			t.Errorf("batch %d: bases have %d and %d messages", batch, got(0), got(1))
		}
	}
}

// TestCombinerRouting: the device hands its base's broadcast to its base's device, whose arm and
// message are the combiner's.
func TestCombinerRouting(t *testing.T) {
	devices := []*sender{{arm: 2, dim: 1, sigma: 1, mu: 1}, {arm: 0, dim: 1, sigma: 1, mu: 1}}
	_, d := learnertest.Device(t, local.CombinerDevice{Devices: []learner.Device{devices[0], devices[1]}}, learnertest.CombinerProblem, 100)
	v := &bandit.View{Round: 1, Arms: 3, Dim: 2, X: make([]float64, 6)}
	for i, want := range []int{2, 0} {
		arm, err := d.Act([]float64{float64(i), 5, 6 + float64(i)}, v)
		if err != nil || arm != want || !slices.Equal(devices[i].heard, []float64{5, 6 + float64(i)}) {
			t.Errorf("base %d: arm %d, %v, heard %v", i, arm, err, devices[i].heard)
		}
		noise := func() *privacy.Noise { return privacy.NewNoise(random.Source(1, 0, "noise")) }
		a, errA := d.Report([]float64{float64(i)}, v.Row(0), 1, noise(), learner.Message{7})
		b, errB := devices[i].Report(nil, v.Row(0), 1, noise(), learner.Message{7})
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("base %d: message %v, %v, want %v", i, a, errA, b)
		}
	}
	for want, b := range map[string][]float64{
		"empty broadcast": nil, "base learner -1": {-1, 0}, "base learner 2,": {2, 0}, "base learner 0.5": {0.5, 0}, "base learner NaN": {math.NaN(), 0}, "base learner +Inf": {math.Inf(1)},
	} {
		ledger := privacy.NewLedger(random.Source(1, 0, "noise"))
		_, err := d.Act(b, v)
		expect.Error(t, "Act", err, want)
		m, err := d.Report(b, v.Row(0), 1, privacy.NewNoise(ledger), learner.Message{7})
		expect.Error(t, "Report", err, want)
		if !slices.Equal(m, learner.Message{7}) || len(ledger.Drawn()) > 0 {
			t.Errorf("%s: message %v, drawn %v", want, m, ledger.Drawn())
		}
	}
}

// TestCombinerClaims: a combiner claims what its bases do, which have to agree.
func TestCombinerClaims(t *testing.T) {
	noise := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-5}, Constant: 0.5}
	several, _ := noise.Combiner()
	one := local.OnlineDevice{Noise: noise}
	d, _ := learnertest.Device(t, several, learnertest.CombinerProblem, 1000)
	alone, _ := learnertest.Device(t, one, learnertest.CombinerProblem, 1000)
	if a, b := privacy.ClaimOf(d), privacy.ClaimOf(alone); a.String() != b.String() || a.Event() != b.Event() || math.Abs(a.Epsilon()-1) > 1e-6 {
		t.Errorf("claims\n%v, one base\n%v", a, b)
	}
	if a, b := privacy.PlanOf(d, privacy.All).Repeated(17).Draws, privacy.PlanOf(alone, privacy.All).Repeated(17).Draws; !slices.Equal(a, b) {
		t.Errorf("draws %v, one base %v", a, b)
	}
	other := noise
	other.Budget.Epsilon = 2
	for _, c := range []struct {
		bases []learner.Device
		words []string
	}{
		{[]learner.Device{one, local.OnlineDevice{Noise: other}}, []string{"base learner 1", "another claim", "epsilon = 2"}},
		{[]learner.Device{one, one, local.LDPDevice{Noise: local.LDPNoise{Budget: noise.Budget}}}, []string{"base learner 2", "another claim"}},
		{[]learner.Device{&sender{dim: 1, sigma: 1, mu: 1}, &sender{dim: 2, sigma: 1, mu: 1}}, []string{"base learner 1", "another claim"}},
		{[]learner.Device{&sender{dim: 1, sigma: 1, mu: 1}, &sender{dim: 1, sigma: 1, mu: 1, extra: 1}}, []string{"base learner 1 draws", "want the same"}},
		{[]learner.Device{&sender{dim: 1, sigma: 1, mu: 1}, &sender{dim: 1, sigma: 1, mu: 2}}, []string{"base learner 1", "another claim"}},
		{[]learner.Device{one, nil}, []string{"Devices[1] is nil"}},
		{[]learner.Device{one, local.OnlineDevice{}}, []string{"base learner 1", "epsilon = 0"}},
		{[]learner.Device{}, []string{"Devices is empty"}},
	} {
		expect.Error(t, "CombinerDevice", learnertest.Failure(local.CombinerDevice{Devices: c.bases}.Open(learnertest.CombinerProblem, 100)), c.words...)
	}
	expect.Error(t, "CombinerDevice", learnertest.Failure(several.Open(learnertest.CombinerProblem, 0)), "horizon = 0")
}

func TestCombinerRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	b := local.RegretBound{Coefficient: 1, Power: 0.5, Eta: 1}
	good := func() local.CombinerServer {
		return local.CombinerServer{Servers: []learner.Server{&scripted{}, &scripted{}}, Regret: []local.RegretBound{b, b}}
	}
	noise := local.OnlineNoise{Budget: learnertest.Strict}
	for _, c := range []struct {
		change func(*local.CombinerServer)
		words  []string
	}{
		{func(s *local.CombinerServer) { s.Alpha = -1 }, []string{"Alpha = -1", "(0, 1]"}},
		{func(s *local.CombinerServer) { s.Alpha = nan }, []string{"Alpha = NaN"}},
		{func(s *local.CombinerServer) { s.P = -1 }, []string{"P = -1", "> 0"}},
		{func(s *local.CombinerServer) { s.PPrime = inf }, []string{"PPrime = +Inf", "finite"}},
		{func(s *local.CombinerServer) { s.Confidence = nan }, []string{"Confidence = NaN", "1.7"}},
		{func(s *local.CombinerServer) { s.BoundScale = -2 }, []string{"BoundScale = -2", "> 0"}},
		{func(s *local.CombinerServer) { s.TargetScale = inf }, []string{"TargetScale = +Inf"}},
		{func(s *local.CombinerServer) { s.Calibration = privacy.Given }, []string{"Calibration = Given"}},
		{func(s *local.CombinerServer) { s.Regret = s.Regret[:1] }, []string{"1 bounds", "2 Servers"}},
		{func(s *local.CombinerServer) { s.Servers = nil }, []string{"2 bounds", "without Servers"}},
		{func(s *local.CombinerServer) { s.Servers = []learner.Server{} }, []string{"Servers is empty"}},
		{func(s *local.CombinerServer) { s.Servers, s.Regret = nil, nil }, []string{"epsilon = 0"}},
		{func(s *local.CombinerServer) { s.Regret[1].Coefficient = 0 }, []string{"base learner 1", "Coefficient = 0"}},
		{func(s *local.CombinerServer) { s.Regret[1].Power = 0.4 }, []string{"Power = 0.4", "[1/2, 1]"}},
		{func(s *local.CombinerServer) { s.Regret[0].Power = nan }, []string{"base learner 0", "Power = NaN"}},
		{func(s *local.CombinerServer) { s.Regret[0].Eta = inf }, []string{"Eta = +Inf"}},
		{func(s *local.CombinerServer) { s.Servers[1] = &scripted{noise: nan} }, []string{"base learner 1", "NaN"}},
		{func(s *local.CombinerServer) { s.Servers[1] = &scripted{fail: errors.New("broken")} }, []string{"base learner 1", "broken"}},
		{func(s *local.CombinerServer) { s.Servers[1] = nil }, []string{"Servers[1] is nil"}},
		{func(s *local.CombinerServer) {
			s.Servers[1] = local.LDPServer{Noise: local.LDPNoise{Budget: noise.Budget}}
		}, []string{"base learner 1", "LDPServer", "no reward"}},
		{func(s *local.CombinerServer) {
			s.Servers[1] = local.Anytime{Server: local.LDPServer{Noise: local.LDPNoise{Budget: noise.Budget}}}
		}, []string{"base learner 1", "LDPServer", "no reward"}},
	} {
		s := good()
		c.change(&s)
		expect.Error(t, "CombinerServer", learnertest.Failure(s.Open(learnertest.CombinerProblem, 100)), c.words...)
	}
	if _, err := good().Open(learnertest.CombinerProblem, 100); err != nil {
		t.Error(err)
	}
	expect.Error(t, "CombinerServer", learnertest.Failure(good().Open(learnertest.CombinerProblem, 0)), "horizon = 0")
	p := learnertest.CombinerProblem
	p.Slots = 2
	expect.Error(t, "CombinerServer", learnertest.Failure(good().Open(p, 100)), "Slots = 2")
}

// TestCombinerMalformedMessages: what a base or the combiner refuses leaves all as it was.
func TestCombinerMalformedMessages(t *testing.T) {
	b := local.RegretBound{Coefficient: 1, Power: 0.5, Eta: 1}
	of := local.CombinerServer{Servers: []learner.Server{&scripted{name: 1}, &scripted{name: 2}}, Regret: []local.RegretBound{b, b}}
	s := learnertest.Server[*local.CombinerReceiver](t, of, learnertest.CombinerProblem, 100)
	for range 5 {
		before, told := s.Standings(nil), slices.Clone(s.Broadcast())
		for want, m := range map[string]learner.Message{"by Reward": {}, "by Receive": {1, 2}, "NaN": {math.NaN()}, "-Inf": {math.Inf(-1)}} {
			expect.Error(t, "CombinerServer", s.Receive(m), want)
		}
		if !slices.Equal(s.Standings(nil), before) || !slices.Equal(s.Broadcast(), told) {
			t.Errorf("a refused message has changed %v to %v", before, s.Standings(nil))
		}
		if err := s.Receive(learner.Message{0.5}); err != nil || slices.Equal(s.Standings(nil), before) {
			t.Errorf("an honest message: %v, %v", err, s.Standings(nil))
		}
	}
}

func TestCombinerConformance(t *testing.T) {
	for name, l := range learnertest.Combiners() {
		t.Run(name, func(t *testing.T) {
			bandittest.Learner(t, l, environment.UnitFeatures{Dim: 4, Arms: 12}, bandittest.LearnerOptions{Seed: 1, Rounds: 150})
		})
	}
}

// TestCombinerLedger: the simulation compares the noise drawn with the claim, and all bases get to
// play.
func TestCombinerLedger(t *testing.T) {
	e := &simulate.Experiment{
		Name: "combiner", Environment: environment.UnitFeatures{Dim: 4, Arms: 12, Fixed: true},
		Horizon: 1000, Trials: 2, Seed: 1,
	}
	for name, l := range learnertest.Combiners() {
		e.Policies = append(e.Policies, simulate.Policy{Name: name, Learner: l})
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Policies {
		if epsilon, _, err := account.Tightest(p.Claim.Event(), p.Claim.Asked().Delta); err != nil || epsilon != p.Claim.Epsilon() {
			t.Errorf("%s: claims epsilon = %v, an accountant finds %v, %v", p.Name, p.Claim.Epsilon(), epsilon, err)
		}
		if p.Claim.Model() != privacy.Local || strings.Contains(p.Name, "inf") != math.IsInf(p.Claim.Epsilon(), 1) {
			t.Errorf("%s: claims %v", p.Name, p.Claim)
		}
	}
	l := learnertest.Combined(privacy.Budget{Epsilon: math.Inf(1)}, privacy.Sound, false)
	server := l.Server.(local.CombinerServer)
	server.TargetScale = 1e-6
	l.Server = server
	_, run, _ := play(t, l, environment.UnitFeatures{Dim: 4, Arms: 12}, 2000)
	var total int
	for i, s := range standings(run) {
		if total += s.Played; s.Played == 0 {
			t.Errorf("base %d has not played", i)
		}
	}
	if total != 2000 {
		t.Errorf("%d messages, want 2000", total)
	}
}

// standings returns the state of each base learner of a combiner's run.
func standings(l *runtest.Running) []local.BaseStanding {
	return learnertest.ServerOf(l).(*local.CombinerReceiver).Standings(nil)
}

// play returns the regret of a learner, its run, and the trial that it has played.
func play(t *testing.T, local learner.Local, env bandit.Environment, rounds int) (regret float64, l *runtest.Running, trial bandit.Instance) {
	t.Helper()
	world := runtest.Open(t, env)
	l = runtest.Run(t, local, world.Problem(), rounds, random.New(1, 0, "learner"), random.Source(1, 0, "noise"))
	trial = world.Start(random.New(1, 0, "contexts"))
	rewards := random.New(1, 0, "rewards")
	var v bandit.View
	var arms []int
	y := make([]float64, 1)
	for range rounds {
		trial.Next(&v)
		arms = l.Select(&v, arms[:0])
		trial.Pull(rewards, arms, y)
		l.Update(&v, arms, y)
		regret += trial.Regret(arms)
	}
	return regret, l, trial
}

// TestCombinerFindsTheGoodBase: of three bases that play an arm each, whose mean rewards are 0.2,
// 0.8 and 0.5, the second plays most of 20000 rounds.
func TestCombinerFindsTheGoodBase(t *testing.T) {
	b := local.RegretBound{Coefficient: 1, Power: 0.5, Eta: 0.001}
	d, s := local.CombinerDevice{}, local.CombinerServer{}
	for arm := range 3 {
		d.Devices = append(d.Devices, &sender{arm: arm, dim: 1, sigma: 1, mu: 1})
		s.Servers, s.Regret = append(s.Servers, &scripted{noise: 1}), append(s.Regret, b)
	}
	s.TargetScale = 0.001
	_, l, _ := play(t, learner.Local{Device: d, Server: s}, coinArms{0.2, 0.8, 0.5}, 20000)
	if st := standings(l); st[1].Played < 10000 || st[0].Played > 3000 || !st[1].Active {
		t.Errorf("standings %+v, want most messages for base 1, and few for base 0", st)
	}
}

// coinArms are arms whose contexts say nothing.
type coinArms []float64

func (c coinArms) Open() (bandit.World, error) {
	return bandit.NewWorld(learnertest.CombinerProblem, func(*rand.Rand) bandit.Instance { return coinTrial{c} }), nil
}

// coinTrial is a trial of coinArms.
type coinTrial struct{ coinArms }

func (c coinTrial) Next(v *bandit.View) {
	*v = bandit.View{Round: v.Round + 1, Arms: 3, Dim: 2, X: make([]float64, 6)}
}
func (c coinTrial) Regret(arms []int) float64 {
	return slices.Max(c.coinArms) - c.coinArms[arms[0]]
}
func (c coinTrial) Pull(r *rand.Rand, arms []int, y []float64) {
	y[0] = 0
	if r.Float64() < c.coinArms[arms[0]] {
		y[0] = 1
	}
}

// TestCombinerDefaultSet: M and the guesses against the formula in integers, and the constants of
// Theorem 4.1, which are vacuous.
func TestCombinerDefaultSet(t *testing.T) {
	for horizon, want := range map[int]int{1: 1, 2: 2, 256: 2, 257: 3, 20_000: 3, 65_536: 3, 65_537: 4, 100_000: 4} {
		g := local.CombinerGuesses(horizon)
		if len(g) != want {
			t.Errorf("T = %d: %d bases, want %d", horizon, len(g), want)
		}
		expect.Near(t, "the last guess", g[len(g)-1], math.Pow(2, float64(want-1))/math.Pow(float64(horizon), 0.125), 1e-12)
		if horizon > 1 && g[len(g)-1] < 1 {
			t.Errorf("T = %d: guesses %v do not reach 1", horizon, g)
		}
	}
	// T = 20000, d = 5, epsilon = 1: L_2 sqrt(T) = 17,000, and R_i/T from 2 to 40.
	_, s := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}.Combiner()
	p := learnertest.Features
	p.Dim = 5
	for i, b := range learnertest.Server[*local.CombinerReceiver](t, s, p, 20_000).Standings(nil) {
		if b.Target < 2 || b.Target > 40 || !b.Active || b.Upper != 1-b.Target {
			t.Errorf("base %d: R/T = %v, U = %v", i, b.Target, b.Upper)
		}
	}
}

func TestCombinerNoAllocations(t *testing.T) {
	for name, local := range learnertest.Combiners() {
		_, l, trial := play(t, local, environment.UnitFeatures{Dim: 5, Arms: 10}, 5000)
		var v bandit.View
		arms, y := make([]int, 0, 1), []float64{1}
		if n := testing.AllocsPerRun(2, func() {
			for range 1500 {
				trial.Next(&v)
				arms = l.Select(&v, arms[:0])
				l.Update(&v, arms, y)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations in 1500 rounds, want 0", name, n)
		}
	}
}

func BenchmarkCombiner(b *testing.B) {
	for _, maler := range []bool{false, true} {
		b.Run(fmt.Sprintf("d=5/K=100/maler=%v", maler), func(b *testing.B) {
			learnertest.Round(b, environment.UnitFeatures{Fixed: true}, learnertest.Combined(privacy.Budget{Epsilon: 10, Delta: 0.1}, privacy.Sound, maler), 20000)
		})
	}
}

// Private OnlineUCB needs to be told how far to explore. The combiner tries several widths while it
// plays, each user being one base learner's.
func ExampleOnlineNoise_Combiner() {
	env := environment.UnitFeatures{Fixed: true}
	device, server := local.OnlineNoise{Budget: privacy.Budget{Epsilon: 10, Delta: 1e-5}, Constant: env.Constant()}.Combiner()
	server.BoundScale, server.TargetScale = 0.02, 0.01 // the theory's constants are vacuous
	server.Base.Width = 8
	server.Base.Online = local.Descent{Curvature: 0.1} // quicker than Maler, the default
	const horizon = 20000
	l, run := learner.Local{Device: device, Server: server}, (*learner.LocalRun)(nil)
	err := simulate.Play(env, l, horizon, 1, func(r *simulate.Round) { run = r.Run.(*learner.LocalRun) })
	if err != nil {
		log.Fatal(err)
	}
	for i, b := range run.Server().(*local.CombinerReceiver).Standings(nil) {
		fmt.Printf("base %d: %5d rounds, mean %.2f\n", i, b.Played, b.Mean)
	}
	claim, err := learner.ClaimOf(l, env.Problem(), horizon)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("each user's message is (%.4g, %.4g)-private\n", claim.Epsilon(), claim.Asked().Delta)
	// Output:
	// base 0:     0 rounds, mean 0.00
	// base 1: 18932 rounds, mean 0.98
	// base 2:  1068 rounds, mean 0.54
	// each user's message is (10, 1e-05)-private
}
