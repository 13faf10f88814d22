package online

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Losses is a stream of random losses on the unit ball, made to compare learners.
//
// Each loss has a row x_t, |x_t| <= 1, and a label y_t. Curvature is what a learner may be told
// about the losses.
type Losses struct {
	Name string // name of the kind of losses, such as "convex"
	// Curvature is what a learner may be told about the losses. A 0 means that nothing is known.
	Curvature struct {
		Gradient   float64 // G: no gradient is longer than this
		Strong     float64 // mu: l - mu |theta|^2/2 is convex
		ExpConcave float64 // alpha: exp(-alpha l) is concave
	}

	dim    int
	rows   []float64
	labels []float64
	loss   func(theta, x []float64, y float64) float64
	grad   func(theta, x []float64, y float64, dst []float64)
}

var _ Stream = (*Losses)(nil)

// NewLosses returns random losses of a kind: "convex", "strongly convex" or "exp-concave".
//
//   - convex: |<x_t, theta> - y_t|, without curvature, with G = 1.
//   - strongly convex: |theta - x_t|^2/2, with G = 2, mu = 1 and alpha = mu/G^2 = 1/4.
//   - exp-concave: (<x_t, theta> - y_t)^2/2, with G = 2 and alpha = 1/4. If dim > 1, none of them
//     is strongly convex.
func NewLosses(kind string, dim, rounds int, r *rand.Rand) (*Losses, error) {
	switch kind {
	case "convex":
		return absoluteLosses(dim, rounds, r)
	case "strongly convex":
		return quadraticLosses(dim, rounds, r)
	case "exp-concave":
		return squaredLosses(dim, rounds, r)
	}
	return nil, fmt.Errorf("online: losses that are %q, want convex, strongly convex or exp-concave", kind)
}

// absoluteLosses returns |<x_t, theta> - y_t|.
//
// x_t is uniform on the sphere, and y_t = <x_t, theta*> plus normal noise of standard deviation
// 1/2, where theta* has length 1/2.
func absoluteLosses(dim, rounds int, r *rand.Rand) (*Losses, error) {
	l, err := newLosses("convex", dim, rounds, 1, 0, 0)
	if err != nil {
		return nil, err
	}
	truth := direction(r, make([]float64, dim), 0.5)
	for t := range rounds {
		x := direction(r, l.row(t+1), 1)
		l.labels[t] = packed.Dot(x, truth) + float64(random.Normal(r)/2)
	}
	l.loss = func(theta, x []float64, y float64) float64 { return math.Abs(packed.Dot(x, theta) - y) }
	l.grad = func(theta, x []float64, y float64, dst []float64) {
		slope := 0.0
		if miss := packed.Dot(x, theta) - y; miss != 0 {
			slope = math.Copysign(1, miss)
		}
		scaled(dst, slope, x)
	}
	return l, nil
}

// quadraticLosses returns |theta - x_t|^2/2.
//
// x_t is theta*, of length 1/2, plus a vector of length 1/2 in a random direction.
func quadraticLosses(dim, rounds int, r *rand.Rand) (*Losses, error) {
	l, err := newLosses("strongly convex", dim, rounds, 2, 1, 0.25)
	if err != nil {
		return nil, err
	}
	truth := direction(r, make([]float64, dim), 0.5)
	for t := range rounds {
		x := direction(r, l.row(t+1), 0.5)
		for j, v := range truth {
			x[j] += v
		}
	}
	l.loss = func(theta, x []float64, _ float64) float64 {
		var square float64
		for j, v := range x {
			square += float64((theta[j] - v) * (theta[j] - v))
		}
		return square / 2
	}
	l.grad = func(theta, x []float64, _ float64, dst []float64) {
		for j, v := range x {
			dst[j] = theta[j] - v
		}
	}
	return l, nil
}

// squaredLosses returns (<x_t, theta> - y_t)^2/2.
//
// x_t has length 1 and random signs. The square of each coordinate but the first is 1/100 (if dim >
// 50, that of every coordinate is 1/dim), so that the losses show little in most directions. y_t =
// <x_t, theta*> plus noise that is uniform on [-1/10, 1/10], where theta* has length 9/10 and equal
// coordinates.
//
// As |y_t| <= 1, |<x, theta> - y| <= 2, and so G = 2. alpha = 1/4, because the second derivative
// along x, which is 1, must be at least alpha (<x, theta> - y)^2.
func squaredLosses(dim, rounds int, r *rand.Rand) (*Losses, error) {
	l, err := newLosses("exp-concave", dim, rounds, 2, 0, 0.25)
	if err != nil {
		return nil, err
	}
	truth, small := 0.9/math.Sqrt(float64(dim)), 0.01
	if dim > 50 {
		small = 1 / float64(dim)
	}
	for t := range rounds {
		x := l.row(t + 1)
		for j := range x {
			square := small
			if j == 0 {
				square = 1 - float64(small*float64(dim-1))
			}
			x[j] = math.Sqrt(square) * float64(2*r.IntN(2)-1)
			l.labels[t] += float64(truth * x[j])
		}
		l.labels[t] += float64((float64(2*float64(r.Float64())) - 1) / 10)
	}
	l.loss = func(theta, x []float64, y float64) float64 {
		miss := packed.Dot(x, theta) - y
		return miss * miss / 2
	}
	l.grad = func(theta, x []float64, y float64, dst []float64) { scaled(dst, packed.Dot(x, theta)-y, x) }
	return l, nil
}

func newLosses(name string, dim, rounds int, gradient, strong, expConcave float64) (*Losses, error) {
	if dim < 1 {
		return nil, fmt.Errorf("online: a stream of dimension %d: %w", dim, errDim)
	}
	if rounds < 1 {
		return nil, fmt.Errorf("online: a stream of %d losses: %w", rounds, errHorizon)
	}
	what := fmt.Sprintf("online: a stream of %d losses of dimension %d", rounds, dim)
	if err := size.Check(what, float64(rounds)*(float64(dim)+1)); err != nil {
		return nil, err
	}
	l := &Losses{Name: name, dim: dim, rows: make([]float64, dim*rounds), labels: make([]float64, rounds)}
	l.Curvature.Gradient, l.Curvature.Strong, l.Curvature.ExpConcave = gradient, strong, expConcave
	return l, nil
}

// direction fills x with a vector of the given length in a uniformly random direction.
func direction(r *rand.Rand, x []float64, length float64) []float64 {
	for j := range x {
		x[j] = random.Normal(r)
	}
	scaled(x, length/norm2(x), x)
	return x
}

func scaled(dst []float64, scale float64, x []float64) {
	for j, v := range x {
		dst[j] = scale * v
	}
}

func (l *Losses) row(t int) []float64 { return l.rows[(t-1)*l.dim : t*l.dim] }

// Dim returns the dimension.
func (l *Losses) Dim() int { return l.dim }

// Len returns the number of losses.
func (l *Losses) Len() int { return len(l.labels) }

// Radius returns 1, as the losses are on the unit ball.
func (l *Losses) Radius() float64 { return 1 }

// Loss returns l_t(theta).
func (l *Losses) Loss(t int, theta []float64) float64 { return l.loss(theta, l.row(t), l.labels[t-1]) }

// Gradient writes a gradient of l_t at theta into dst.
func (l *Losses) Gradient(t int, theta, dst []float64) { l.grad(theta, l.row(t), l.labels[t-1], dst) }
