package bernoulli

import "github.com/dpbandits/dpbandits/pkg/internal/portable"

// Below tells whether kl(mean, q) <= level, over and over as the mean and the level change a little
// and q stays. The zero value is ready.
//
// It holds kl and its slope at a mean m near by. By the definition of kl,
//
//	kl(m+x, q) = kl(m, q) + x slope + kl(m+x, m),   slope = ln(m/q) - ln((1-m)/(1-q)),
//
// of which the last is at most x^2/(m (1-m)). Mostly that is enough, and there is no logarithm.
type Below struct{ mean, q, kl, slope, curve float64 }

// At reports whether kl(mean, q) <= level or mean >= q, but for rounding, for a mean in [0, 1].
func (b *Below) At(mean, q, level float64) bool {
	switch {
	case mean >= q:
		return true
	case !(mean > 0 && q < 1):
		return KL(mean, q) <= level
	case q == b.q:
		if x := mean - b.mean; b.kl+float64(x*(b.slope+float64(x*b.curve))) <= level {
			return true
		}
	}
	d := q - mean
	more, less := portable.Log1p(d/mean), portable.Log1p(-d/(1-mean))
	b.mean, b.q, b.slope, b.curve = mean, q, less-more, 1/(mean*(1-mean))
	b.kl = -(float64(mean*more) + float64((1-mean)*less))
	return b.kl <= level
}
