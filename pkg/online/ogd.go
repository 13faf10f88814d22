package online

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// OGD is projected online gradient descent (Zinkevich 2003; Hazan 2016, Algorithm 6):
//
//	theta_1 = 0,   theta_{t+1} = Pi(theta_t - eta_t g_t),
//
// where Pi is the Euclidean projection on the ball of radius D.
//
// With eta_t = D/(G sqrt t) its regret is at most 3 G D sqrt T for any convex losses: half of
// (2D)^2/eta_T + G^2 sum eta_t. With eta_t = 1/(mu t) it is at most (1 + ln T) G^2/(2 mu) for
// mu-strongly convex losses.
type OGD struct {
	Radius float64 // D; 0 means 1
	// Gradient is a bound G on the norm of gradients. 0 means none: nothing is clipped, and Strong is
	// needed.
	Gradient float64
	// Strong is mu, in [1e-100, 1e100], of steps 1/(mu t), for mu-strongly convex losses; 0 means steps
	// D/(G sqrt t).
	Strong float64
}

var _ Learner = OGD{}

// ogd is an OGD in a run.
type ogd struct {
	core
	step func(t int) float64
	next []float64
}

// Open validates.
func (o OGD) Open(dim, horizon int) (Calibrated, error) {
	switch {
	case o.Strong != 0 && !(o.Strong >= 1e-100 && o.Strong <= 1e100):
		return nil, fmt.Errorf("online: OGD.Strong = %v, want in [1e-100, 1e100], or 0 for steps D/(G sqrt t)", o.Strong)
	case o.Strong == 0 && o.Gradient == 0:
		return nil, fmt.Errorf("online: OGD.Gradient = 0 without OGD.Strong: the step D/(G sqrt t) needs a bound G > 0 on the norm of gradients")
	}
	on, err := newBall("OGD", dim, horizon, o.Radius, o.Gradient, o.Strong > 0, 0)
	if err != nil {
		return nil, err
	}
	step := func(t int) float64 { return on.radius / (on.bound * math.Sqrt(float64(t))) }
	if o.Strong > 0 {
		if first := max(on.bound, 1) / (o.Strong * on.radius); !(first <= 1e150) {
			return nil, fmt.Errorf("online: OGD.Gradient = %v over Strong = %v times Radius = %v is a first step of %v, want <= 1e150", on.bound, o.Strong, on.radius, first)
		}
		step = func(t int) float64 { return 1 / (o.Strong * float64(t)) }
	}
	return Starts(func(*rand.Rand, rand.Source) Run {
		return &ogd{on.begin(), step, make([]float64, dim)}
	}), nil
}

// Update takes the gradient at Predict().
func (o *ogd) Update(gradient []float64) error {
	clipped := o.clipped
	if err := o.take(gradient); err != nil {
		return err
	}
	if err := o.move(); err != nil {
		o.rounds, o.clipped = o.rounds-1, clipped
		return err
	}
	return nil
}

func (o *ogd) move() error {
	eta := o.step(o.rounds)
	scale := eta / o.radius
	if o.bound > 0 {
		scale *= o.bound
	}
	var square float64
	for i, v := range o.g {
		v = o.theta[i]/o.radius - float64(scale*v)
		o.next[i] = v
		square += float64(v * v)
	}
	if !(square <= math.MaxFloat64) {
		return fmt.Errorf("online: round %d: the step %v times the gradient overflows, want its squared norm finite", o.rounds, eta)
	}
	o.publish(o.next)
	return nil
}
