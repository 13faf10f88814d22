package local

import "github.com/dpbandits/dpbandits/pkg/online"

// Predictor describes the online learner of an [OnlineServer]: tuning, and nothing else.
type Predictor interface {
	// On describes the online learner on the ball of that radius, for gradients that are clipped to
	// that norm; the clipping is post-processing.
	On(radius, gradient float64) online.Learner
}

// Descent is online gradient descent.
type Descent struct {
	// Curvature is mu of steps 1/(mu t), for losses that are mu-strongly convex; 0 means steps
	// D/(G sqrt t), for convex ones.
	Curvature float64
}

// On returns an online.OGD.
func (d Descent) On(radius, gradient float64) online.Learner {
	return online.OGD{Radius: radius, Gradient: gradient, Strong: d.Curvature}
}

// maler is the paper's own choice, which needs no curvature.
type maler struct{}

func (maler) On(radius, gradient float64) online.Learner {
	return online.Maler{Radius: radius, Gradient: gradient}
}
