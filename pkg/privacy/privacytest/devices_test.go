package privacytest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/learner/slots"
	"github.com/dpbandits/dpbandits/pkg/learner/sparse"
	"github.com/dpbandits/dpbandits/pkg/matroid"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

var contextual = bandit.Problem{Arms: 4, Dim: 3, Slots: 1, ContextNorm: 1, RewardMin: -1, RewardMax: 1}

// devices are ours, by name.
func devices() map[string]privacytest.DeviceCase {
	all := make(map[string]privacytest.DeviceCase)
	for name, constant := range map[string]float64{"": 0, ", constant": 0.5} {
		ldp := local.LDPNoise{Budget: approximate, Constant: constant}
		online := local.OnlineNoise{Budget: approximate, Constant: constant}
		amplified := local.AmplifiedNoise{Budget: approximate, Batch: 20, Constant: constant}
		vectors := local.VectorSum{Budget: approximate, Batch: 20, Constant: constant}
		device, server := online.Combiner()
		all["LDP"+name] = privacytest.DeviceCase{
			Device: local.LDPDevice{Noise: ldp},
			Server: local.LDPServer{Noise: ldp},
		}
		all["online"+name] = privacytest.DeviceCase{
			Device: local.OnlineDevice{Noise: online},
			Server: local.OnlineServer{Noise: online},
		}
		all["combiner"+name] = privacytest.DeviceCase{
			Device: device,
			Server: server,
		}
		all["amplified"+name] = privacytest.DeviceCase{
			Device: local.AmplifiedDevice{Noise: amplified},
			Server: local.AmplifiedServer{Noise: amplified},
		}
		all["vector sum"+name] = privacytest.DeviceCase{
			Device: local.VectorSumDevice{Noise: vectors},
			Server: local.VectorSumServer{Noise: vectors},
			Below:  0.5, // its norms have room for rounding
		}
	}
	all["weighted"] = privacytest.DeviceCase{
		Device: local.WeightedDevice{Budget: approximate},
		Server: local.WeightedServer{Budget: approximate},
		Below:  0.3, // of the broadcasts tried, none stretches one direction alone
	}
	published := local.OnlineNoise{Budget: approximate, Calibration: privacy.AsPublished}
	all["online as published"] = privacytest.DeviceCase{
		Device: local.OnlineDevice{Noise: published},
		Server: local.OnlineServer{Noise: published},
		Below:  1, // it draws zeta, too, which the plan does not count on
	}
	printed := local.LDPNoise{Budget: approximate, Calibration: privacy.AsPublished}
	all["LDP as published"] = privacytest.DeviceCase{
		Device: local.LDPDevice{Noise: printed},
		Server: local.LDPServer{Noise: printed},
		Below:  0.3, // its worst case is a diagonal change
	}
	bitwise := sparse.SparseBits{Budget: pure, Sparsity: 1, Signal: 1}
	all["sparse bits"] = privacytest.DeviceCase{
		Device:  sparse.SparseBitsDevice{Bits: bitwise},
		Server:  sparse.SparseBitsServer{Bits: bitwise},
		Horizon: 1000,
		Below:   1, // the probe gets the truth, of which it cannot tell how probable it is
	}
	for name, c := range all {
		c.Problem = contextual
		if c.Below == 0 {
			c.Below = 0.2 // of the contexts tried, none are at the angle that is worst
		}
		all[name] = c
	}
	return all
}

func TestDevices(t *testing.T) {
	for name, c := range devices() {
		t.Run(name, func(t *testing.T) { privacytest.Device(t, c) })
	}
}

// plain is a device of our own: y x under Gaussian noise. The fields break it.
type plain struct {
	cancels  bool // the norm of the context without its last number is got by subtraction
	overflow bool // data whose square overflows is an error
	trusts   bool // the server says how much noise there is
	keeps    bool // the context slice, and adds the last user's
	writes   bool
	silent   bool // no message of a zero reward
	early    bool // draws noise before it looks
	plays    bool // reads the broadcast only if the reward is high
	stays    bool // plays the arm of the last message again if its reward was high
	counts   bool // plays the first arm after 20 messages
	repeats  bool // every second message has the noise of the one before
	tires    bool // every second message has half as much noise
}

// plainDevice is a plain for a problem.
type plainDevice struct {
	plain
	learner.CalibratedDevice // acts
	problem                  bandit.Problem
	sd                       float64
}

// plainReporter is what runs on the devices.
type plainReporter struct {
	*plainDevice
	learner.Reporter
	last   []float64
	high   bool
	sent   int
	before []float64 // the noise of the last message
}

func (p plain) Open(problem bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	mu, err := approximate.GaussianMu()
	if err != nil {
		return nil, err
	}
	d, err := local.LDPDevice{Noise: local.LDPNoise{Budget: approximate}}.Open(problem, horizon)
	return &plainDevice{p, d, problem, 2 * problem.ContextNorm / mu}, err // rewards are in [-1, 1]
}

