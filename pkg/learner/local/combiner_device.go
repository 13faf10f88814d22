package local

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// CombinerDevice is the devices' half of the Private Bandits Combiner (LDP, Algorithm 2, lines 11
// to 14). The broadcast starts with the number of the base learner whose turn it is, counted from
// 0, and continues with that base's own broadcast. The device acts and reports as that base's
// device does.
//
// In the paper the device also sends its base's gradient step; here the server computes it from the
// message.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. Each user
// reports once, through one base's device, so the claim is that of the base's message. The server
// chooses the base, and may choose the one that shows the most. Therefore all devices must make the
// same claim with the same noise, or Open is an error.
type CombinerDevice struct {
	Devices []learner.Device // of the base learners; nil means the default set, see OnlineNoise.Combiner
	Noise   OnlineNoise      // of the default set
}

// combinerDevice is a CombinerDevice for a problem.
type combinerDevice struct {
	devices []learner.CalibratedDevice
	plan    privacy.Plan // of them all
}

// combinerReporter is what runs on the devices: the bases' reporters.
type combinerReporter []learner.Reporter

var _ learner.Device = CombinerDevice{}

// Open opens the devices and checks that their claims are equal.
func (c CombinerDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	if err := bandit.CheckHorizon(horizon); err != nil {
		return nil, err
	}
	devices := c.Devices
	if devices == nil {
		for range combinerBases(horizon) {
			devices = append(devices, OnlineDevice{Noise: c.Noise})
		}
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("learner: CombinerDevice.Devices is empty, want >= 1, or nil for the default set")
	}
	ready := &combinerDevice{}
	for i, d := range devices {
		name := fmt.Sprintf("CombinerDevice.Devices[%d]", i)
		if err := field.Check("learner: "+name, d); err != nil {
			return nil, err
		}
		base, err := d.Open(p, horizon)
		if err == nil {
			err = checks.Opened(name, d, base)
		}
		if err != nil {
			return nil, fmt.Errorf("learner: the device of base learner %d: %w", i, err)
		}
		ready.devices = append(ready.devices, base)
	}
	plan := privacy.PlanOf(ready.devices[0], privacy.All)
	for i, d := range ready.devices[1:] {
		other := privacy.PlanOf(d, privacy.All)
		draws := other.Draws
		other.Draws = plan.Draws
		if other.Held() != plan.Held() || !reflect.DeepEqual(plan.HeldBy(nil), other.HeldBy(nil)) {
			return nil, fmt.Errorf("learner: the device of base learner %d makes another claim than that of base learner 0, want the same:\n%s\nand\n%s", i+1, other.Claim(), plan.Claim())
		}
		if !reflect.DeepEqual(plan.Draws, draws) {
			return nil, fmt.Errorf("learner: the device of base learner %d draws %v for a message and that of base learner 0 draws %v, want the same", i+1, draws, plan.Draws)
		}
	}
	ready.plan = plan
	return ready, nil
}

// Plan returns the plan that all the devices share.
func (c *combinerDevice) Plan(int) privacy.Plan { return c.plan.HeldBy(c) }

// Start allocates.
func (c *combinerDevice) Start() learner.Reporter {
	var r combinerReporter
	for _, d := range c.devices {
		r = append(r, d.Start())
	}
	return r
}

// base returns the device whose turn it is and its own broadcast.
func (c combinerReporter) base(broadcast []float64) (learner.Reporter, []float64, error) {
	if len(broadcast) == 0 {
		return nil, nil, fmt.Errorf("learner: an empty broadcast, want the number of a base learner first")
	}
	i := broadcast[0]
	if !(i >= 0 && i < float64(len(c)) && i == math.Trunc(i)) {
		return nil, nil, fmt.Errorf("learner: a broadcast for base learner %v, want a whole number in [0, %d)", i, len(c))
	}
	return c[int(i)], broadcast[1:], nil
}

// Act returns the arm that the base's device chooses.
func (c combinerReporter) Act(broadcast []float64, v *bandit.View) (int, error) {
	d, own, err := c.base(broadcast)
	if err != nil {
		return 0, err
	}
	return d.Act(own, v)
}

// Explain appends what the base's device chooses by, if it shows that.
func (c combinerReporter) Explain(broadcast []float64, v *bandit.View, dst []bandit.Insight) ([]bandit.Insight, error) {
	d, own, err := c.base(broadcast)
	if err != nil {
		return dst, err
	}
	return checks.Explain(d, own, v, dst)
}

// Report appends the message of the base's device to dst.
func (c combinerReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	d, own, err := c.base(broadcast)
	if err != nil {
		return dst, err
	}
	return d.Report(own, x, y, noise, dst)
}
