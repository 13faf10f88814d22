package local

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/learner/linear"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// LDPDevice is the devices' half of LDP LinUCB (Zheng, Cai, Huang, Li, Wang, "Locally
// differentially private (contextual) bandits learning", 2020). It plays the arm with the highest
// upper confidence bound in the broadcast's ellipsoid, and reports x x^T and y x with the noise of
// LDPNoise.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The message
// is Gaussian whatever the broadcast was, so the guarantee is sequentially interactive: it holds
// against any server.
type LDPDevice struct {
	Noise LDPNoise
	// Policy chooses the arm from the server's broadcast. It has to be the server's policy; nil means
	// LinUCB{}.
	Policy learner.Policy[privacy.Sums]
}

// ldpDevice is an LDPDevice for a problem.
type ldpDevice struct {
	user
	scale ldpScale
}

// ldpReporter is what runs on the devices.
type ldpReporter struct {
	choice
	scale ldpScale
	buf   []float64
}

var _ learner.Device = LDPDevice{}

// Open validates and calibrates the noise.
func (l LDPDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	ready, err := l.open(p, horizon)
	if err != nil {
		return nil, err
	}
	return &ready, nil
}

func (l LDPDevice) open(p bandit.Problem, horizon int) (d ldpDevice, err error) {
	if d.user, err = newUser("LDPDevice", p, horizon, l.Policy); err != nil {
		return d, err
	}
	if d.scale, err = l.Noise.scale(d.data); err != nil {
		return d, err
	}
	d.plan = d.scale.plan(l.Noise.Budget, "Zheng et al. 2020; mu-GDP (Dong, Roth, Su 2022)", 1)
	return d, d.public(l.Noise.Constant)
}

// Plan returns what a message shows of its user.
func (d *ldpDevice) Plan(int) privacy.Plan { return d.plan.HeldBy(d).Trusts(d.encodes) }

// Start allocates.
func (d *ldpDevice) Start() learner.Reporter {
	return &ldpReporter{choice: d.start(), scale: d.scale, buf: make([]float64, d.scale.size())}
}

// Report appends x x^T, packed, and y x to dst, both with noise.
func (l *ldpReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	y, err := l.take(broadcast, x, y)
	if err != nil {
		return dst, err
	}
	l.scale.draw(noise, l.buf)
	size := packed.Size(l.scale.dim)
	matrix, vector := l.buf[:size], l.buf[size:]
	packed.AddOuter(matrix, l.x)
	for i, v := range l.x[:len(vector)] {
		vector[i] += float64(y * v)
	}
	return append(dst, l.buf...), nil
}

// user is what all devices of linear learners share: a policy, and the bounds of data.
type user struct {
	problem  bandit.Problem
	data     bandit.Problem // with the bounds of what is reported: see reported
	policy   learner.Prepared[privacy.Sums]
	encodes  any     // the policy, if its rules encode records
	constant float64 // the last coordinate of a context, if not 0
	plan     privacy.Plan
}

// choice is a user's part in a run: the choice by a broadcast, and the clipping of data.
type choice struct {
	problem, data bandit.Problem
	constant      float64
	rule          learner.Rule[privacy.Sums] // acts here, and learns where the messages are
	encoder       learner.Encoder            // the rule, if it is one
	record        privacy.Record
	arms          []int
	x, y          []float64 // the context, clipped, and a reward
}

func newUser(who string, p bandit.Problem, horizon int, policy learner.Policy[privacy.Sums]) (u user, err error) {
	if err := ellipsoid.Check(who, p, horizon); err != nil {
		return u, err
	}
	if policy == nil {
		policy = linear.UCB{}
	}
	if err := field.Check("learner: "+who+".Policy", policy); err != nil {
		return u, err
	}
	if u.data, _, err = reported(p, horizon, policy); err != nil {
		return u, err
	}
	none := &privacy.Sums{Packed: make([]float64, packed.Size(p.Dim+1)), Shift: 1, Bounds: privacy.Spread{}.Bounds(1)}
	u.problem = p
	if u.policy, err = policy.Prepare(p, horizon, none); err != nil {
		return u, err
	}
	rule := u.policy.Begin(nil)
	_, encodes := rule.(learner.Encoder)
	if _, says := policy.(learner.Encoding); says != encodes {
		return u, fmt.Errorf("learner: a %T is an Encoder: %v, and its policy, a %T, is an Encoding: %v; want the same", rule, encodes, policy, says)
	}
	if encodes {
		u.encodes = policy
	}
	return u, nil
}

