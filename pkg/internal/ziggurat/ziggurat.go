// Package ziggurat draws normal, exponential and Gumbel variables, the same on every machine.
package ziggurat

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Normal draws a standard normal variable: the number that r.NormFloat64 returns, but the same on
// every machine.
//
// It is the ziggurat of Marsaglia and Tsang ("The ziggurat method for generating random variables",
// 2000) with their tables of 128 layers. The one of math/rand compares exponentials whose last
// digits may differ between machines.
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		place := int32(u)
		layer := u >> 32 & 127
		x := float64(place) * float64(normalLayers.width[layer])
		// -2^31 is its own negative, and lies inside no layer.
		if uint32(max(place, -place)) < normalLayers.inner[layer] {
			return x
		}
		if layer == 0 {
			for {
				x = float64(-portable.Log(r.Float64()) * (1 / normalTail))
				y := -portable.Log(r.Float64())
				if 2*y >= x*x {
					return math.Copysign(normalTail+x, float64(place))
				}
			}
		}
		if normalLayers.under(layer, r, portable.Exp(-0.5*x*x)) {
			return x
		}
	}
}

// Exponential draws a standard exponential variable: the number that r.ExpFloat64 returns, but the
// same on every machine, by Marsaglia and Tsang's ziggurat of 256 layers.
func Exponential(r *rand.Rand) float64 {
	x, _ := exponential(r)
	return x
}

// Gumbel draws a standard Gumbel variable, -ln E for a standard exponential E. Its right tail is
// complete.
//
// The ziggurat's E lies on a grid of 2^32 steps, of which Exponential returns the lower end. The
// logarithm would end where the grid does, at about 22: so in the first 1024 steps, which one draw
// in four million meets, the place within the step is drawn, too.
func Gumbel(r *rand.Rand) float64 {
	switch x, step := exponential(r); {
	case x >= 1024*step:
		return -portable.Log(x)
	case x > 0:
		return -portable.Log(x + float64(step*r.Float64()))
	default: // -ln(step U), of a uniform U
		return Exponential(r) - portable.Log(step)
	}
}

// exponential returns a standard exponential variable, and the step of the grid that it lies on.
func exponential(r *rand.Rand) (x, step float64) {
	for {
		u := r.Uint64()
		place := uint32(u)
		layer := u >> 32 & 255
		step = float64(exponentialLayers.width[layer])
		x = float64(place) * step
		if place < exponentialLayers.inner[layer] {
			return x, step
		}
		if layer == 0 {
			rest := r.Float64()
			if rest == 0 { // below 2^-53
				return exponentialTail + float64(53*math.Ln2) + Exponential(r), step
			}
			return exponentialTail - portable.Log(rest), step
		}
		if exponentialLayers.under(layer, r, portable.Exp(-x)) {
			return x, step
		}
	}
}

// layers are Marsaglia and Tsang's tables of up to 256 equal areas under a falling density.
type layers struct {
	inner  [256]uint32  // a point below this lies under the density for sure
	width  [256]float32 // width of a layer, over the range of the integers
	height [256]float32 // the density at a layer's edge
}

// under reports whether a point of a layer, at a random height, lies under the density.
func (l *layers) under(layer uint64, r *rand.Rand, density float64) bool {
	rise := float32(float32(r.Float64()) * (l.height[layer-1] - l.height[layer]))
	return l.height[layer]+rise < float32(density)
}

const (
	normalTail      = 3.442619855899
	exponentialTail = 7.69711747013104972
)

var (
	normalLayers = newLayers(128, 1<<31, normalTail, 9.91256303526217e-3,
		func(x float64) float64 { return portable.Exp(-0.5 * x * x) },
		func(y float64) float64 { return math.Sqrt(-2 * portable.Log(y)) })
	exponentialLayers = newLayers(256, 1<<32, exponentialTail, 3.9496598225815571993e-3,
		func(x float64) float64 { return portable.Exp(-x) },
		func(y float64) float64 { return -portable.Log(y) })
)

// newLayers computes the tables for n layers of equal area. The lowest one includes the tail beyond
// edge.
func newLayers(n int, integers, edge, area float64, density, inverse func(float64) float64) (l layers) {
	base := area / density(edge)
	l.inner[0], l.inner[1] = uint32(edge/base*integers), 0
	l.width[0], l.width[n-1] = float32(base/integers), float32(edge/integers)
	l.height[0], l.height[n-1] = 1, float32(density(edge))
	for i := n - 2; i >= 1; i-- {
		before := edge
		edge = inverse(area/edge + density(edge))
		l.inner[i+1] = uint32(edge / before * integers)
		l.height[i], l.width[i] = float32(density(edge)), float32(edge/integers)
	}
	return l
}
