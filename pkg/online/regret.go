package online

import (
	"fmt"
	"math"
)

// Stream is a sequence of convex losses on a ball, whatever is played: an oblivious adversary's.
type Stream interface {
	Dim() int
	Len() int                             // the number of losses
	Radius() float64                      // of the ball, in which the learners play and the best fixed point lies
	Loss(t int, theta []float64) float64  // l_t(theta), t = 1, ..., Len()
	Gradient(t int, theta, dst []float64) // writes a gradient of l_t at theta, or a subgradient, into dst
}

// Regret plays the learner, initialised for that number of rounds, on the stream and returns its cumulative regret
//
//	sum_{s <= t} l_s(theta_s) - l_s(u),   t = 1, ..., rounds,
//
// against the one point u of the ball that is best over all the rounds (see [Best]). So the last number is the regret as theorems
// have it, and those before may be negative. The learner must be set to the stream's radius.
func Regret(l Learner, s Stream, rounds int) ([]float64, error) {
	u, _, _, err := Best(s, rounds)
	if err != nil {
		return nil, err
	}
	return RegretAgainst(l, s, rounds, u)
}

// RegretAgainst is Regret against a point that the caller has, such as the one that Best returned for another learner.
func RegretAgainst(l Learner, s Stream, rounds int, u []float64) ([]float64, error) {
	if err := checkStream(s, rounds); err != nil {
		return nil, err
	}
	if len(u) != s.Dim() {
		return nil, fmt.Errorf("online: a comparator of length %d in dimension %d", len(u), s.Dim())
	}
	if err := l.Init(s.Dim(), rounds); err != nil {
		return nil, err
	}
	l.Reset()
	curve, g := make([]float64, rounds), make([]float64, s.Dim())
	var sum float64
	for t := 1; t <= rounds; t++ {
		theta := l.Predict()
		if norm := norm2(theta); !(norm <= s.Radius()*(1+1e-9)) {
			return nil, fmt.Errorf("online: round %d: a prediction of norm %v, want at most the stream's radius %v", t, norm, s.Radius())
		}
		sum += s.Loss(t, theta) - s.Loss(t, u)
		curve[t-1] = sum
		s.Gradient(t, theta, g)
		if err := l.Update(g); err != nil {
			return nil, err
		}
	}
	return curve, nil
}

func checkStream(s Stream, rounds int) error {
	switch {
	case s.Dim() < 1:
		return fmt.Errorf("online: a stream of dimension %d: %w", s.Dim(), ErrDim)
	case rounds < 1 || rounds > s.Len():
		return fmt.Errorf("online: rounds = %d, want in [1, %d], the length of the stream", rounds, s.Len())
	case !(s.Radius() > 0) || math.IsInf(s.Radius(), 1):
		return fmt.Errorf("online: a stream on a ball of radius %v, want finite and > 0", s.Radius())
	}
	return nil
}

func norm2(x []float64) float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

// Best returns the point of the ball with the least sum of the first losses, that sum, and a proved bound of how much less any
// other point could have: at most 1e-9 of 1 + |loss|. It is the ellipsoid method with deep cuts (Bland, Goldfarb, Todd
// 1981), which wants no more than convexity, smooth or not. It takes about 50 d^2 sums of gradients: a second for d = 5 and 20,000 rounds.
func Best(s Stream, rounds int) (theta []float64, loss, gap float64, err error) {
	if err := checkStream(s, rounds); err != nil {
		return nil, 0, 0, err
	}
	d := s.Dim()
	e := newEllipsoid(d, s.Radius())
	g, sum := make([]float64, d), make([]float64, d)
	theta, loss = make([]float64, d), math.Inf(1)
	low := math.Inf(-1) // of the losses in the ball
	for range 1000 + 200*d*d {
		if norm := norm2(e.centre); norm > s.Radius() { // the ball is where <c, x> <= D|c|
			copy(sum, e.centre)
			e.cut(sum, norm*(norm-s.Radius()))
			continue
		}
		var f float64
		clear(sum)
		for t := 1; t <= rounds; t++ {
			f += s.Loss(t, e.centre)
			s.Gradient(t, e.centre, g)
			for j, v := range g {
				sum[j] += v
			}
		}
		if !(math.Abs(f)+norm2(sum) <= math.MaxFloat64) {
			return nil, 0, 0, fmt.Errorf("online: the losses sum to %v and their gradients to %v at %v, want finite numbers", f, sum, e.centre)
		}
		if f < loss {
			loss = f
			copy(theta, e.centre)
		}
		// The best point is in the ellipsoid, where the tangent falls by the width at most.
		low = max(low, f-e.width(sum))
		if gap = max(0, loss-low); gap <= 1e-9*(1+math.Abs(loss)) || !e.cut(sum, f-loss) {
			return theta, loss, gap, nil
		}
	}
	return nil, 0, 0, fmt.Errorf("online: the best point in hindsight is known up to a loss of %v only, want %v; are the losses convex?", gap, 1e-9*(1+math.Abs(loss)))
}

// ellipsoid is {centre + x: x^T P^-1 x <= 1}.
type ellipsoid struct {
	centre, v []float64
	p         []float64 // P, full, row-major
}

func newEllipsoid(dim int, radius float64) *ellipsoid {
	e := &ellipsoid{centre: make([]float64, dim), v: make([]float64, dim), p: make([]float64, dim*dim)}
	for i := range dim {
		e.p[i*dim+i] = radius * radius
	}
	return e
}

// width returns the greatest <g, x> in the ellipsoid about its centre, |g| in the norm of P, and leaves P g in v.
func (e *ellipsoid) width(g []float64) float64 {
	n := len(g)
	var square float64
	for i := range n {
		var sum float64
		for j, w := range g {
			sum += e.p[i*n+j] * w
		}
		e.v[i] = sum
		square += sum * g[i]
	}
	return math.Sqrt(max(0, square))
}

// cut makes it the least ellipsoid around its part with <g, x - centre> <= -depth, depth >= 0. It reports false if no more than a point is left.
func (e *ellipsoid) cut(g []float64, depth float64) bool {
	width := e.width(g)
	a := depth / width
	if !(width > 0) || !(a < 1) {
		return false
	}
	n := len(g)
	dim := float64(n)
	move := (1 + dim*a) / (dim + 1)
	for i, v := range e.v {
		e.centre[i] -= move * v / width
	}
	if n == 1 {
		e.p[0] *= (1 - a) * (1 - a) / 4
		return true
	}
	grow := dim * dim * (1 - a*a) / (dim*dim - 1)
	squeeze := 2 * move / (1 + a) / (width * width)
	for i := range n {
		for j := range i + 1 {
			p := grow * (e.p[i*n+j] - squeeze*e.v[i]*e.v[j])
			e.p[i*n+j], e.p[j*n+i] = p, p
		}
	}
	return true
}