// public sets the last coordinate of a context, or 0 for none. An encoded row has none.
func (u *user) public(constant float64) error {
	if u.encodes != nil && constant != 0 {
		return fmt.Errorf("learner: Constant = %v for the rows that a %T encodes, want 0", constant, u.encodes)
	}
	u.constant = constant
	return nil
}

// reported returns the problem with the bounds of what devices report, and the failure probability
// that a policy asks for. A policy that is an Encoding bounds its rows, of which the reward is a
// part.
func reported(p bandit.Problem, horizon int, policy learner.Policy[privacy.Sums]) (data bandit.Problem, alpha float64, err error) {
	setup := privacy.Setup{Horizon: horizon, Alpha: 1 / float64(horizon)}
	if a, ok := policy.(learner.Asker); ok {
		if err := a.Ask(p, &setup); err != nil {
			return p, 0, err
		}
	}
	if _, ok := policy.(learner.Encoding); ok {
		p.ContextNorm, p.RewardMin, p.RewardMax = setup.Context, -setup.Bound, setup.Bound
	}
	return p, setup.Alpha, p.Validate()
}

func (u *user) start() choice {
	c := choice{problem: u.problem, data: u.data, constant: u.constant, rule: u.policy.Begin(nil),
		x: make([]float64, u.problem.Dim), y: make([]float64, 1), arms: make([]int, 0, 1)}
	c.encoder, _ = c.rule.(learner.Encoder)
	return c
}

// Explain appends what the policy chooses by.
func (u *choice) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	return checks.Explain(u.rule, broadcast, v, dst)
}

// Act returns the arm that the policy chooses from the broadcast.
func (u *choice) Act(broadcast []float64, v *bandit.View) (int, error) {
	if !v.Fits(&u.problem) {
		return 0, fmt.Errorf("learner: %w", u.problem.CheckView(v))
	}
	arms, err := u.rule.Act(broadcast, v, u.arms[:0])
	if err != nil {
		return 0, err
	}
	if len(arms) != 1 {
		return 0, fmt.Errorf("learner: %d arms from a %T, want 1", len(arms), u.rule)
	}
	return arms[0], nil
}

// take admits what is reported of a record: the record or, if the rule encodes it, its row.
func (u *choice) take(broadcast, x []float64, y float64) (float64, error) {
	if u.encoder == nil {
		return u.admit(x, y)
	}
	if y-y != 0 {
		return 0, fmt.Errorf("learner: a reward of %v, want finite", y)
	}
	u.y[0] = y
	u.record = privacy.Record{X: x, Y: u.y}
	if err := u.encoder.Encode(broadcast, &u.record); err != nil {
		return 0, err
	}
	if len(u.record.Y) != 1 {
		return 0, fmt.Errorf("learner: a row of %d rewards from a %T, want 1", len(u.record.Y), u.encoder)
	}
	return u.admit(u.record.X, u.record.Y[0])
}

// admit writes the context, clipped to its norm, to u.x and returns the reward clipped to its
// range. With a public constant k, the last coordinate is set to k and the others are clipped to
// sqrt(L^2 - k^2). It refuses data that is not finite or has a wrong length.
func (u *choice) admit(x []float64, y float64) (float64, error) {
	if len(x) != len(u.x) {
		return 0, fmt.Errorf("learner: a context of dimension %d, want %d", len(x), len(u.x))
	}
	switch {
	case !packed.Finite(x):
		return 0, fmt.Errorf("learner: a context %v, want finite numbers", append([]float64(nil), x...))
	case y-y != 0:
		return 0, fmt.Errorf("learner: a reward of %v, want finite", y)
	}
	copy(u.x, x)
	part, bound := u.x, u.data.ContextNorm
	if u.constant != 0 {
		last := len(x) - 1
		part, bound = u.x[:last], math.Sqrt(max(0, float64(bound*bound)-float64(u.constant*u.constant)))
		u.x[last] = u.constant
	}
	var square float64 // of the private part only, so that nothing public cancels against it
	for _, v := range part {
		square += float64(v * v)
	}
	switch {
	case !(square <= math.MaxFloat64):
		packed.Shorten(part, bound)
	case packed.Beyond(square, bound):
		scale := bound / math.Sqrt(square)
		for i := range part {
			part[i] *= scale
		}
	}
	return min(max(y, u.data.RewardMin), u.data.RewardMax), nil
}