func (p *plainDevice) Start() learner.Reporter {
	return &plainReporter{plainDevice: p, Reporter: p.CalibratedDevice.Start()}
}

// Act is LinUCB's, unless it is broken.
func (p *plainReporter) Act(broadcast []float64, v *bandit.View) (int, error) {
	arm, err := p.Reporter.Act(broadcast, v)
	if err == nil && (p.stays && p.high || p.counts && p.sent > 20) {
		arm = (arm + 1) % v.Arms
	}
	return arm, err
}

func (p *plainReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	message := make([]float64, len(x))
	p.high, p.sent = y > 0.5, p.sent+1
	sd := p.sd
	if p.trusts && len(broadcast) > 0 && broadcast[0] > 1 {
		sd /= broadcast[0]
	}
	if p.early {
		noise.Gaussian(message, sd)
	}
	if p.plays && y >= 1 && len(broadcast) == 0 {
		return dst, errTest
	}
	square, most := 0.0, 0.0
	for _, v := range x {
		square += v * v
		most = max(most, v, -v)
	}
	if len(x) != p.problem.Dim || most-most != 0 || y-y != 0 || p.overflow && square-square != 0 {
		return dst, errTest
	}
	if !p.early {
		noise.Gaussian(message, sd)
	}
	switch even := p.sent%2 == 0; {
	case p.repeats && even:
		copy(message, p.before)
	case p.tires && even:
		for i := range message {
			message[i] /= 2
		}
	}
	p.before = slices.Clone(message)
	clipped := slices.Clone(x)
	if p.cancels {
		last := len(x) - 1
		square -= x[last] * x[last]
		clipped[last] = 0
		if square > 1 {
			shorten(clipped, 1)
		}
	} else {
		shorten(clipped, p.problem.ContextNorm)
	}
	y = min(max(y, -1), 1)
	for i, v := range clipped {
		message[i] += y * v
		if p.keeps && p.last != nil {
			message[i] += p.last[i]
		}
	}
	if p.keeps {
		p.last = x
	}
	if p.writes {
		x[0] = 0
	}
	if p.silent && y == 0 {
		return append(dst, message[:1]...), nil
	}
	return append(dst, message...), nil
}

func (p *plainDevice) Plan(int) privacy.Plan {
	return privacy.Plan{Model: privacy.Local, Scope: privacy.OneMessage, Neighbours: privacy.ReplaceRound, Asked: approximate,
		Cases: [][]privacy.Release{{{Law: privacy.GaussianLaw(p.problem.Dim, p.sd), Sensitivity: privacy.Norms{L2: 2}}}},
		Draws: []privacy.Draws{{Law: privacy.GaussianLaw(p.problem.Dim, p.sd), Count: 1}}}.HeldBy(p)
}

var errTest = errors.New("bad data")

// shorten scales v down to a norm that is at most bound.
func shorten(v []float64, bound float64) {
	most := bound
	for _, x := range v {
		most = max(most, x, -x)
	}
	var square float64
	for _, x := range v {
		square += x / most * (x / most)
	}
	if square > bound/most*(bound/most) {
		scale := bound / math.Sqrt(square)
		for i, x := range v {
			v[i] = x / most * scale
		}
	}
}

func TestBrokenDevicesAreCaught(t *testing.T) {
	suite := func(p plain) func(t testing.TB) {
		return func(t testing.TB) {
			privacytest.Device(t, privacytest.DeviceCase{
				Device:  p,
				Server:  local.LDPServer{Noise: local.LDPNoise{Budget: approximate}},
				Problem: contextual,
			})
		}
	}
	suite(plain{})(t) // not broken
	for _, c := range []struct {
		what, check, words string
		broken             plain
	}{
		{"a norm by subtraction", "Sensitivity", "apart in the units of their noise, and the plan says at most", plain{cancels: true}},
		{"squares overflow", "Sensitivity", "is refused", plain{overflow: true}},
		{"noise by the broadcast", "Sensitivity", "with broadcast", plain{trusts: true}},
		{"keeps the context", "Message", "keep nothing", plain{keeps: true}},
		{"plays the arm again after a high reward", "Act", "by a device that has sent none", plain{stays: true}},
		{"plays by a count of messages", "Act", "by a device that has sent none", plain{counts: true}},
		{"writes to the context", "Message", "changes the context", plain{writes: true}},
		{"short messages", "Message", "lengths", plain{silent: true}},
		{"the noise of the message before", "Fresh", "give each message fresh noise", plain{repeats: true}},
		{"less noise in every second message", "Fresh", "give each message fresh noise", plain{tires: true}},
		{"noise for bad data", "Refused", "noise is drawn", plain{early: true}},
		{"errors by data", "Refused", "an error is a message", plain{plays: true}},
	} {
		caught(t, c.what, c.check, c.words, suite(c.broken))
	}
}

