package privacy

import (
	"fmt"
	"math"
)

// Calibrate returns the least noise for a budget: the least scale > 0, to a relative 1e-7 and on the safe side, at which the accountant finds event(scale) within the
// budget. The event's cost has to fall in the scale.
func Calibrate(a Accountant, b Budget, event func(scale float64) Event) (float64, error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	if b.None() {
		return 0, nil
	}
	fits := func(scale float64) (bool, error) {
		if b.Delta == 0 {
			epsilon, err := a.Epsilon(event(scale), 0)
			return epsilon <= b.Epsilon, err
		}
		delta, err := a.Delta(event(scale), b.Epsilon)
		return delta <= b.Delta, err
	}
	high := 1.0
	ok, err := fits(high)
	for ; err == nil && !ok; ok, err = fits(high) {
		if high *= 2; high > 1e15 {
			return math.NaN(), fmt.Errorf("privacy: no scale up to %.2g has %v within %v by %v accounting", high/2, event(high/2), b, a)
		}
	}
	low := high / 2
	for err == nil && ok && low > 1e-15 { // until low is too little
		if ok, err = fits(low); err == nil && ok {
			high, low = low, low/2
		}
	}
	for err == nil && high/low > 1+1e-7 {
		middle := math.Sqrt(high * low)
		if ok, err = fits(middle); ok {
			high = middle
		} else {
			low = middle
		}
	}
	return high, err
}
