package learner

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/field"
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
// same claim with the same noise, or Init is an error.
type CombinerDevice struct {
	Devices []Device    // of the base learners; nil means the default set, see NewCombiner
	Noise   OnlineNoise // of the default set

	devices []Device
	plan    privacy.Plan // of them all
}

var _ Device = (*CombinerDevice)(nil)

// Init initialises the devices and checks that their claims are equal.
func (c *CombinerDevice) Init(p bandit.Problem, horizon int) error {
	if err := bandit.CheckHorizon(horizon); err != nil {
		return err
	}
	c.devices = c.Devices
	if c.Devices == nil {
		for range combinerBases(horizon) {
			c.devices = append(c.devices, &OnlineDevice{Noise: c.Noise})
		}
	}
	if len(c.devices) == 0 {
		return fmt.Errorf("learner: CombinerDevice.Devices is empty, want >= 1, or nil for the default set")
	}
	c.plan = privacy.Plan{}
	for i, d := range c.devices {
		if err := field.Check(fmt.Sprintf("learner: CombinerDevice.Devices[%d]", i), d); err != nil {
			return err
		}
		if err := d.Init(p, horizon); err != nil {
			return fmt.Errorf("learner: the device of base learner %d: %w", i, err)
		}
	}
	plan := privacy.PlanOf(c.devices[0], privacy.All)
	for i, d := range c.devices[1:] {
		other := privacy.PlanOf(d, privacy.All)
		draws := other.Draws
		other.Draws = plan.Draws
		if other.Held() != plan.Held() || !reflect.DeepEqual(plan.HeldBy(nil), other.HeldBy(nil)) {
			return fmt.Errorf("learner: the device of base learner %d makes another claim than that of base learner 0, want the same:\n%s\nand\n%s", i+1, other.Claim(), plan.Claim())
		}
		if !reflect.DeepEqual(plan.Draws, draws) {
			return fmt.Errorf("learner: the device of base learner %d draws %v for a message and that of base learner 0 draws %v, want the same", i+1, draws, plan.Draws)
		}
	}
	c.plan = plan
	return nil
}

// base returns the device whose turn it is and its own broadcast.
func (c *CombinerDevice) base(broadcast []float64) (Device, []float64, error) {
	if len(broadcast) == 0 {
		return nil, nil, fmt.Errorf("learner: an empty broadcast, want the number of a base learner first")
	}
	i := broadcast[0]
	if !(i >= 0 && i < float64(len(c.devices)) && i == math.Trunc(i)) {
		return nil, nil, fmt.Errorf("learner: a broadcast for base learner %v, want a whole number in [0, %d)", i, len(c.devices))
	}
	return c.devices[int(i)], broadcast[1:], nil
}

// Act returns the arm that the base's device chooses.
func (c *CombinerDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	d, own, err := c.base(broadcast)
	if err != nil {
		return 0, err
	}
	return d.Act(own, v)
}

// Report appends the message of the base's device to dst.
func (c *CombinerDevice) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error) {
	d, own, err := c.base(broadcast)
	if err != nil {
		return dst, err
	}
	return d.Report(own, x, y, noise, dst)
}

// Plan returns the plan that all the devices share.
func (c *CombinerDevice) Plan(int) privacy.Plan { return c.plan.HeldBy(c) }
