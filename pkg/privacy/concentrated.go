package privacy

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Concentrated is the accountant of zero-concentrated differential privacy: rhos add up (Bun and Steinke 2016). A
// pure event has rho = epsilon^2/2 (their Prop. 3.3) unless it says better itself.
type Concentrated struct{}

func (Concentrated) String() string { return "zCDP" }

var rhoCost = additive{
	name: "zCDP",
	leaf: func(e Event) (float64, bool) {
		switch e := e.(type) {
		case ConcentratedEvent:
			return e.Rho(), true
		case PureEvent:
			return e.PureEpsilon() * e.PureEpsilon() / 2, true
		}
		return 0, false
	},
	group: square,
}

// Epsilon converts the sum of the rhos by the best Rényi order: min over alpha > 1 of the conversion that Renyi has, of rho alpha. The
// standard conversion, rho + 2 sqrt(rho ln(1/delta)), is a little above.
func (Concentrated) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	rho, err := rhoCost.of(e)
	if err != nil {
		return math.NaN(), err
	}
	return ConcentratedEpsilon(rho, delta), nil
}

// Delta inverts Epsilon.
func (Concentrated) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	rho, err := rhoCost.of(e)
	if err != nil {
		return math.NaN(), err
	}
	return concentratedDelta(rho, epsilon), nil
}

func concentratedDelta(rho, epsilon float64) float64 {
	least := 1.0
	searchOrder(func(alpha float64) float64 {
		delta := renyiDelta(alpha, rho*alpha, epsilon)
		least = math.Min(least, delta)
		return delta
	})
	return least
}

// ConcentratedRho returns the largest rho, to rounding and on the safe side, such that rho-zCDP implies the budget by the best Rényi order: the inverse of ConcentratedEpsilon, and
// more than ZCDP returns. It is +Inf for epsilon = +Inf.
func ConcentratedRho(b Budget) (float64, error) {
	low, err := ZCDP(b) // the standard conversion is implied
	if err != nil || b.None() {
		return low, err
	}
	high := max(2*low, 1e-300) // the standard conversion may vanish
	for concentratedDelta(high, b.Epsilon) <= b.Delta {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := low + float64((high-low)/2); concentratedDelta(middle, b.Epsilon) <= b.Delta {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return 0, fmt.Errorf("privacy: no zCDP for epsilon = %v, delta = %v", b.Epsilon, b.Delta)
	}
	return low, nil
}

// ConcentratedEpsilon returns the epsilon that rho-zCDP implies at delta, by the best Rényi order. It is +Inf at delta = 0 for rho > 0.
func ConcentratedEpsilon(rho, delta float64) float64 {
	if delta == 0 && rho > 0 {
		return math.Inf(1)
	}
	if rho == 0 {
		return 0
	}
	least := ZCDPEpsilon(rho, delta)
	searchOrder(func(alpha float64) float64 {
		epsilon := renyiEpsilon(alpha, rho*alpha, delta)
		least = math.Min(least, epsilon)
		return epsilon
	})
	return math.Max(0, least)
}

// searchOrder looks for the order alpha > 1 at which f is least, by golden sections in ln(alpha - 1). Every value that f returns on the way
// is a valid bound, so that a search which stops short is no error.
func searchOrder(f func(alpha float64) float64) {
	const golden = 0.6180339887498949
	low, high := portable.Log(1e-6), portable.Log(1e8)
	at := func(x float64) float64 { return f(1 + portable.Exp(x)) }
	a, b := high-float64(golden*(high-low)), low+float64(golden*(high-low))
	fa, fb := at(a), at(b)
	for high-low > 1e-9 {
		if fa <= fb {
			high, b, fb = b, a, fa
			a = high - float64(golden*(high-low))
			fa = at(a)
		} else {
			low, a, fa = a, b, fb
			b = low + float64(golden*(high-low))
			fb = at(b)
		}
	}
}
