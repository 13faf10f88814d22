package random

import (
	"fmt"
	"math/rand/v2"
)

// DiscreteLaplace is the two-sided geometric distribution: on the integers, with P(z) proportional
// to exp(-|z|/scale), scale = num/den.
//
// It is drawn by Algorithm 2 of Canonne, Kamath and Steinke, "The discrete Gaussian for
// differential privacy" (2020), in integers only.
type DiscreteLaplace struct{ num, den uint64 }

// maxScale is the largest num of a DiscreteLaplace.
const maxScale = 1 << 50

// NewDiscreteLaplace returns the distribution of scale num/den, for 1 <= num <= 2^50 and den >= 1.
func NewDiscreteLaplace(num, den uint64) (*DiscreteLaplace, error) {
	if num == 0 || den == 0 {
		return nil, fmt.Errorf("random: NewDiscreteLaplace of scale %d/%d, want a numerator and a denominator >= 1", num, den)
	}
	g := gcd(num, den)
	num, den = num/g, den/g
	if num > maxScale {
		return nil, fmt.Errorf("random: NewDiscreteLaplace of scale %d/%d, want a numerator <= 2^50 in lowest terms", num, den)
	}
	return &DiscreteLaplace{num, den}, nil
}

// Scale returns the scale, rounded to a float64.
func (l *DiscreteLaplace) Scale() float64 { return float64(l.num) / float64(l.den) }

// Max returns the bound on the absolute value of a draw, 2^12 times the scale. Rand panics on a
// larger one, which has probability exp(-4096).
func (l *DiscreteLaplace) Max() int64 { return int64(l.num * maxPeriods / l.den) }

// Rand draws an integer. It does not allocate.
func (l *DiscreteLaplace) Rand(src rand.Source) int64 {
	for {
		z := laplaceMagnitude(src, l.num)
		if l.den > 1 {
			z /= l.den
		}
		negative := src.Uint64()>>63 == 1
		switch {
		case !negative:
			return int64(z)
		case z > 0: // a second zero would count double
			return -int64(z)
		}
	}
}

// laplaceMagnitude draws x >= 0 with probability proportional to exp(-x/t), as x = u + t v with u
// in [0, t). Then u and v are independent, u with probabilities proportional to exp(-u/t), v
// geometric with ratio exp(-1).
func laplaceMagnitude(src rand.Source, t uint64) uint64 {
	u := uint64(0)
	if t > 1 {
		for u = below(src, t); !bernoulliExp(src, u, t); {
			u = below(src, t)
		}
	}
	return u + t*periods(src)
}

// Fill fills dst with independent draws.
func (l *DiscreteLaplace) Fill(src rand.Source, dst []int64) {
	for i := range dst {
		dst[i] = l.Rand(src)
	}
}
