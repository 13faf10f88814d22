package account

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Concentrated is the accountant of zero-concentrated differential privacy, which adds up rhos (Bun
// and Steinke 2016). A pure event has rho = epsilon^2/2 (their Prop. 3.3), unless it states a rho.
type Concentrated struct{}

func (Concentrated) String() string { return "zCDP" }

var rhoCost = additive{
	name: "zCDP",
	leaf: func(e Event) (float64, bool) {
		switch e := e.(type) {
		case ConcentratedEvent:
			return e.Rho(), true
		case PureEvent:
			return squared(e.PureEpsilon(), 2), true
		}
		return 0, false
	},
	group: square,
}

// Epsilon converts the sum of the rhos at the best Rényi order alpha > 1, by Renyi's conversion of
// the divergence rho alpha. The standard conversion, rho + 2 sqrt(rho ln(1/delta)), is slightly
// larger.
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

// Delta returns the least delta over the same orders at which the event is (epsilon,
// delta)-private.
func (Concentrated) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	rho, err := rhoCost.of(e)
	if err != nil {
		return math.NaN(), err
	}
	return ConcentratedDelta(rho, epsilon), nil
}

// ConcentratedDelta returns the least delta at which rho-zCDP implies epsilon, over the Rényi
// orders that a search tries. It is 1 unless rho and epsilon are at least 0.
func ConcentratedDelta(rho, epsilon float64) float64 {
	least := 1.0
	if !(rho >= 0) || !(epsilon >= 0) {
		return least
	}
	searchOrder(func(alpha float64) float64 {
		delta := renyiDelta(alpha, rho*alpha, epsilon)
		least = math.Min(least, delta)
		return delta
	})
	return least
}

// ConcentratedEpsilon returns the epsilon that rho-zCDP implies at delta, at the best Rényi order.
// It is +Inf at delta = 0 for rho > 0, and unless rho >= 0 and delta is in [0, 1).
func ConcentratedEpsilon(rho, delta float64) float64 {
	if !(rho >= 0) || !(delta >= 0 && delta < 1) || delta == 0 && rho > 0 {
		return math.Inf(1)
	}
	if rho == 0 {
		return 0
	}
	least := zcdpEpsilon(rho, delta)
	searchOrder(func(alpha float64) float64 {
		epsilon := renyiEpsilon(alpha, rho*alpha, delta)
		least = math.Min(least, epsilon)
		return epsilon
	})
	return math.Max(0, least)
}

// searchOrder looks for the order alpha > 1 at which f is least, by golden sections in ln(alpha -
// 1). Every value that f returns on the way is a valid bound, so stopping short costs tightness
// only.
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

// zcdpEpsilon returns the epsilon that rho-zCDP implies at delta: rho + 2 sqrt(rho ln(1/delta)). It
// is +Inf unless rho >= 0 and delta is in [0, 1).
func zcdpEpsilon(rho, delta float64) float64 {
	switch {
	case !(rho >= 0) || !(delta >= 0 && delta < 1):
		return math.Inf(1)
	case rho == 0:
		return 0
	}
	return rho + float64(2*math.Sqrt(rho*portable.Log(1/delta)))
}
