package online

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// FTPL follows the perturbed leader over linear losses (Kalai and Vempala 2005):
//
//	theta_t = argmin <theta, L_{t-1} + Z> = -(L_{t-1} + Z)/|L_{t-1} + Z|,
//
// where L_t is the sum of the first t gradients and Z is normal, all in units of the radius D and
// the bound G. With standard deviation sqrt(T/d) its expected regret against an oblivious adversary
// is about 2 G D sqrt T: E|Z| <= sqrt T for the perturbation and, as the mean of 1/|Z| is about
// 1/sqrt T, the same for the steps of T rounds.
//
// Averaged over Z, its predictions are those of a regularised leader, which is how DP-FTRL is
// proved. Z is there to be hard to exploit, not to hide a loss: FTPL makes no privacy claim.
type FTPL struct {
	Radius   float64 // D; 0 means 1
	Gradient float64 // G > 0: a bound on the norm of gradients, no default
	Scale    float64 // standard deviation of a coordinate of Z, in units of G; 0 means sqrt(T/d)
	Fresh    bool    // draw Z anew each round, for an adaptive adversary; false draws it once
}

var _ Learner = FTPL{}

// ftpl is an FTPL in a run.
type ftpl struct {
	core
	scale float64
	fresh bool
	own   *rand.Rand // draws Z
	sum   []float64
	z     []float64
	next  []float64
}

// Open validates. A run draws Z from its own stream.
func (f FTPL) Open(dim, horizon int) (Calibrated, error) {
	if !(f.Scale >= 0 && f.Scale <= 1e100) {
		return nil, fmt.Errorf("online: FTPL.Scale = %v, want > 0, 1e100 at most, or 0 for sqrt(T/d)", f.Scale)
	}
	on, err := newBall("FTPL", dim, horizon, f.Radius, f.Gradient, false, 0)
	if err != nil {
		return nil, err
	}
	scale := cmp.Or(f.Scale, math.Sqrt(float64(horizon)/float64(dim)))
	return Starts(func(own *rand.Rand, _ rand.Source) Run {
		r := &ftpl{core: on.begin(), scale: scale, fresh: f.Fresh, own: own,
			sum: make([]float64, dim), z: make([]float64, dim), next: make([]float64, dim)}
		if own != nil {
			r.draw()
			r.lead()
		}
		return r
	}), nil
}

func (f *ftpl) draw() {
	for i := range f.z {
		f.z[i] = f.scale * random.Normal(f.own)
	}
}

// lead moves to the perturbed leader, which lies on the sphere.
func (f *ftpl) lead() {
	for i, v := range f.sum {
		f.next[i] = -v - f.z[i]
	}
	if norm := norm2(f.next); norm > 0 {
		scaled(f.next, 1/norm, f.next)
	}
	f.publish(f.next)
}

// Update takes the gradient at Predict().
func (f *ftpl) Update(gradient []float64) error {
	if f.own == nil {
		return errors.New("online: FTPL started without random numbers of its own, want a *rand.Rand")
	}
	if err := f.take(gradient); err != nil {
		return err
	}
	for i, v := range f.g {
		f.sum[i] += v
	}
	if f.fresh {
		f.draw()
	}
	f.lead()
	return nil
}
