package loss

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/internal/numeric"
)

// roundoff is the unit roundoff of a float64.
const roundoff = 0x1p-53

// power is a law that is composed with itself, times times.
type power struct {
	law
	times int
}

// compose convolves laws on one grid and with one tilt by the fast Fourier transform, as a bound
// above or below (Koskela, Jälkö, Honkela, "Computing tight differential privacy guarantees using
// FFT", 2020; Gopi, Lee, Wutschitz, "Numerical composition of differential privacy", 2021).
//
// The window holds all of the tilted mass except at most windowTail at either end, by Chernoff's
// bound. What is outside wraps around and is charged as err: misplaced tilted mass m changes
// delta(epsilon) by at most m e^{scale - theta epsilon}.
//
// Rounding errors are charged with u = 2^-53. A transform of n points of total mass 1 is off by
// less than rho = 8 u (log2 n + 1) in each coefficient. A product z_1^k_1 z_2^k_2 ... is off by
// less than rho sum_g k_g/(|z_g|+rho) prod_g (|z_g|+rho)^k_g. A mass is off by at most the mean of
// these, plus the error of the inverse transform: each mass is raised or lowered by that.
func compose(parts []power, upper bool) (law, error) {
	out := law{h: parts[0].h, theta: parts[0].theta}
	finite, length := 0.0, 1 // ln of the probability that no loss is infinite
	for _, p := range parts {
		k := float64(p.times)
		if p.w == nil { // the loss is infinite for sure
			return law{h: out.h, theta: out.theta, inf: 1, scale: math.Inf(-1)}, nil
		}
		out.off += p.off * p.times
		out.scale += float64(k * p.scale)
		out.shift += float64(k * p.shift)
		out.err += float64(k * p.err)
		finite += float64(k * portable.Log1p(-p.inf))
		length += (len(p.w) - 1) * p.times
	}
	out.inf = -portable.Expm1(finite)
	if len(parts) == 1 && parts[0].times == 1 {
		out.w = parts[0].w
		return out, nil
	}
	lo, hi := 0, length-1
	if a, b := window(parts, out.off); b-a+1 < length {
		lo, hi = max(lo, a), min(hi, b)
		out.err += 2 * windowTail
	}
	if hi-lo >= maxWindow {
		return law{}, fmt.Errorf("privacy: a grid of spacing %.3g needs %d points for the loss of the composition, want at most %d", out.h, hi-lo+1, maxWindow)
	}
	n := fastLength(hi - lo + 1)
	transform := fourier.NewFFT(n)
	rho := float64(8 * roundoff * (portable.Log2(float64(n)) + 1))
	product := make([]complex128, n/2+1)
	noise := make([]float64, n/2+1)
	for f := range product {
		product[f] = 1
	}
	bound := make([]float64, n/2+1) // ln prod (|z|+rho)^k
	var coefficients []complex128
	for _, p := range parts {
		x := make([]float64, n)
		for j, v := range p.w {
			x[j%n] += v
		}
		coefficients = transform.Coefficients(coefficients, x)
		k := float64(p.times)
		for f, z := range coefficients {
			r := portable.Hypot(real(z), imag(z))
			size := portable.Log(r + rho)
			noise[f] += k * rho / (r + rho)
			bound[f] += float64(k * size)
			if bound[f] < -200 || r == 0 {
				product[f] = 0
				noise[f]++
				continue
			}
			for left := p.times; ; z = multiply(z, z) {
				if left&1 == 1 {
					product[f] = multiply(product[f], z)
				}
				if left >>= 1; left == 0 {
					break
				}
			}
		}
	}
	total := 0.0
	for f, v := range noise {
		share := 2.0
		if f == 0 || 2*f == n {
			share = 1
		}
		total += float64(share * portable.Exp(bound[f]) * (v + rho))
	}
	total /= float64(n)
	if !upper {
		total = -total
	}
	x := transform.Sequence(nil, product)
	out.w = make([]float64, hi-lo+1)
	for j := range out.w {
		out.w[j] = math.Max(0, x[(lo+j)%n]/float64(n)+total)
	}
	out.off += lo
	out.normalise()
	return out, nil
}

// multiply returns a b, with products that no processor fuses with their sum.
func multiply(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// maxWindow is the largest number of points of an FFT.
const maxWindow = 1 << 25

// windowTail bounds the tilted mass outside of the window of an FFT, at either end.
const windowTail = 1e-14

// window returns the first and last index, relative to off, of a window that holds a composition's
// tilted mass except at most windowTail at either end.
func window(parts []power, off int) (lo, hi int) {
	h := parts[0].h
	mean, variance := 0.0, 0.0
	for _, p := range parts {
		m, v := p.moments()
		mean += float64(float64(p.times) * m)
		variance += float64(float64(p.times) * v)
	}
	// Any s is valid in Chernoff's bound unless e^{sh} overflows.
	variance = math.Max(variance, 0.01*h*h)
	reach := func(sign float64) float64 {
		// Chernoff: P(sign (L - mean) > t) <= e^{K(s) - s t}, with t = (K(s) - ln tail)/s. K is the
		// cumulant generating function of sign (L - mean).
		at := func(logs float64) float64 {
			s, sum := portable.Exp(logs), 0.0
			for _, p := range parts {
				sum += float64(float64(p.times) * p.logMoment(sign*s))
			}
			return (sum - float64(sign*s*mean) - portable.Log(windowTail)) / s
		}
		centre := portable.Log(8 / math.Sqrt(variance))
		return at(numeric.Golden(centre-3, centre+2, 9, at))
	}
	low, high := (mean-reach(-1))/h, (mean+reach(1))/h
	const wide = 1 << 40
	// The tilt is so strong that the moments are not finite.
	if !(low > -wide && high < wide && low <= high) {
		return -wide, wide
	}
	return int(math.Floor(low)) - off - 1, int(math.Ceil(high)) - off + 1
}

// fastLength returns the least 2^a, 3 2^a or 5 2^a that is even and at least n.
func fastLength(n int) int {
	best := math.MaxInt
	for _, m := range []int{2, 6, 10} {
		for m < n {
			m *= 2
		}
		best = min(best, m)
	}
	return best
}
