package learner

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
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
	Policy Policy[privacy.Sums]

	user
	scale vectorScale
	exact []float64 // levels
	ones  []int64
	noise []int64
}

var (
	_ Device         = (*VectorSumDevice)(nil)
	_ ShufflePlanner = (*VectorSumDevice)(nil)
)

// Init validates and calibrates the noise.
func (d *VectorSumDevice) Init(p bandit.Problem, horizon int) (err error) {
	if err := d.user.init("VectorSumDevice", p, horizon, d.Policy); err != nil {
		return err
	}
	if d.scale, err = d.Noise.scale(p); err != nil {
		return err
	}
	d.constant = d.Noise.Constant
	d.exact, d.ones, d.noise = make([]float64, d.scale.size), make([]int64, d.scale.size), make([]int64, d.scale.size)
	return nil
}

// Act returns the arm with the highest upper confidence bound.
func (d *VectorSumDevice) Act(broadcast []float64, v *bandit.View) (int, error) {
	return d.act(broadcast, v)
}

// Report appends the numbers of ones for x x^T, packed, and y x to dst. They are integers, unless
// epsilon = +Inf.
func (d *VectorSumDevice) Report(_ []float64, x []float64, y float64, noise *privacy.Noise, dst Message) (Message, error) {
	y, err := d.admit(x, y)
	if err != nil {
		return dst, err
	}
	s := &d.scale
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

// Plan returns what a message by itself shows of its user, in the local model: much or everything.
func (d *VectorSumDevice) Plan(int) privacy.Plan { return d.scale.plan(1).HeldBy(d) }

// ShuffledPlan returns what a message shows in a batch of Noise.Batch messages whose bits BitSum
// mixes. Uniform would show each message to the server.
func (d *VectorSumDevice) ShuffledPlan(s Shuffler, batch int) (privacy.Plan, error) {
	if err := checkShuffler[*BitSum]("VectorSum", d.Noise.Batch, s, batch); err != nil {
		return privacy.Plan{}, err
	}
	return d.scale.plan(batch).HeldBy(d), nil
}
