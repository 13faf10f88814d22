package learner

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// CombinerDevice is the devices' half of the Private Bandits Combiner (LDP, Algorithm 2, lines 11 to 14): the broadcast names the base learner whose turn it is, counted from 0, before
// that base's own broadcast; the device does as the base's device does, and the message is that base's.
//
// The paper has the device send its base's gradient step too; here the servers compute it from the message.
//
// Trust model: local. Neighbouring relation: one user's (context, reward) is replaced. Each user reports once, through one base's device, so that the claim
// is that of the base's message, unchanged. Which base it is is the server's choice, and may be the choice that shows the most: so all devices have to make the same
// claim, with the same noise, or Init is an error.
type CombinerDevice struct {
	Devices []Device    // of the base learners; nil means the default set, see NewCombiner
	Noise   OnlineNoise // of the default set

	devices []Device
}

var _ Device = (*CombinerDevice)(nil)

// Init initialises the devices and compares their claims.
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
	for i, d := range c.devices {
		if d == nil {
			return fmt.Errorf("learner: CombinerDevice.Devices[%d] is nil", i)
		}
		if err := d.Init(p, horizon); err != nil {
			return fmt.Errorf("learner: the device of base learner %d: %w", i, err)
		}
	}
	claim, draws := c.devices[0].Claim(), c.devices[0].Draws(1)
	for i, d := range c.devices[1:] {
		if other := d.Claim(); !reflect.DeepEqual(claim, other) {
			return fmt.Errorf("learner: the device of base learner %d makes another claim than that of base learner 0, want the same:\n%s\nand\n%s", i+1, other, claim)
		}
		if other := d.Draws(1); !reflect.DeepEqual(draws, other) {
			return fmt.Errorf("learner: the device of base learner %d draws %v for a message and that of base learner 0 draws %v, want the same", i+1, other, draws)
		}
	}
	return nil
}

// base returns the device whose turn it is, and its broadcast.
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

// Claim returns what all the devices claim.
func (c *CombinerDevice) Claim() privacy.Claim { return c.devices[0].Claim() }

// Draws returns the noise in a number of messages, which is the same from whichever devices they are.
func (c *CombinerDevice) Draws(messages int) []privacy.Draws { return c.devices[0].Draws(messages) }
