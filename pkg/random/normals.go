package random

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Normals is a fast generator of standard normal variables, for simulation.
//
// It draws blocks two to three times as fast as rand.Rand does one by one, as its state stays in
// registers: xoshiro256++ (Blackman and Vigna, 2019) under a ziggurat of 256 layers with 53-bit
// mantissas (Marsaglia and Tsang, 2000; in Doornik's form, 2005). Contexts and the noise of
// research runs are drawn with it: with one normal variable per coordinate they are most of a
// round's time. Never use it for noise that has to protect people.
type Normals struct{ s [4]uint64 }

// NewNormals returns a generator seeded with four draws of a source (a *rand.Rand is one too).
func NewNormals(r rand.Source) *Normals {
	g := new(Normals)
	g.Seed(r)
	return g
}

// Seed has the generator begin anew from four draws of a source.
func (g *Normals) Seed(r rand.Source) {
	for i := range g.s {
		g.s[i] = r.Uint64()
	}
	g.s[0] |= 1 // the all-zero state would repeat itself for ever
}

// The ziggurat for exp(-x^2/2): layers of equal area zigArea under the curve, the outermost
// starting at zigTail.
const (
	zigLayers = 256
	zigTail   = 3.6541528853610088
	zigArea   = 0.00492867323399
)

// zigLayer is a layer of the ziggurat. A place in it is a number of steps, from -2^52 to 2^52.
type zigLayer struct {
	inner int64   // fewer steps than this from 0, all is under the curve
	step  float64 // the layer's width over 2^52
}

var zigX, zig = func() (x [zigLayers + 1]float64, layers [zigLayers]zigLayer) {
	f := portable.Exp(-0.5 * zigTail * zigTail)
	x[0], x[1] = zigArea/f, zigTail
	for i := 2; i < zigLayers; i++ {
		x[i] = math.Sqrt(-2 * portable.Log(zigArea/x[i-1]+f))
		f = portable.Exp(-0.5 * x[i] * x[i])
	}
	for i := range layers {
		layers[i] = zigLayer{int64(math.Ceil(x[i+1] / x[i] * (1 << 52))), x[i] / (1 << 52)}
	}
	return
}()

// zigInner has the layers of the ziggurat for words as numbers in [-2^63, 2^63): one in [-inner,
// inner) gives the normal width times itself, but for rounding.
var zigInner = func() (of [zigLayers]struct {
	width float64
	inner uint64
}) {
	for i := range of {
		of[i].width = zigX[i] * 0x1p-63
		of[i].inner = uint64(max(0, zig[i].inner-4)) << 11
	}
	return of
}()

// normalOf returns the normal variable that a word stands for, and whether it is under the curve
// for sure, as 98.9% are. The low 8 bits choose the layer, the high 53 the place in it.
func normalOf(u uint64) (x float64, inner bool) {
	layer, place := &zig[uint8(u)], int64(u)>>11
	return float64(place) * layer.step, max(place, -place) < layer.inner
}

// Fill fills dst with independent standard normal variables. It does not allocate.
func (g *Normals) Fill(dst []float64) {
	s0, s1, s2, s3 := g.s[0], g.s[1], g.s[2], g.s[3]
	for i := range dst {
		var u uint64
		u, s0, s1, s2, s3 = step(s0, s1, s2, s3)
		x, inner := normalOf(u)
		if !inner {
			g.s = [4]uint64{s0, s1, s2, s3}
			x = g.edge(u)
			s0, s1, s2, s3 = g.s[0], g.s[1], g.s[2], g.s[3]
		}
		dst[i] = x
	}
	g.s = [4]uint64{s0, s1, s2, s3}
}

// edge finishes a draw that fell outside the layer's inner rectangle.
func (g *Normals) edge(u uint64) float64 {
	for {
		x, inner := normalOf(u)
		if inner {
			return x
		}
		layer := uint8(u)
		if layer == 0 { // the tail beyond zigTail (Marsaglia, 1964)
			for {
				tail := -portable.Log(1-g.Uniform()) / zigTail
				if -2*portable.Log(1-g.Uniform()) > tail*tail {
					return math.Copysign(zigTail+tail, x)
				}
			}
		}
		lo, hi := zigX[layer], zigX[int(layer)+1]
		f0, f1 := portable.Exp(-0.5*(float64(lo*lo)-float64(x*x))), portable.Exp(-0.5*(float64(hi*hi)-float64(x*x)))
		if f1+float64(g.Uniform()*(f0-f1)) < 1 {
			return x
		}
		u = g.next()
	}
}

// One draws a single standard normal variable.
func (g *Normals) One() float64 {
	var x [1]float64
	g.Fill(x[:])
	return x[0]
}

// Uniform draws a number of [0, 1), of 53 bits.
func (g *Normals) Uniform() float64 { return float64(float64(g.next()>>11) * (1.0 / (1 << 53))) }

func (g *Normals) next() (u uint64) {
	u, g.s[0], g.s[1], g.s[2], g.s[3] = step(g.s[0], g.s[1], g.s[2], g.s[3])
	return u
}

// step returns a number and the next state.
func step(s0, s1, s2, s3 uint64) (u, t0, t1, t2, t3 uint64) {
	u = bits.RotateLeft64(s0+s3, 23) + s0
	t := s1 << 17
	s2 ^= s0
	s3 ^= s1
	return u, s0 ^ s3, s1 ^ s2, s2 ^ t, bits.RotateLeft64(s3, 45)
}
