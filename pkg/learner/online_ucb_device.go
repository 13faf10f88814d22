package learner

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
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

	user
	scale onlineScale
	buf   []float64
	zeta  []float64
}

var _ Device = (*OnlineDevice)(nil)

// Init validates and calibrates the noise.
func (o *OnlineDevice) Init(p bandit.Problem, horizon int) (err error) {
	if err := o.user.init("OnlineDevice", p, horizon, nil); err != nil {
		return err
	}
	if o.scale, err = o.Noise.scale(p); err != nil {
		return err
	}
	o.constant = o.Noise.Constant
	o.buf, o.zeta = make([]float64, o.scale.noisy+1), make([]float64, o.scale.noisy)
	o.plan = localPlan(o.Noise.Budget, o.Noise.Calibration, o.constant, "Improved rate for Locally Differentially Private Linear Bandits, Algorithm 1 and Theorem 3.2; mu-GDP (Dong, Roth, Su 2022)",
		privacy.Release{Law: privacy.GaussianLaw(len(o.buf), o.scale.sigma), Sensitivity: privacy.Norms{L2: o.scale.diameter}})
	if o.scale.zeta {
		o.plan = o.plan.With(privacy.Release{Law: privacy.GaussianLaw(len(o.zeta), 1)})
	}
	return nil
}

// Act returns the arm with the highest upper confidence bound. The broadcast is the ellipsoid
// followed by Delta.
func (o *OnlineDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	if _, err := o.delta(broadcast); err != nil {
		return 0, err
	}
	return o.act(broadcast[:len(broadcast)-1], v)
}

// delta returns Delta, the broadcast's last number.
func (o *OnlineDevice) delta(broadcast []float64) (float64, error) {
	if len(broadcast) != ellipsoidSize(o.problem.Dim)+1 {
		return 0, fmt.Errorf("learner: a broadcast of %d numbers, want %d: theta, V^-1, beta, a bound of |V^-1| and Delta in dimension %d", len(broadcast), ellipsoidSize(o.problem.Dim)+1, o.problem.Dim)
	}
	delta := broadcast[len(broadcast)-1]
	if !(delta >= 0 && delta <= maxDelta) {
		return 0, fmt.Errorf("learner: a broadcast with Delta = %v, want in [0, %v]", delta, maxDelta)
	}
	return delta, nil
}

// Report appends x~ and y~ to dst. Sound leaves out the public constant.
func (o *OnlineDevice) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error) {
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

// Plan returns what a message shows of its user. zeta hides nothing and is not counted.
func (o *OnlineDevice) Plan(int) privacy.Plan { return o.plan.HeldBy(o) }
