package random

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Binomial is the distribution of the number of successes in Trials independent trials of
// probability p.
//
// It is drawn from a table by the alias method (Walker 1977; Vose 1991): a random word and two
// look-ups a draw, whatever the parameters. The table holds the values within some ten standard
// deviations of the mode; those beyond have a total probability below 1e-19. The law drawn is
// within Error of the binomial one in total variation: masses are computed in floating point, and a
// word chooses among at most some 2^22 values.
type Binomial struct {
	trials int64
	p      float64
	low    int64    // the table's first value
	keep   []uint64 // value i is kept if the second half of the draw is below this
	other  []int32  // otherwise it becomes this value
}

// NewBinomial returns the distribution, for trials >= 0 and p in [0, 1]. trials p (1-p) must be at
// most 4e10, as the table has the values of some 20 standard deviations.
func NewBinomial(trials int64, p float64) (*Binomial, error) {
	if trials < 0 {
		return nil, fmt.Errorf("random: NewBinomial of %d trials, want >= 0", trials)
	}
	if !(p >= 0 && p <= 1) {
		return nil, fmt.Errorf("random: NewBinomial of probability %v, want in [0, 1]", p)
	}
	if variance := float64(trials) * p * (1 - p); !(variance <= 4e10) {
		return nil, fmt.Errorf("random: NewBinomial of variance %v, want <= 4e10", variance)
	}
	low, mass := binomialMasses(trials, p)
	b := &Binomial{trials: trials, p: p, low: low}
	b.keep, b.other = aliases(mass)
	return b, nil
}

// binomialMasses returns the masses from low on, relative to that of the mode. Their ratios fall
// away from the mode, so that what is omitted at either end is less than the last mass times some
// 10 standard deviations.
func binomialMasses(trials int64, p float64) (low int64, mass []float64) {
	const least = 1e-24
	n := float64(trials)
	mode := int64(min(math.Floor((n+1)*p), n))
	if p == 0 || p == 1 {
		return mode, []float64{1}
	}
	var down, up []float64
	for m, k := 1.0, float64(mode); k > 0; k-- {
		if m *= k * (1 - p) / ((n - k + 1) * p); m < least {
			break
		}
		down = append(down, m)
	}
	for m, k := 1.0, float64(mode)+1; k <= n; k++ {
		if m *= (n - k + 1) * p / (k * (1 - p)); m < least {
			break
		}
		up = append(up, m)
	}
	for i := len(down) - 1; i >= 0; i-- {
		mass = append(mass, down[i])
	}
	mass = append(append(mass, 1), up...)
	return mode - int64(len(down)), mass
}

// aliases makes the table of positive masses, in which each entry is shared by a value and one
// other.
func aliases(mass []float64) (keep []uint64, other []int32) {
	n := len(mass)
	keep, other = make([]uint64, n), make([]int32, n)
	sum := 0.0
	for _, m := range mass {
		sum += m
	}
	share := make([]float64, n) // in units of the mean mass
	var small, large []int32
	for i, m := range mass {
		share[i] = m / sum * float64(n)
		keep[i], other[i] = math.MaxUint64, int32(i)
		if share[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		keep[s], other[s] = uint64(share[s]*(1<<63))<<1, l
		if share[l] -= 1 - share[s]; share[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return keep, other // the remaining shares are 1, up to rounding
}

// Trials returns the number of trials.
func (b *Binomial) Trials() int64 { return b.trials }

// P returns the probability of a success.
func (b *Binomial) P() float64 { return b.p }

// Error returns a bound on the total variation distance between the law drawn and the binomial one.
func (b *Binomial) Error() float64 {
	return 1e-14 + float64(1e-17*math.Sqrt(float64(b.trials)*b.p*(1-b.p)))
}

// Rand draws a number in [0, Trials]. It does not allocate.
func (b *Binomial) Rand(src rand.Source) int64 { return b.of(src.Uint64()) }

// Fill fills dst with independent draws.
func (b *Binomial) Fill(src rand.Source, dst []int64) {
	if r, ok := src.(*rand.Rand); ok { // the same, with a call less a draw
		for i := range dst {
			dst[i] = b.of(r.Uint64())
		}
		return
	}
	for i := range dst {
		dst[i] = b.of(src.Uint64())
	}
}

// of returns the number that a random word stands for.
func (b *Binomial) of(word uint64) int64 {
	i, rest := bits.Mul64(word, uint64(len(b.keep)))
	value, other := int64(i), int64(b.other[i])
	if rest >= b.keep[i] {
		value = other // as good as a coin's toss, so it had better not be a jump: here it is a move
	}
	return b.low + value
}
