package online

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Stream is a sequence of convex losses on a ball, fixed whatever is played: an oblivious
// adversary's.
type Stream interface {
	Dim() int // the dimension d of a point
	Len() int // the number of losses
	// Radius returns the radius of the ball in which the learners play and the best fixed point lies.
	Radius() float64
	// Loss returns l_t(theta), t = 1, ..., Len().
	Loss(t int, theta []float64) float64
	// Gradient writes a gradient or subgradient of l_t at theta into dst.
	Gradient(t int, theta, dst []float64)
}

// Regret plays the learner on the stream and returns its cumulative regret after each round,
//
//	sum_{s <= t} l_s(theta_s) - l_s(u),   t = 1, ..., rounds,
//
// against the point u of the ball that is best over all the rounds. Of a stream that says so by a
// method Hindsight, as [Linear] does, u is known; otherwise it is searched, in about 50 d^2 sums of
// gradients: 0.2 s for d = 5 and 20,000 rounds.
//
// It opens the learner for that number of rounds, and starts a run with own and noise (see
// [Calibrated]). The last number is the regret of the theorems; earlier ones may be negative. The
// learner must be set to the stream's radius.
func Regret(l Learner, s Stream, rounds int, own *rand.Rand, noise rand.Source) ([]float64, error) {
	u, _, _, err := bestPoint(s, rounds)
	if err != nil {
		return nil, err
	}
	return regretAgainst(l, s, rounds, u, own, noise)
}

// regretAgainst returns the cumulative regret against a given point u.
func regretAgainst(l Learner, s Stream, rounds int, u []float64, own *rand.Rand, noise rand.Source) ([]float64, error) {
	if err := checkStream(s, rounds); err != nil {
		return nil, err
	}
	if len(u) != s.Dim() {
		return nil, fmt.Errorf("online: a comparator of length %d in dimension %d", len(u), s.Dim())
	}
	ready, err := l.Open(s.Dim(), rounds)
	if err != nil {
		return nil, err
	}
	run := ready.Start(own, noise)
	curve, g := make([]float64, rounds), make([]float64, s.Dim())
	var sum float64
	for t := 1; t <= rounds; t++ {
		theta := run.Predict()
		if norm := norm2(theta); !(norm <= s.Radius()*(1+1e-9)) {
			return nil, fmt.Errorf("online: round %d: a prediction of norm %v, want at most the stream's radius %v", t, norm, s.Radius())
		}
		sum += s.Loss(t, theta) - s.Loss(t, u)
		curve[t-1] = sum
		s.Gradient(t, theta, g)
		if err := run.Update(g); err != nil {
			return nil, err
		}
	}
	return curve, nil
}

func checkStream(s Stream, rounds int) error {
	switch {
	case s.Dim() < 1:
		return fmt.Errorf("online: a stream of dimension %d: %w", s.Dim(), errDim)
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
		square += float64(v * v)
	}
	return math.Sqrt(square)
}

// bestPoint returns the best fixed point in hindsight: that of the ball with the least sum of the
// stream's first losses. It also returns that sum, and gap, a proved bound on how much less the sum
// of any other point could be: at most 1e-9 (1 + |loss|). It uses the ellipsoid method with deep
// cuts (Bland, Goldfarb, Todd 1981), which needs only convexity, smooth or not.
func bestPoint(s Stream, rounds int) (theta []float64, loss, gap float64, err error) {
	if err := checkStream(s, rounds); err != nil {
		return nil, 0, 0, err
	}
	if known, ok := s.(interface {
		Hindsight(rounds int) (theta []float64, loss float64)
	}); ok {
		theta, loss = known.Hindsight(rounds)
		return theta, loss, 0, nil
	}
	d := s.Dim()
	e := newEllipsoid(d, s.Radius())
	g, sum := make([]float64, d), make([]float64, d)
	theta, loss = make([]float64, d), math.Inf(1)
	low := math.Inf(-1) // lower bound on the sum of losses in the ball
	for range 1000 + 200*d*d {
		if norm := norm2(e.centre); norm > s.Radius() { // the ball is where <c, x> <= D|c|
			copy(sum, e.centre)
			if !e.cut(sum, norm*(norm-s.Radius())) {
				break
			}
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
		// The best point is in the ellipsoid, where the tangent falls by at most the width.
		low = max(low, f-e.width(sum))
		if gap = max(0, loss-low); gap <= 1e-9*(1+math.Abs(loss)) || !e.cut(sum, f-loss) {
			return theta, loss, gap, nil
		}
	}
	return nil, 0, 0, fmt.Errorf("online: the best point in hindsight is known up to a loss of %v only, want %v; are the losses convex?", gap, 1e-9*(1+math.Abs(loss)))
}

// ellipsoid is the set {centre + B x: |x| <= 1}. If the best point is on the sphere, it becomes a
// needle along the sphere, and B B^T would lose all digits; therefore B is stored.
type ellipsoid struct {
	centre []float64
	b      []float64 // B, row-major
	axis   []float64 // B^T g
}

func newEllipsoid(dim int, radius float64) *ellipsoid {
	e := &ellipsoid{centre: make([]float64, dim), b: make([]float64, dim*dim), axis: make([]float64, dim)}
	for i := range dim {
		e.b[i*dim+i] = radius
	}
	return e
}

// width returns |B^T g|, the greatest <g, x - centre> in the ellipsoid, and leaves B^T g in axis.
func (e *ellipsoid) width(g []float64) float64 {
	n := len(g)
	clear(e.axis)
	for i, v := range g {
		for j, w := range e.b[i*n : (i+1)*n] {
			e.axis[j] += float64(v * w)
		}
	}
	return norm2(e.axis)
}

// cut replaces the ellipsoid by the least one around its part with <g, x - centre> <= -depth, depth
// >= 0. A depth above half of the width counts as half, because digits would cancel there. cut
// returns false if the depth is at least the width, so that at most a point is left.
func (e *ellipsoid) cut(g []float64, depth float64) bool {
	width := e.width(g)
	a := depth / width
	if !(width > 0) || !(a < 1) {
		return false
	}
	a = min(a, 0.5)
	n := len(g)
	dim := float64(n)
	scaled(e.axis, 1/width, e.axis)
	move := (1 + float64(dim*a)) / (dim + 1)
	// factors of the lengths of the axes along B^T g and across it
	along, across := (1-a)*dim/(dim+1), 1.0
	if n > 1 {
		across = dim * math.Sqrt((1-a)*(1+a)/((dim-1)*(dim+1)))
	}
	for i := range n {
		row := e.b[i*n : (i+1)*n]
		var v float64 // an entry of B axis
		for j, w := range row {
			v += float64(w * e.axis[j])
		}
		e.centre[i] -= float64(move * v)
		for j, w := range row {
			row[j] = float64(across*w) + float64((along-across)*v*e.axis[j])
		}
	}
	return true
}
