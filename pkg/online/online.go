// Package online plays full-information online convex optimisation on a Euclidean ball.
//
// Each round a learner predicts a point theta_t, |theta_t| <= D, and is then told a gradient g_t,
// |g_t| <= G, of a convex loss l_t at that point. Its regret after T rounds against a point u is
// the sum of l_t(theta_t) - l_t(u). This is a game of its own, not a bandit with many arms.
//
// The learners, each a [Learner]:
//
//   - [OGD]: projected gradient descent, for convex or strongly convex losses; needs to be told
//     which.
//   - [ONS]: online Newton step, for losses known to be exp-concave.
//   - [MetaGrad]: adapts to the curvature of the losses, without being told.
//   - [Maler]: adapts, too, and is optimal for strongly convex losses as well.
//   - [FTRL]: the regularised leader of linear losses; over a noisy sum it is DP-FTRL, which is
//     private.
//   - [FTPL]: the perturbed leader of linear losses.
//
// [Experts] plays another game, of K actions: it is private prediction with expert advice.
//
// To compare them:
//
//   - [Stream]: a sequence of losses; [NewLosses] makes random ones, [Linear] has linear ones.
//   - [Adversary]: chooses losses after it has seen what was played; [Against] plays against it.
//   - [Regret]: plays a learner on a stream.
//
// D is the radius of the ball throughout, so two points are at most 2D apart. The papers write D
// for the diameter; each learner's comment says which of its constants differ from theirs by that
// 2.
//
// Read [Learner] first, then [OGD].
package online

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// Learner describes how points of the ball are predicted: tuning, and nothing else. It is a plain
// value of exported fields, of which the zero of a tuning field is its default.
type Learner interface {
	// Open validates and calibrates. The horizon is the number of rounds for which the constants are
	// tuned. Playing on beyond it is no error, but no theorem holds there.
	Open(dim, horizon int) (Calibrated, error)
}

// Calibrated is a learner that knows the dimension and the horizon. It never changes; all trials
// share it. One that makes a privacy claim is a privacy.Planner.
type Calibrated interface {
	// Start begins a run. Its random choices are drawn from own, and the noise that hides losses from
	// noise; either may be nil for a learner that draws nothing from it. A run that cannot begin says
	// so in its first Update.
	Start(own *rand.Rand, noise rand.Source) Run
}

// Starts makes a Calibrated of a function that makes runs.
type Starts func(own *rand.Rand, noise rand.Source) Run

// Start calls the function.
func (s Starts) Start(own *rand.Rand, noise rand.Source) Run { return s(own, noise) }

// Run predicts a point of the ball and is then told the gradient of the loss there, round by round.
type Run interface {
	// Predict returns the next point. The run owns it; it is valid until Update.
	Predict() []float64
	// Update takes the gradient of the loss at Predict(). A gradient longer than G is scaled down to
	// length G and counted. A gradient of the wrong length, or with an entry that is not finite, is an
	// error and changes nothing.
	Update(gradient []float64) error
	// Clipped returns the number of gradients that were longer than G.
	Clipped() int
}

// What Open, Update and the constructors of streams want.
var (
	errDim      = errors.New("want >= 1")
	errHorizon  = errors.New("want >= 1 round")
	errGradient = errors.New("want one finite number a dimension")
)

// ball is what all runs of a learner play on.
type ball struct {
	dim, horizon  int
	radius, bound float64 // D and G
}

// newBall validates. With open, the bound on gradients may be 0, which means none: gradients are
// then neither clipped nor scaled. matrices is the number of symmetric matrices that a run keeps.
func newBall(name string, dim, horizon int, radius, bound float64, open bool, matrices int) (ball, error) {
	err := func(format string, args ...any) (ball, error) {
		return ball{}, fmt.Errorf("online: "+name+format, args...)
	}
	switch {
	case dim < 1:
		return err(": dimension = %d: %w", dim, errDim)
	case horizon < 1:
		return err(": horizon = %d: %w", horizon, errHorizon)
	case !(radius >= 0) || math.IsInf(radius, 1):
		return err(".Radius = %v, want finite and > 0, or 0 for 1", radius)
	case open && (!(bound >= 0) || math.IsInf(bound, 1)):
		return err(".Gradient = %v, want finite and > 0, or 0 for no bound", bound)
	case !open && (!(bound > 0) || math.IsInf(bound, 1)):
		return err(".Gradient = %v, want finite and > 0: a bound on the norm of gradients", bound)
	}
	if radius == 0 {
		radius = 1
	}
	if scale := bound * radius; !open && (scale < 1e-300 || math.IsInf(scale, 1)) {
		return err(".Gradient = %v times Radius = %v, want in [1e-300, 1e308]", bound, radius)
	}
	what := fmt.Sprintf("online: %s: dimension = %d", name, dim)
	if err := size.Check(what, float64(float64(matrices)*size.Triangle(dim))+float64(8*float64(dim))); err != nil {
		return ball{}, err
	}
	return ball{dim, horizon, radius, bound}, nil
}

