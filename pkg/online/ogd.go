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
	// Gradient is a bound G on the norm of gradients. 0 means none: nothing is clipped, and Step is
	// needed.
	Gradient float64
	// Step returns the step size eta_t of round t = 1, 2, ..., finite and >= 0. nil means
	// D/(G sqrt t).
	Step func(t int) float64
}

var _ Learner = OGD{}

// ogd is an OGD in a run.
type ogd struct {
	core
	step func(t int) float64
	next []float64
}

// rootStep returns the steps D/(G sqrt t), for convex losses with gradients of norm at most G on a
// ball of radius D.
func rootStep(radius, gradient float64) func(t int) float64 {
	return func(t int) float64 { return radius / (gradient * math.Sqrt(float64(t))) }
}

// CurvedStep returns the steps 1/(mu t), for mu-strongly convex losses.
func CurvedStep(mu float64) func(t int) float64 {
	return func(t int) float64 { return 1 / (mu * float64(t)) }
}

// Open validates.
func (o OGD) Open(dim, horizon int) (Calibrated, error) {
	if o.Step == nil && o.Gradient == 0 {
		return nil, fmt.Errorf("online: OGD.Gradient = 0 without OGD.Step: the step D/(G sqrt t) needs a bound G > 0 on the norm of gradients")
	}
	on, err := newBall("OGD", dim, horizon, o.Radius, o.Gradient, o.Step != nil, 0)
	if err != nil {
		return nil, err
	}
	step := o.Step
	if step == nil {
		step = rootStep(on.radius, on.bound)
	}
	if first := step(1); !(first >= 0) || math.IsInf(first, 1) {
		return nil, fmt.Errorf("online: OGD.Step(1) = %v, want finite and >= 0", first)
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
	if !(eta >= 0) || math.IsInf(eta, 1) {
		return fmt.Errorf("online: round %d: OGD.Step(%d) = %v, want finite and >= 0", o.rounds, o.rounds, eta)
	}
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
