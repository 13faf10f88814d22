package online

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// ONS is the online Newton step for alpha-exp-concave losses (Hazan, Agarwal, Kale 2007; Hazan
// 2016, Algorithm 12):
//
//	theta_1 = 0,   S_0 = I/(gamma 2D)^2,   S_t = S_{t-1} + g_t g_t^T,
//	y = theta_t - S_t^-1 g_t / gamma,
//	theta_{t+1} = argmin_{|theta| <= D} (theta - y)^T S_t (theta - y),
//
// with gamma = min{1/(2 G D), alpha}/2. These are Hazan's constants, with 2D for his diameter D.
//
// Its regret is at most 2 (1/alpha + 2 G D) d ln T. It updates the inverse of S_t and does not
// recompute it. A round costs O(d^2); if y is outside the ball, each Newton step of the projection
// costs another O(d^3).
type ONS struct {
	Radius   float64 // D; 0 means 1
	Gradient float64 // bound G > 0 on the norm of a gradient; no default
	// ExpConcave is alpha > 0: exp(-alpha l_t) is concave on the ball. It has no default. A
	// mu-strongly convex loss has alpha = mu/G^2.
	ExpConcave float64
}

var _ Learner = ONS{}

// ons is an ONS in a run.
type ons struct {
	core
	newton
	gamma float64 // in units of 1/(G D)
}

// Open validates.
func (o ONS) Open(dim, horizon int) (Calibrated, error) {
	if !(o.ExpConcave > 0) {
		return nil, fmt.Errorf("online: ONS.ExpConcave = %v, want > 0", o.ExpConcave)
	}
	on, err := newBall("ONS", dim, horizon, o.Radius, o.Gradient, false, 2)
	if err != nil {
		return nil, err
	}
	gamma := min(0.5, o.ExpConcave*on.bound*on.radius) / 2
	ridge := 0.25 / (gamma * gamma)
	if math.IsInf(ridge, 1) {
		return nil, fmt.Errorf("online: ONS.ExpConcave = %v with G = %v and D = %v: the ridge 1/(2 D gamma)^2 overflows", o.ExpConcave, on.bound, on.radius)
	}
	return Starts(func(*rand.Rand, rand.Source) Run {
		return &ons{on.begin(), newNewton(dim, ridge), gamma}
	}), nil
}

// Update takes the gradient at Predict().
func (o *ons) Update(gradient []float64) error {
	if err := o.take(gradient); err != nil {
		return err
	}
	o.step(o.g, 1, 1/o.gamma)
	o.publish(o.z)
	return nil
}