// arms is the problem of a uniform matroid.
var arms = bandit.Problem{Arms: 5, Slots: 2, RewardMax: 1}

func uniform() matroid.Matroid {
	m, err := matroid.NewUniform(arms.Arms, arms.Slots)
	if err != nil {
		panic(err)
	}
	return m
}

// readers are our policies, by name.
func readers() map[string]privacytest.PolicyCase[privacy.Means] {
	all := make(map[string]privacytest.PolicyCase[privacy.Means])
	add := func(name string, policy learner.Policy[privacy.Means]) {
		all[name] = privacytest.PolicyCase[privacy.Means]{Policy: policy, Problem: arms}
		all[name+" over blocks"] = privacytest.PolicyCase[privacy.Means]{Policy: policy, Problem: arms,
			Statistic: tally.Blocks{Budget: pure}}
	}
	for _, start := range []bool{false, true} {
		name := fmt.Sprintf(", warm-up %v", start)
		add("OMM"+name, slots.OMM{Matroid: uniform(), WarmUp: start})
		add("CTS"+name, slots.CTS{Matroid: uniform(), WarmUp: start})
		add("CTS that samples"+name, slots.CTS{Matroid: uniform(), WarmUp: start, Sample: true})
		add("KLOSM"+name, slots.KLOSM{Matroid: uniform(), WarmUp: start})
	}
	return all
}

func TestPolicies(t *testing.T) {
	lin := privacytest.PolicyCase[privacy.Sums]{Policy: linear.UCB{}, Problem: contextual}
	t.Run("LinUCB", func(t *testing.T) { privacytest.Replay(t, lin) })
	lin.Statistic = continual.BLT{Budget: approximate}
	t.Run("LinUCB over BLT", func(t *testing.T) { privacytest.Replay(t, lin) })
	for name, c := range readers() {
		t.Run(name, func(t *testing.T) { privacytest.Replay(t, c) })
	}
}

// remembering is LinUCB that keeps the last view, and plays, tells or learns by it.
type remembering struct {
	linear.UCB
	plays, tells, learns bool
	from, after          int // first round in which it plays so; how old a view is by then, 0 for 1
}

// remembers is the rule of remembering.
type remembers struct {
	*linear.UCBRule
	remembering
	first float64 // of the last view's numbers
	seen  []float64
	told  []float64
}

func (r remembering) Prepare(p bandit.Problem, horizon int, s *privacy.Sums) (learner.Prepared[privacy.Sums], error) {
	prepared, err := r.UCB.Prepare(p, horizon, s)
	return learner.Begins[privacy.Sums](func(own *rand.Rand) learner.Rule[privacy.Sums] {
		return &remembers{UCBRule: prepared.Begin(own).(*linear.UCBRule), remembering: r}
	}), err
}

func (r *remembers) Learn(s *privacy.Sums) ([]float64, error) {
	b, err := r.UCBRule.Learn(s)
	if r.tells {
		r.told = append(r.told[:0], b...)
		r.told[0] += 1e-3 * r.first
		return r.told, err
	}
	return b, err
}

func (r *remembers) Act(broadcast []float64, v *bandit.View, dst []int) ([]int, error) {
	before := r.first
	r.first, r.seen = v.X[0], append(r.seen, v.X[0])
	if r.after > 0 {
		before = r.seen[max(0, len(r.seen)-1-r.after)]
	}
	if r.plays && v.Round > r.from && before > 0 {
		return append(dst, 0), nil
	}
	if r.learns {
		theta, _ := r.Confidence()
		best := 0
		for a := range v.Arms {
			if dot(v.Row(a), theta) > dot(v.Row(best), theta) {
				best = a
			}
		}
		return append(dst, best), nil
	}
	return r.UCBRule.Act(broadcast, v, dst)
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func TestPoliciesThatRememberAreCaught(t *testing.T) {
	for _, c := range []struct {
		what, check, words string
		broken             remembering
	}{
		{"plays by the last view", "Memory", "is played in place of", remembering{plays: true}},
		{"tells the last view", "Memory", "broadcast 2, before round 2, is another", remembering{tells: true}},
		{"plays by the last view, late", "Memory", "is played in place of", remembering{plays: true, from: 64}},
		{"plays by the view of 20 rounds ago, late", "Memory", "is played in place of", remembering{plays: true, from: 100, after: 20}},
		{"acts by what it has learnt", "OtherMachine", "has not learnt", remembering{learns: true}},
	} {
		caught(t, c.what, c.check, c.words, func(t testing.TB) {
			privacytest.Replay(t, privacytest.PolicyCase[privacy.Sums]{
				Policy: c.broken, Problem: contextual,
			})
		})
	}
}
