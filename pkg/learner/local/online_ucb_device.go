package local

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/ellipsoid"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// OnlineDevice is the devices' half of OnlineUCB, private (contextual) online LinUCB (LDP,
// Algorithm 1, lines 8 to 12). It plays the arm with the highest upper confidence bound in the
// broadcast's ellipsoid and reports (x~, y~), its context and reward with the noise of OnlineNoise.
//
// That pair is all that leaves the device. The gradient of line 14 is a function of the pair and of
// the server's own theta_t, so the server computes it. Sending it would hide nothing more, and
// would require trust that devices compute it.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. The message
// is Gaussian whatever the broadcast was, so the guarantee is sequentially interactive: it holds
// against any server.
type OnlineDevice struct {
	Noise OnlineNoise
}

// onlineDevice is an OnlineDevice for a problem.
type onlineDevice struct {
	user
	scale onlineScale
}

// onlineReporter is what runs on the devices.
type onlineReporter struct {
	choice
	scale onlineScale
	buf   []float64
	zeta  []float64
}

var _ learner.Device = OnlineDevice{}

// Open validates and calibrates the noise.
func (o OnlineDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	shared, err := newUser("OnlineDevice", p, horizon, nil)
	if err != nil {
		return nil, err
	}
	d := &onlineDevice{user: shared}
	if d.scale, err = o.Noise.scale(p); err != nil {
		return nil, err
	}
	d.constant = o.Noise.Constant
	d.plan = learner.MessagePlan(o.Noise.Budget, o.Noise.Calibration, d.constant, "Improved rate for Locally Differentially Private Linear Bandits, Algorithm 1 and Theorem 3.2; mu-GDP (Dong, Roth, Su 2022)",
		privacy.Release{Law: privacy.GaussianLaw(d.scale.noisy+1, d.scale.sigma), Sensitivity: privacy.Norms{L2: d.scale.diameter}})
	if d.scale.zeta {
		d.plan = d.plan.With(privacy.Release{Law: privacy.GaussianLaw(d.scale.noisy, 1)})
	}
	return d, nil
}

// Plan returns what a message shows of its user. zeta hides nothing and is not counted.
func (o *onlineDevice) Plan(int) privacy.Plan { return o.plan.HeldBy(o) }

// Start allocates.
func (o *onlineDevice) Start() learner.Reporter {
	return &onlineReporter{choice: o.start(), scale: o.scale, buf: make([]float64, o.scale.noisy+1), zeta: make([]float64, o.scale.noisy)}
}

// Act returns the arm with the highest upper confidence bound. The broadcast is the ellipsoid
// followed by Delta.
func (o *onlineReporter) Act(broadcast []float64, v *bandit.View) (int, error) {
	if _, err := o.delta(broadcast); err != nil {
		return 0, err
	}
	return o.choice.Act(broadcast[:len(broadcast)-1], v)
}

// Explain appends the bounds of the arms in the broadcast's ellipsoid.
func (o *onlineReporter) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	if _, err := o.delta(broadcast); err != nil {
		return dst, err
	}
	return o.choice.Explain(broadcast[:len(broadcast)-1], v, dst)
}

// delta returns Delta, the broadcast's last number.
func (o *onlineReporter) delta(broadcast []float64) (float64, error) {
	if len(broadcast) != ellipsoid.Size(o.problem.Dim)+1 {
		return 0, fmt.Errorf("learner: a broadcast of %d numbers, want %d: theta, V^-1, beta, a bound of |V^-1| and Delta in dimension %d", len(broadcast), ellipsoid.Size(o.problem.Dim)+1, o.problem.Dim)
	}
	delta := broadcast[len(broadcast)-1]
	if !(delta >= 0 && delta <= maxDelta) {
		return 0, fmt.Errorf("learner: a broadcast with Delta = %v, want in [0, %v]", delta, maxDelta)
	}
	return delta, nil
}

// Report appends x~ and y~ to dst. Sound leaves out the public constant.
func (o *onlineReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	delta, err := o.delta(broadcast)
	if err != nil {
		return dst, err
	}
	if y, err = o.admit(x, y); err != nil {
		return dst, err
	}
	if o.scale.sigma > 0 {
		noise.Gaussian(o.buf, o.scale.sigma)
	} else {
		clear(o.buf)
	}
	if o.scale.zeta {
		noise.Gaussian(o.zeta, 1)
		for i, z := range o.zeta {
			o.buf[i] += float64(delta * z)
		}
	}
	last := o.scale.noisy
	for i, v := range o.x[:last] {
		o.buf[i] += v
	}
	o.buf[last] += y
	return append(dst, o.buf...), nil
}
