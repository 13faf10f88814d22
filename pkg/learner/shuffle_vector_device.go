package learner

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// VectorSumDevice is the devices' half of shuffle LinUCB by vector sums: it plays the arm with the highest upper confidence bound in the ellipsoid of the broadcast, and reports a
// number of ones for each entry of x x^T and y x, by VectorSum.
//
// Trust model: shuffle. By itself a message hides little: its noise is the B-th part of what hides a user in the sum. Neighbouring relation: one user's (context, reward) is replaced.
type VectorSumDevice struct {
	Noise VectorSum

	user
	scale vectorScale
	exact []float64 // levels
	ones  []int64
	noise []int64
}

var (
	_ Device          = (*VectorSumDevice)(nil)
	_ ShuffleClaimer  = (*VectorSumDevice)(nil)
	_ ShufflerChecker = (*VectorSumDevice)(nil)
)

// Init validates and calibrates.
func (d *VectorSumDevice) Init(p bandit.Problem, horizon int) (err error) {
	if err := d.user.init("VectorSumDevice", p, horizon); err != nil {
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

// Report appends a count for each entry of x x^T, packed, and of y x to dst. They are integers, unless epsilon = +Inf.
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

// Claim returns what a message is worth by itself, in the local model: little, or nothing.
func (d *VectorSumDevice) Claim() privacy.Claim { return d.claimOf(1) }

// ShuffleClaim returns what a message is worth in a batch whose bits are mixed.
func (d *VectorSumDevice) ShuffleClaim(batch int) (privacy.Claim, error) {
	if batch != d.Noise.Batch {
		return privacy.Claim{}, fmt.Errorf("learner: batches of %d messages, want VectorSum.Batch = %d", batch, d.Noise.Batch)
	}
	return d.scale.claim(batch)
}

func (d *VectorSumDevice) claimOf(batch int) privacy.Claim {
	c, _ := d.scale.claim(batch) // its epsilon is NaN or +Inf with an error, and so no claim
	return c
}

// CheckShuffler wants batches of Noise.Batch, whose bits BitSum mixes: Uniform would show the server each message.
func (d *VectorSumDevice) CheckShuffler(s Shuffler, batch int) error {
	if batch != d.Noise.Batch {
		return fmt.Errorf("learner: batches of %d messages, want VectorSum.Batch = %d", batch, d.Noise.Batch)
	}
	if batch == 1 {
		return nil
	}
	if _, ok := s.(*BitSum); !ok {
		return fmt.Errorf("learner: VectorSumDevice with a shuffler of type %T, want *BitSum: only sums are private", s)
	}
	return nil
}

// Draws returns the noise in a number of messages.
func (d *VectorSumDevice) Draws(messages int) []privacy.Draws { return d.scale.draws(messages) }
