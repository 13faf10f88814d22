package random

import (
	"math"
	"math/rand/v2"
)

// Sphere fills dst with a uniform random point of the unit sphere. len(dst) >= 1.
func Sphere(r *rand.Rand, dst []float64) {
	for {
		var square float64
		for i := range dst {
			z := Normal(r)
			dst[i] = z
			square += float64(z * z)
		}
		if square > 0 {
			scale := 1 / math.Sqrt(square)
			for i := range dst {
				dst[i] *= scale
			}
			return
		}
	}
}

// Rademacher returns +1 with probability (1+mean)/2 and -1 otherwise, so that its expectation is
// mean, which must lie in [-1, 1]. It takes one draw of r.
func Rademacher(r *rand.Rand, mean float64) float64 {
	heads := 0 // a whole number is set without a jump, which a coin would mislead
	if 2*float64(r.Float64()) < 1+mean {
		heads = 1
	}
	return float64(2*heads - 1)
}
