package random

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
)

// ChiSquared draws a chi-square variable with k > 0 degrees of freedom. k may be large and need not
// be whole; the cost does not depend on it. The method, for the gamma variable of shape k/2, is
// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
func (g *Normals) ChiSquared(k float64) float64 {
	if k < 2 { // the gamma of shape a is that of shape a+1 times U^(1/a)
		return g.ChiSquared(k+2) * portable.Pow(1-g.Uniform(), 2/k)
	}
	// Mostly the first two numbers do, with the state in registers; else chiSquare starts from them.
	d := float64(k/2) - 1.0/3
	c := 1 / math.Sqrt(9*d)
	u, s0, s1, s2, s3 := step(g.s[0], g.s[1], g.s[2], g.s[3])
	z, inner := normalOf(u)
	x := float64(c * z)
	u, s0, s1, s2, s3 = step(s0, s1, s2, s3)
	if inner && squeezed(d, x, float64(u>>11)*(1.0/(1<<53))) {
		g.s = [4]uint64{s0, s1, s2, s3}
		return 2 * d * cube(1+x)
	}
	return chiSquare(g, g.One(), d)
}

// squeezed reports whether chiSquare accepts x = z/(3 sqrt d) with the uniform number u in [0, 1),
// without a logarithm. It misses few.
//
// chiSquare wants ln(1-u) < z^2/2 + d (1 - v + ln v), v = (1+x)^3. As z^2 = 9 d x^2, the right side
// is 3 d (ln(1+x) - x + x^2/2 - x^3/3): at least -3/4 d x^4 for x >= 0, and -3/2 d x^4 for
// x >= -1/2. The left side is at most -u.
func squeezed(d, x, u float64) bool { return x > -0.5 && u > 1.5*d*(x*x)*(x*x) }

func cube(x float64) float64 { return float64(x * x * x) }

// chiSquare is chiSquared for a given first normal z and d = k/2 - 1/3, k >= 2.
func chiSquare(g *Normals, z, d float64) float64 {
	c := 1 / math.Sqrt(9*d)
	for ; ; z = g.One() {
		v := 1 + float64(c*z)
		if v <= 0 {
			continue
		}
		v = float64(v * v * v)
		u := 1 - g.Uniform() // in (0, 1]
		if u < 1-float64(0.0331*(z*z)*(z*z)) || portable.Log(u) < float64(0.5*z*z)+float64(d*(1-v+portable.Log(v))) {
			return 2 * d * v
		}
	}
}

// Wishart is a sampler of W ~ W_dim(scale I, freedom), the Gram matrix of freedom independent rows
// N(0, scale I).
//
// It uses Bartlett's decomposition W = scale L L^T. L is lower triangular, with standard normals
// below the diagonal and, on it, the roots of chi-square variables with freedom, freedom-1, ...
// degrees of freedom. The cost, O(dim^3), does not depend on freedom.
type Wishart struct {
	dim     int
	freedom int
	scale   float64
	l       []float64 // the lower triangle, packed by rows
}

// NewWishart returns a sampler, for freedom > dim-1 (otherwise W is singular) and scale > 0.
func NewWishart(dim, freedom int, scale float64) (*Wishart, error) {
	switch {
	case dim < 1:
		return nil, fmt.Errorf("random: Wishart of dimension %d, want >= 1", dim)
	case freedom < dim:
		return nil, fmt.Errorf("random: Wishart with %d degrees of freedom, want >= the dimension %d", freedom, dim)
	case !(scale > 0 && scale*float64(freedom) <= math.MaxFloat64/1e6):
		return nil, fmt.Errorf("random: Wishart of scale %v with %d degrees of freedom, want > 0 and their product below 1e302", scale, freedom)
	}
	if err := size.Check(fmt.Sprintf("random: Wishart of dimension %d", dim), size.Triangle(dim)); err != nil {
		return nil, err
	}
	return &Wishart{dim: dim, freedom: freedom, scale: scale, l: make([]float64, dim*(dim+1)/2)}, nil
}

// Copy returns the same sampler with memory of its own: a sampler is for one goroutine at a time.
func (w *Wishart) Copy() *Wishart {
	own := *w
	own.l = make([]float64, len(w.l))
	return &own
}

// Rand writes W into dst, its lower triangle packed by rows: W_ij at i(i+1)/2+j for j <= i.
func (w *Wishart) Rand(g *Normals, dst []float64) {
	l := w.l
	g.Fill(l)
	s0, s1, s2, s3 := g.s[0], g.s[1], g.s[2], g.s[3]
	for i, p := 0, 0; i < w.dim; i, p = i+1, p+i+2 {
		half := float64(float64(w.freedom-i) / 2)
		if half < 1 {
			l[p] = math.Abs(l[p]) // one degree of freedom
			continue
		}
		// Nearly always the squeeze accepts, with the state in registers, as in chiSquared.
		d := half - 1.0/3
		x := float64(1 / math.Sqrt(9*d) * l[p])
		u, t0, t1, t2, t3 := step(s0, s1, s2, s3)
		if squeezed(d, x, float64(u>>11)*(1.0/(1<<53))) {
			l[p] = math.Sqrt(2 * d * cube(1+x))
			s0, s1, s2, s3 = t0, t1, t2, t3
			continue
		}
		g.s = [4]uint64{s0, s1, s2, s3}
		l[p] = math.Sqrt(chiSquare(g, l[p], d))
		s0, s1, s2, s3 = g.s[0], g.s[1], g.s[2], g.s[3]
	}
	g.s = [4]uint64{s0, s1, s2, s3}
	packed.Gram(dst, l, w.dim, w.scale)
}

// Dim returns the order of the matrix.
func (w *Wishart) Dim() int { return w.dim }

// Freedom returns the degrees of freedom.
func (w *Wishart) Freedom() int { return w.freedom }

// Scale returns the variance of a row's entries: the covariance of a row is that multiple of the
// identity.
func (w *Wishart) Scale() float64 { return w.scale }
