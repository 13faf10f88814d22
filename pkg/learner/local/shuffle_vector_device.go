package local

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorSumDevice is the devices' half of shuffle LinUCB by vector sums. It plays the arm with the
// highest upper confidence bound in the broadcast's ellipsoid, and reports a number of ones for
// each entry of x x^T and y x, randomised by VectorSum.
//
// Trust model: shuffle. By itself a message hides little: its noise is one B-th of the noise that
// hides a user in the sum. Neighbouring relation: one user's (context, reward) is replaced.
type VectorSumDevice struct {
	Noise VectorSum
	// Policy chooses the arm from the server's broadcast. It has to be the server's policy; nil means
	// LinUCB{}.
	Policy learner.Policy[privacy.Sums]
}

// vectorSumDevice is a VectorSumDevice for a problem.
type vectorSumDevice struct {
	user
	scale vectorScale
}

// vectorSumReporter is what runs on the devices.
type vectorSumReporter struct {
	choice
	scale *vectorScale
	exact []float64 // levels
	ones  []int64
	noise []int64
}

var (
	_ learner.Device         = VectorSumDevice{}
	_ learner.ShufflePlanner = (*vectorSumDevice)(nil)
)

// Open validates and calibrates the noise.
func (d VectorSumDevice) Open(p bandit.Problem, horizon int) (learner.CalibratedDevice, error) {
	shared, err := newUser("VectorSumDevice", p, horizon, d.Policy)
	if err != nil {
		return nil, err
	}
	ready := &vectorSumDevice{user: shared}
	if ready.scale, err = d.Noise.scale(ready.data); err != nil {
		return nil, err
	}
	return ready, ready.public(d.Noise.Constant)
}

// Plan returns what a message by itself shows of its user, in the local model: much or everything.
func (d *vectorSumDevice) Plan(int) privacy.Plan { return d.scale.plan(1).HeldBy(d).Trusts(d.encodes) }

// ShuffledPlan returns what a message shows in a batch of Noise.Batch messages whose bits BitSum
// mixes. Uniform would show each message to the server.
func (d *vectorSumDevice) ShuffledPlan(s learner.Shuffler, batch int) (privacy.Plan, error) {
	if err := checkShuffler[learner.BitSum]("VectorSum", d.scale.Batch, s, batch); err != nil {
		return privacy.Plan{}, err
	}
	return d.scale.plan(batch).HeldBy(d).Trusts(d.encodes), nil
}

// Start allocates.
func (d *vectorSumDevice) Start() learner.Reporter {
	n := d.scale.size
	return &vectorSumReporter{choice: d.start(), scale: &d.scale, exact: make([]float64, n), ones: make([]int64, n), noise: make([]int64, n)}
}

// Report appends the numbers of ones for x x^T, packed, and y x to dst. They are integers, unless
// epsilon = +Inf.
func (d *vectorSumReporter) Report(broadcast []float64, x []float64, y float64, noise *privacy.Noise, dst learner.Message) (learner.Message, error) {
	y, err := d.take(broadcast, x, y)
	if err != nil {
		return dst, err
	}
	s := d.scale
	i := 0
	for row, v := range d.x {
		for _, w := range d.x[:row+1] {
			d.exact[i] = v * w
			i++
		}
	}
	for _, v := range d.x {
		d.exact[i] = y * v
		i++
	}
	for i, v := range d.exact {
		d.exact[i] = min(max(v+s.shift[i], 0), s.width[i]) * s.unit[i]
	}
	if s.corner >= 0 {
		d.exact[s.corner] = 0
	}
	if s.none {
		return append(dst, d.exact...), nil
	}
	noise.Round(d.ones, d.exact)
	if s.bits > 0 {
		noise.Binomial(d.noise, s.noise)
	}
	if s.corner >= 0 {
		d.noise[s.corner] = 0
	}
	for i, v := range d.ones {
		dst = append(dst, float64(v+d.noise[i]))
	}
	return dst, nil
}
