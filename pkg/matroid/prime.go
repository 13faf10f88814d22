package matroid

import (
	"math/big"
	"math/bits"
)

// Arithmetic modulo a prime p, 2^60 < p < 2^61. Numbers are in [0, p).

// Arithmetic modulo a prime p with 2^60 < p < 2^61. Numbers are in [0, p).
const mersenne = 1<<61 - 1

// primesAbove returns 2^61-1 and the next smaller primes, until the square of their product exceeds
// the given number.
func primesAbove(square *big.Int) []uint64 {
	primes := []uint64{mersenne}
	product := new(big.Int).SetUint64(mersenne)
	for new(big.Int).Mul(product, product).Cmp(square) <= 0 {
		p := new(big.Int).SetUint64(primes[len(primes)-1] - 2)
		for !p.ProbablyPrime(0) { // exact below 2^64
			p.Sub(p, big.NewInt(2))
		}
		primes = append(primes, p.Uint64())
		product.Mul(product, p)
	}
	return primes
}

// residue returns x mod p.
func residue(x int64, p uint64) uint64 {
	r := x % int64(p)
	if r < 0 {
		r += int64(p)
	}
	return uint64(r)
}

// mul returns a b mod p. Modulo 2^61-1, the bits from 61 upwards of the product count as the bits
// from 0 upwards.
func mul(a, b, p uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if p != mersenne {
		_, r := bits.Div64(hi, lo, p)
		return r
	}
	r := hi<<3 | lo>>61
	if r += lo & mersenne; r >= mersenne {
		r -= mersenne
	}
	return r
}

// addMul adds c times src to dst, which has the same length.
func addMul(dst, src []uint64, c, p uint64) {
	dst = dst[:len(src)]
	switch {
	case c == 1:
		for i, x := range src {
			dst[i] = reduce(dst[i]+x, p)
		}
	case c == p-1:
		for i, x := range src {
			dst[i] = reduce(dst[i]+p-x, p)
		}
	case c != 0:
		for i, x := range src {
			if x != 0 {
				dst[i] = reduce(dst[i]+mul(c, x, p), p)
			}
		}
	}
}

// reduce brings a number below 2 p into [0, p).
func reduce(x, p uint64) uint64 {
	if x >= p {
		x -= p
	}
	return x
}

// inverse returns 1/x mod p for nonzero x, as x^(p-2) by Fermat's little theorem.
func inverse(x, p uint64) uint64 {
	if x == 1 || x == p-1 {
		return x
	}
	y := uint64(1)
	for e := p - 2; e > 0; e >>= 1 {
		if e&1 == 1 {
			y = mul(y, x, p)
		}
		x = mul(x, x, p)
	}
	return y
}
