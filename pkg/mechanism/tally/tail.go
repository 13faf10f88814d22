package tally

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// tailOf bounds the tail of a sum Z of independent noises, given the scale or the standard
// deviation of each.
//
// A Gaussian sum of variance v has P(Z > sqrt(2 v l)) <= exp(-l). For Laplace noises of scales a =
// a_0 >= a_1, a_2, ... the Linear part is a, and no bound for all l can have a smaller one. The
// Root part is the least of three:
//
// (1) ln E exp(t Z) = -sum ln(1 - a_j^2 t^2) <= V t^2/(1 - a t) for V = sum a_j^2 and 0 <= t < 1/a,
// because -ln(1 - x^2) <= x^2/(1 - x) holds term by term of the series, and a_j t <= a t. So Z is
// sub-gamma with variance factor 2 V and scale a, and P(Z > 2 sqrt(V l) + a l) <= exp(-l)
// (Boucheron, Lugosi, Massart 2013, Section 2.4).
//
// (2) Write Z = Z_0 + R. The tail of Z_0 is at most exp(-u/a)/2. This holds for u < 0, too, where 1
// - exp(u/a)/2 <= exp(-u/a)/2 says that a square is not negative. Hence P(Z > z) <= E exp(-(z -
// R)/a)/2 = C exp(-z/a) with C = 1/2 prod_{j>0} 1/(1 - (a_j/a)^2), or P(Z > a l + a ln C) <=
// exp(-l). By symmetry nothing needs a proof for l <= ln 2. For larger l and C > 1, a ln C <= a
// ln(C) sqrt(l/ln 2), which gives the Root; if C <= 1, Root is 0, as for one noise alone.
//
// (3) For z >= 0, Z exceeds z with at most the probability of the sum of as many noises of scale a.
// To see it, let X and Y be symmetric and unimodal, with Y the sum of the other noises and f its
// density. The derivative of P(s X + Y > z) in s is E|X| (f(z - s|X|) - f(z + s|X|))/2 >= 0. The
// sum of n noises of scale a has Root = a equalRoots[n].
func tailOf(gaussian bool, scales []float64) privacy.Tail {
	var most float64
	largest, n := 0, 0
	for i, a := range scales {
		if a > 0 {
			n++
		}
		if a > most {
			most, largest = a, i
		}
	}
	if n == 0 {
		return privacy.Tail{}
	}
	squares, constant := 0.0, 0.5
	for i, a := range scales {
		square := float64((a / most) * (a / most))
		squares += square
		if i != largest {
			constant /= 1 - square
		}
	}
	if gaussian {
		return privacy.Tail{Root: most * math.Sqrt(2*squares)}
	}
	root := min(2*math.Sqrt(squares), max(0, portable.Log(constant))/math.Sqrt(math.Ln2))
	if n < len(equalRoots) {
		root = min(root, equalRoots[n])
	}
	return privacy.Tail{Root: most * root, Linear: most}
}

// tailOfEqual is tailOf for n noises of one scale.
func tailOfEqual(gaussian bool, n int, scale float64) privacy.Tail {
	switch {
	case scale == 0:
		return privacy.Tail{}
	case gaussian:
		return privacy.Tail{Root: scale * math.Sqrt(2*float64(n))}
	case n < len(equalRoots):
		return privacy.Tail{Root: scale * equalRoots[n], Linear: scale}
	}
	return privacy.Tail{Root: scale * 2 * math.Sqrt(float64(n)), Linear: scale}
}

// equalRoots[n] is the least Root, rounded up to a thousandth, for the sum Z of n Laplace noises of
// scale 1 with Linear = 1: the largest (z - l)/sqrt(l) over z >= 0 for l = -ln P(Z > z). The tail
// is exp(-z) times a polynomial of degree n-1. The table reaches as far as a tree can have levels,
// plus one.
var equalRoots = [...]float64{
	0,
	0, 0.4, 0.854, 1.253, 1.612, 1.942, 2.248, 2.536, 2.808, 3.067, 3.316, 3.554, 3.784,
	4.006, 4.221, 4.43, 4.633, 4.831, 5.024, 5.213, 5.397, 5.577, 5.754, 5.928, 6.098, 6.265,
	6.429, 6.591, 6.75, 6.906, 7.06, 7.212, 7.362, 7.51, 7.656, 7.799, 7.942, 8.082, 8.221,
	8.358, 8.493, 8.627, 8.76, 8.891, 9.021, 9.149, 9.277, 9.403, 9.528, 9.651, 9.774, 9.895,
	10.016, 10.135, 10.253, 10.371, 10.487, 10.603, 10.717, 10.831, 10.944, 11.056, 11.167, 11.277, 11.387,
}
