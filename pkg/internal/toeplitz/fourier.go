package toeplitz

import "math"

// times returns a b, without the fused operations that the language allows for complex numbers.
func times(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// roots returns w with w[h+k] = exp(-i pi k/h) for h = 1, 2, 4, ..., n/2 and k < h: the roots of
// unity that transforms of up to n numbers need. Each is halfway between two others, so that no
// sine or cosine is computed.
func roots(n int) []complex128 {
	w := make([]complex128, n)
	w[1] = 1
	if n > 2 {
		w[2], w[3] = 1, complex(0, -1)
	}
	for h := 2; 2*h < n; h *= 2 {
		for k := range h {
			next := complex(-1, 0)
			if k+1 < h {
				next = w[h+k+1]
			}
			sum := w[h+k] + next
			length := math.Sqrt(float64(real(sum)*real(sum)) + float64(imag(sum)*imag(sum)))
			w[2*h+2*k], w[2*h+2*k+1] = w[h+k], complex(real(sum)/length, imag(sum)/length)
		}
	}
	return w
}

// transform replaces the numbers a by their discrete Fourier transform, in bit-reversed order.
// len(a) is a power of two, at most that of w, the roots.
func transform(a, w []complex128) {
	for h := len(a) / 2; h > 0; h /= 2 {
		roots := w[h : 2*h]
		for start := 0; start < len(a); start += 2 * h {
			low, high := a[start:start+h], a[start+h:start+2*h]
			high, roots := high[:len(low)], roots[:len(low)]
			for k, u := range low {
				v := high[k]
				low[k], high[k] = u+v, times(u-v, roots[k])
			}
		}
	}
}

// inverse undoes transform and multiplies by len(a).
func inverse(a, w []complex128) {
	for h := 1; h < len(a); h *= 2 {
		roots := w[h : 2*h]
		for start := 0; start < len(a); start += 2 * h {
			low, high := a[start:start+h], a[start+h:start+2*h]
			high, roots := high[:len(low)], roots[:len(low)]
			for k, u := range low {
				r := roots[k]
				v := times(high[k], complex(real(r), -imag(r)))
				low[k], high[k] = u+v, u-v
			}
		}
	}
}
