package random

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// DiscreteGaussian is the distribution on the integers with P(z) proportional to exp(-z^2/(2
// sigma^2)), sigma^2 = num/den.
//
// Its variance is below sigma^2, by a negligible amount from sigma = 1 on. It is drawn by Algorithm
// 3 of Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020), in
// integers only.
type DiscreteGaussian struct {
	num, den uint64
	t        uint64 // floor(sigma) + 1, the scale of the proposal
	step     uint64 // den t
	gauge    wide   // 2 num den t^2
}

// maxSquare bounds den (floor(sigma)+1)^2, so that |y| den t fits into 64 bits for every |y| < 2^12
// t.
const maxSquare = 1 << 52

// NewDiscreteGaussian returns the distribution with sigma^2 = num/den. In lowest terms it needs num
// >= 1, den >= 1 and den (floor(sigma)+1)^2 <= 2^52. That allows sigma up to 6.7e7 if sigma^2 is an
// integer, and up to 65,000 in steps of 2^-20 of sigma^2.
func NewDiscreteGaussian(num, den uint64) (*DiscreteGaussian, error) {
	if num == 0 || den == 0 {
		return nil, fmt.Errorf("random: NewDiscreteGaussian with sigma^2 = %d/%d, want a numerator and a denominator >= 1", num, den)
	}
	d := gcd(num, den)
	num, den = num/d, den/d
	g := &DiscreteGaussian{num: num, den: den, t: isqrt(num/den) + 1}
	hi, square := bits.Mul64(g.t, g.t)
	if hi == 0 {
		hi, square = bits.Mul64(square, den)
	}
	if hi > 0 || square > maxSquare {
		return nil, fmt.Errorf("random: NewDiscreteGaussian with sigma^2 = %d/%d, want %d (floor(sigma)+1)^2 <= 2^52", num, den, den)
	}
	g.step = den * g.t
	g.gauge = product(2*num, square)
	return g, nil
}

// Sigma returns sigma, rounded to a float64.
func (g *DiscreteGaussian) Sigma() float64 { return math.Sqrt(float64(g.num) / float64(g.den)) }

// Max returns the bound on the absolute value of a draw, 2^12 (floor(sigma) + 1). Rand panics on a
// larger one, which has probability below exp(-4096).
func (g *DiscreteGaussian) Max() int64 { return int64(g.t * maxPeriods) }

// Rand draws an integer. It does not allocate.
//
// It accepts a discrete Laplace y of scale t with probability exp(-(|y| - sigma^2/t)^2/(2
// sigma^2)). In integers the exponent is (|y| den t - num)^2/(2 num den t^2). The exponents of
// proposal and acceptance add up to y^2/(2 sigma^2) and a constant.
func (g *DiscreteGaussian) Rand(src rand.Source) int64 {
	for {
		y := laplaceMagnitude(src, g.t)
		off := y*g.step - g.num
		if y*g.step < g.num {
			off = -off
		}
		negative := src.Uint64()>>63 == 1
		if negative && y == 0 || !bernoulliExpWide(src, product(off, off), g.gauge) {
			continue
		}
		if negative {
			return -int64(y)
		}
		return int64(y)
	}
}

// Fill fills dst with independent draws.
func (g *DiscreteGaussian) Fill(src rand.Source, dst []int64) {
	for i := range dst {
		dst[i] = g.Rand(src)
	}
}
