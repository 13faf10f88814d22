package ellipsoid

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
)

// stepped holds the arms' estimates and squared widths, and follows them while the contexts stay
// and the ellipsoid moves by single rows x, y. With k = V^-1 x, g = 1/(1 + <x, k>) and
// r = g (y - <x, theta>) such a step is
//
//	theta' = theta + r k,   V'^-1 = V^-1 - g k k^T.
//
// So the estimate of an arm z grows by r <z, k>, and its squared width shrinks by g <z, k>^2: one
// inner product an arm in place of a quadratic form. As bounds on the rounding errors are known, an
// upper confidence bound is computed for those arms only that may have the greatest.
type stepped struct {
	own            *Ellipsoid // what moves by steps
	held           bool
	steps          int // since the last choice; a jump counts as two
	gain, residual float64
	k              []float64
	dots, squares  []float64 // by arm
	length         float64   // greatest |z|
	norm           float64   // a bound on |V^-1|, Frobenius
	offDot         float64   // bounds on the errors, for |z| = 1: of dots
	offSquare      float64   // and of squares
}

func newStepped(p bandit.Problem) *stepped {
	return &stepped{k: make([]float64, p.Dim), dots: make([]float64, p.Arms), squares: make([]float64, p.Arms)}
}

// ready reports whether the ellipsoid has moved by one step since the last choice.
func (s *stepped) ready(e *Ellipsoid) bool { return s != nil && s.steps == 1 && s.own == e }

// Step tells o that the ellipsoid it is going to choose by has moved by a row, as [Estimate.Step]
// reports.
func (o *Optimist) Step(e *Estimate, gain, residual float64) {
	if s := o.Memory.stepped; s != nil {
		s.own, s.gain, s.residual = &e.Ellipsoid, gain, residual
		s.steps++
		copy(s.k, e.vector)
	}
}

// Jump tells o that the ellipsoid has changed otherwise.
func (o *Optimist) Jump() {
	if s := o.Memory.stepped; s != nil {
		s.steps += 2
	}
}

// unit bounds what rounding adds, in parts of the numbers. A sum of n products, in any order, is
// off by at most 1.12e-16 n parts of the sum of their absolute values, and a quadratic form by
// twice as much.
func (s *stepped) unit() float64 { return float64(4e-16 * float64(len(s.k)+4)) }

// set computes the numbers from the ellipsoid. It reports false if they are out of range.
func (s *stepped) set(e *Ellipsoid, v *bandit.View) bool {
	dots, squares := s.dots[:v.Arms], s.squares[:v.Arms]
	packed.Products(dots, squares, v.X, e.Theta)
	s.length = 0
	for _, square := range squares {
		s.length = max(s.length, square)
	}
	s.length = math.Sqrt(s.length) * (1 + 1e-9)
	packed.Quadratics(squares, e.Inverse, v.X, v.Dim)
	s.norm = math.Sqrt2 * packed.Norm(e.Inverse) // entries off the diagonal count twice
	s.offDot, s.offSquare = s.unit()*packed.Norm(e.Theta), s.unit()*s.norm
	return s.length > 1e-100 && s.length < 1e100 && s.norm < 1e100
}

// follow takes the last step. c gets <z, k> by arm.
//
// With u = 2^-53, an entry of the new theta is off by u (|r k_i| + |theta'_i|), and one of V'^-1 by
// u (2 g |k_i k_j| + |V'^-1_ij|). <z, k> is off by d u |k|, and then a dot by u ((d + 1) |r k| +
// |theta'|), and a square by u ((2d + 4) g |k|^2 + |V'^-1|). unit exceeds the sums of these by a
// factor of 1.7 or more. |V'^-1| is at most |V^-1| + g |k|^2 if k is whatever rounding makes of it.
func (s *stepped) follow(theta []float64, v *bandit.View, c []float64) {
	packed.Dots(c, v.X, v.Dim, s.k)
	dots, squares := s.dots[:len(c)], s.squares[:len(c)]
	for a, w := range c {
		dots[a] += float64(s.residual * w)
		squares[a] -= float64(float64(s.gain*w) * w)
	}
	square := packed.Dot(s.k, s.k)
	s.norm += float64(s.gain * square)
	s.offDot += float64(s.unit() * (float64(math.Abs(s.residual)*math.Sqrt(square)) + math.Sqrt(packed.Dot(theta, theta))))
	s.offSquare += float64(s.unit() * (float64(s.gain*square) + s.norm))
}

// sift appends the arms that may have the greatest upper confidence bound, as Upper computes it. ok
// is false if that is not known. work has a number for each arm.
func (s *stepped) sift(e *Ellipsoid, v *bandit.View, work []float64, dst []int) (left []int, ok bool) {
	if s.steps > 1 || e != s.own {
		return dst, false
	}
	uppers := work[:v.Arms]
	if s.steps == 1 {
		s.follow(e.Theta, v, uppers)
	}
	beta, theta := e.Width[0], math.Sqrt(packed.Dot(e.Theta, e.Theta))
	// what Upper computes is off, too, and so are the sums here
	square := float64(s.length * s.length * (s.offSquare + float64(s.unit()*s.norm)) * (1 + 1e-9))
	dot := float64(s.length * (s.offDot + float64((s.unit()+2e-15)*theta) + float64(2e-15*beta*math.Sqrt(s.norm+s.offSquare))) * (1 + 1e-9))
	if !(square+dot < 1e100) {
		return dst, false
	}
	squares, best, top := s.squares[:len(uppers)], 0, math.Inf(-1)
	for a, d := range s.dots[:len(uppers)] {
		upper := d + float64(beta*math.Sqrt(squares[a]+square))
		uppers[a] = upper
		if upper > top {
			best, top = a, upper
		}
	}
	least := s.dots[best] + float64(beta*math.Sqrt(max(0, squares[best]-square))) - float64(2*dot)
	for a, upper := range uppers {
		if !(upper < least) {
			dst = append(dst, a)
		}
	}
	return dst, true
}
