package random

import (
	"math/bits"
	"math/rand/v2"
)

// The discrete samplers are exact. They only compare random words with integers, so that every
// outcome has its probability to the last bit, given independent uniform words. Floating-point
// samplers do not, and their low bits break the privacy that they are meant to buy (Mironov 2012).
// The running time of these samplers depends on what they draw: they are not constant-time code.

// bernoulli returns true with probability min(1, num/den), den >= 1.
//
// It decides u < num/den for u uniform in [0, 1), and draws u's binary digits 64 at a time, as far
// as they are needed. After the word r, a Bernoulli of num 2^64/den - r is left to decide, which is
// in [0, 1] for one word in 2^64 only.
func bernoulli(src rand.Source, num, den uint64) bool {
	for num < den {
		hi, lo := bits.Mul64(src.Uint64(), den)
		if hi >= num {
			return false // num 2^64 - r den <= 0
		}
		rest, borrow := bits.Sub64(0, lo, 0)
		if num-hi-borrow > 0 {
			return true // num 2^64 - r den >= 2^64 > den
		}
		num = rest
	}
	return true
}

// wide is a number of 128 bits.
type wide struct{ hi, lo uint64 }

func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

// bernoulliWide is bernoulli for numbers of 128 bits.
func bernoulliWide(src rand.Source, num, den wide) bool {
	for num.less(den) {
		r := src.Uint64()
		// The product r den has 192 bits: top, mid, low.
		carry, low := bits.Mul64(r, den.lo)
		top, mid := bits.Mul64(r, den.hi)
		mid, c := bits.Add64(mid, carry, 0)
		top += c
		if whole := (wide{top, mid}); !whole.less(num) {
			return false
		}
		rest, borrow := bits.Sub64(0, low, 0)
		mid, borrow = bits.Sub64(num.lo, mid, borrow)
		top, _ = bits.Sub64(num.hi, top, borrow)
		if top > 0 {
			return true
		}
		num = wide{mid, rest}
	}
	return true
}

// bernoulliExp returns true with probability exp(-num/den), for 0 <= num <= den, den >= 1 (Canonne,
// Kamath, Steinke 2020, Algorithm 1).
//
// It draws Bernoulli(gamma/k) for k = 1, 2, ... until the first failure, with gamma = num/den. The
// first k of them succeed with probability gamma^k/k!, so that the failure comes at an odd k with
// probability 1 - gamma + gamma^2/2 - ... = exp(-gamma).
func bernoulliExp(src rand.Source, num, den uint64) bool {
	k := uint64(1)
	for bernoulli(src, num, den) && (k == 1 || bernoulli(src, 1, k)) {
		k++
	}
	return k&1 == 1
}

// bernoulliExpWide is bernoulliExp for numbers of 128 bits and any num. It is true if floor(gamma)
// draws of exp(-1) and one of exp(-frac(gamma)) are.
func bernoulliExpWide(src rand.Source, num, den wide) bool {
	for !num.less(den) {
		if !bernoulliExp(src, 1, 1) {
			return false
		}
		num = num.minus(den)
	}
	k := uint64(1)
	for bernoulliWide(src, num, den) && (k == 1 || bernoulli(src, 1, k)) {
		k++
	}
	return k&1 == 1
}

// below returns a uniform integer in [0, n), n >= 1: the high word of r n. It rejects the first
// 2^64 mod n of the low words, which would make some results likelier than others (Lemire 2019).
func below(src rand.Source, n uint64) uint64 {
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for surplus := -n % n; lo < surplus; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return hi
}

// maxPeriods bounds the number of successes in a row of Bernoulli(exp(-1)). More have probability
// exp(-4096): then the source is not random, and integers would overflow.
const maxPeriods = 1 << 12

// periods returns the number of successes of Bernoulli(exp(-1)) before the first failure.
func periods(src rand.Source) uint64 {
	v := uint64(0)
	for bernoulliExp(src, 1, 1) {
		if v++; v == maxPeriods {
			panic("random: 4096 successes of probability exp(-1) in a row: the source of randomness is broken")
		}
	}
	return v
}

// isqrt returns floor(sqrt(n)).
func isqrt(n uint64) uint64 {
	root := uint64(0)
	for bit := uint64(1) << 31; bit > 0; bit >>= 1 {
		if try := root | bit; try*try <= n {
			root = try
		}
	}
	return root
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