// core is the part that all runs share.
//
// The point is in the user's units and the gradient in units of G. With the point in units of D,
// the learners play on the unit ball with gradients of length at most 1, where their constants are
// plain numbers.
type core struct {
	ball
	rounds  int // gradients so far
	clipped int
	theta   []float64 // the point that Predict returns
	g       []float64 // the last gradient, clipped, divided by G
}

// begin returns the core of a run, at the point 0.
func (b ball) begin() core {
	return core{ball: b, theta: make([]float64, b.dim), g: make([]float64, b.dim)}
}

// Predict returns the next point, whose norm is at most the radius. The run owns it; it is valid
// until Update.
func (c *core) Predict() []float64 { return c.theta }

// Clipped returns the number of gradients that were longer than the bound and were scaled down to
// it.
func (c *core) Clipped() int { return c.clipped }

// take validates a gradient and leaves it, clipped and in units of the bound, in c.g.
func (c *core) take(gradient []float64) error {
	if len(gradient) != c.dim {
		return fmt.Errorf("online: round %d: a gradient of length %d in dimension %d: %w", c.rounds+1, len(gradient), c.dim, errGradient)
	}
	scale := 1.0
	if c.bound > 0 {
		scale = 1 / c.bound
	}
	var square float64
	for i, v := range gradient {
		v *= scale
		c.g[i] = v
		square += float64(v * v)
	}
	if !(square <= math.MaxFloat64) || math.IsInf(scale, 1) {
		if err := c.takeExtreme(gradient); err != nil {
			return err
		}
	} else if square > 1 && c.bound > 0 {
		c.shorten(math.Sqrt(square))
		if square < 1+1e-12 { // longer than G only by rounding
			c.clipped--
		}
	}
	c.rounds++
	return nil
}

// takeExtreme does the work of take for a gradient whose squared norm overflows.
func (c *core) takeExtreme(gradient []float64) error {
	var most float64
	for i, v := range gradient {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("online: round %d: entry %d of the gradient is %v: %w", c.rounds+1, i, v, errGradient)
		}
		most = max(most, math.Abs(v))
	}
	if c.bound == 0 {
		copy(c.g, gradient)
		return nil
	}
	var square float64
	for i, v := range gradient {
		c.g[i] = v / most
		square += float64(c.g[i] * c.g[i])
	}
	if norm := math.Sqrt(square); norm > c.bound/most {
		c.shorten(norm)
		return nil
	}
	for i, v := range gradient { // the bound is so small that its inverse overflows
		c.g[i] = v / c.bound
	}
	return nil
}

// shorten counts a clipped gradient and scales it from the given norm to 1.
func (c *core) shorten(norm float64) {
	for i := range c.g {
		c.g[i] /= norm
	}
	c.clipped++
}

// publish makes z, a point in units of the radius, the next prediction. It projects z on the ball
// if it lies outside.
func (c *core) publish(z []float64) {
	var square float64
	for _, v := range z {
		square += float64(v * v)
	}
	scale := c.radius
	if square > 1 {
		scale /= math.Sqrt(square)
	}
	for i, v := range z {
		c.theta[i] = v * scale
	}
}

// shrink projects z on the unit ball in the Euclidean norm.
func shrink(z []float64) {
	var square float64
	for _, v := range z {
		square += float64(v * v)
	}
	if square <= 1 {
		return
	}
	scale := 1 / math.Sqrt(square)
	for i := range z {
		z[i] *= scale
	}
}
