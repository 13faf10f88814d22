package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// Calibrate returns the least noise for a budget: the least scale > 0 at which the accountant finds
// event(scale) within the budget.
//
// It is accurate to a relative 1e-7, on the safe side. Epsilon = +Inf gives 0. The event's cost
// must fall in the scale; if it does not, the scale returned is still within the budget. The
// accountant is asked some ten times, and once more for each factor of 2 between the scale and 1.
func (b Budget) Calibrate(a account.Accountant, event func(scale float64) account.Event) (float64, error) {
	if a == nil || event == nil {
		return math.NaN(), errors.New("privacy: Calibrate without an accountant or an event, want both")
	}
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	if b.None() {
		return 0, nil
	}
	// excess is ln(cost/budget), clamped to values that a secant can use; at most 0 if within the
	// budget.
	excess := func(scale float64) (float64, error) {
		var cost, limit float64
		var err error
		if b.Delta == 0 {
			limit = b.Epsilon
			cost, err = a.Epsilon(event(scale), 0)
		} else {
			limit = b.Delta
			cost, err = a.Delta(event(scale), b.Epsilon)
		}
		switch y := portable.Log(cost / limit); {
		case cost <= limit:
			return math.Min(math.Max(y, -100), 0), err
		case math.IsNaN(y):
			return 100, err
		default:
			return math.Min(math.Max(y, 1e-15), 100), err
		}
	}
	high := bound{}
	low := bound{}
	var err error
	if high.y, err = excess(1); err != nil {
		return math.NaN(), err
	}
	for low = high; high.y > 0; {
		low = high
		if high.x += math.Ln2; high.x > portable.Log(1e15) {
			return math.NaN(), fmt.Errorf("privacy: no scale up to 1e15 has %v within %v by %v accounting", event(1e15), b, a)
		}
		if high.y, err = excess(portable.Exp(high.x)); err != nil {
			return math.NaN(), err
		}
	}
	for low.y <= 0 && low.x > portable.Log(1e-15) { // until low is too little noise
		high = low
		low.x -= math.Ln2
		if low.y, err = excess(portable.Exp(low.x)); err != nil {
			return math.NaN(), err
		}
	}
	scale := portable.Exp(high.x)
	const within = 1e-7
	for step := 1; high.x-low.x > within && low.y > 0; step++ {
		at := bound{x: low.x + float64((high.x-low.x)/2)}
		if step%4 != 0 { // a secant, with a bisection now and then to bound the worst case
			at.x = low.x + (high.x-low.x)*low.y/(low.y-high.y)
			at.x = math.Min(math.Max(at.x, low.x+0.4*within), high.x-0.4*within)
		}
		if at.y, err = excess(portable.Exp(at.x)); err != nil {
			return math.NaN(), err
		}
		if at.y <= 0 {
			if high.moved {
				low.y /= 2 // the Illinois rule makes both ends close in
			}
			high, low.moved, scale = at, false, portable.Exp(at.x)
			high.moved = true
		} else {
			if low.moved {
				high.y /= 2
			}
			low, high.moved = at, false
			low.moved = true
		}
	}
	return scale, nil
}

// bound is an end of Calibrate's bracket: x = ln(scale) and the excess y there. moved says that it
// was the last end to move.
type bound struct {
	x, y  float64
	moved bool
}
