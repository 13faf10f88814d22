package random

import (
	"math/bits"
	"math/rand/v2"
)

// The discrete samplers are exact: they compare random words with integers and nothing else, so that every outcome has its probability to the
// last bit, given independent uniform words. Floating-point samplers do not, and what their low bits give away breaks the
// privacy they are meant to buy (Mironov 2012). Their running time depends on what they draw: they are not constant-time code.

// bernoulli is true with probability num/den, which may exceed 1; den >= 1.
//
// With u uniform in [0, 1) it is u < num/den, and u's binary digits are drawn 64 at a time, as far as they are needed: after the word r what is
// left to decide is a Bernoulli of num 2^64/den - r, which is beyond [0, 1] but for one word in 2^64.
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
		// r den has 192 bits: top, mid, low.
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

// bernoulliExp is true with probability exp(-num/den), for 0 <= num <= den, den >= 1 (Canonne, Kamath, Steinke 2020, Algorithm 1).
//
// Draw Bernoulli(gamma/k) for k = 1, 2, ... until the first failure: the first k of them succeed with probability
// gamma^k/k!, so that the failure comes at an odd k with probability 1 - gamma + gamma^2/2 - ... = exp(-gamma).
func bernoulliExp(src rand.Source, num, den uint64) bool {
	k := uint64(1)
	for bernoulli(src, num, den) && (k == 1 || bernoulli(src, 1, k)) {
		k++
	}
	return k&1 == 1
}

// bernoulliExpWide is bernoulliExp for numbers of 128 bits and any num: exp(-gamma) is exp(-1) floor(gamma) times over, and exp(-frac(gamma)).
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

// below returns a uniform integer in [0, n), n >= 1: the high word of r n, where the first 2^64 mod n of the low words, those
// that some results have one time more than others, are rejected (Lemire 2019).
func below(src rand.Source, n uint64) uint64 {
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for surplus := -n % n; lo < surplus; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return hi
}

// maxPeriods bounds the number of successes in a row of Bernoulli(exp(-1)), an event of probability exp(-4096): beyond it
// there is no randomness in the source, and integers would overflow.
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
