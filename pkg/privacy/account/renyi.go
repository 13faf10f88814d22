package account

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Renyi is the accountant of Rényi differential privacy: it adds up the divergences of each order
// and converts at the best order (Mironov 2017; Abadi et al. 2016). Of the divergence
// that an event states and those that its rho or pure epsilon imply, it takes the least.
type Renyi struct {
	Orders []float64 // orders alpha > 1 to try; none means 200, log-spaced from 1.01 to 10,000
}

func (Renyi) String() string { return "Rényi" }

// renyiCost returns the additive cost at order alpha.
func renyiCost(alpha float64) additive {
	return additive{
		name: "Rényi",
		leaf: func(e Event) (float64, bool) {
			divergence := math.Inf(1) // another order may still convert where this one is infinite
			renyi, a := e.(RenyiEvent)
			if a {
				divergence = renyi.Renyi(alpha)
			}
			concentrated, b := e.(ConcentratedEvent)
			if b {
				divergence = math.Min(divergence, alpha*concentrated.Rho())
			}
			pure, c := e.(PureEvent)
			if c { // randomised response is the worst pure event at every order
				divergence = math.Min(divergence, responseRenyi(alpha, pure.PureEpsilon(), 2))
			}
			return divergence, a || b || c
		},
		group: func(float64, int) (float64, bool) { return 0, false },
	}
}

func (r Renyi) orders() []float64 {
	if len(r.Orders) > 0 {
		return r.Orders
	}
	orders := make([]float64, 200)
	for i := range orders {
		orders[i] = 1 + portable.Exp(portable.Log(0.01)+float64(float64(i)/199*portable.Log(1e6)))
	}
	return orders
}

// Epsilon returns the least epsilon over all orders.
func (r Renyi) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	least := math.Inf(1)
	err := r.each(e, func(alpha, divergence float64) {
		if delta > 0 {
			least = math.Min(least, renyiEpsilon(alpha, divergence, delta))
		}
	})
	if err != nil {
		return math.NaN(), err
	}
	return math.Max(0, least), nil
}

// Delta returns the least delta over all orders.
func (r Renyi) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	least := 1.0
	err := r.each(e, func(alpha, divergence float64) {
		least = math.Min(least, renyiDelta(alpha, divergence, epsilon))
	})
	if err != nil {
		return math.NaN(), err
	}
	return least, nil
}

func (r Renyi) each(e Event, use func(alpha, divergence float64)) error {
	for _, alpha := range r.orders() {
		if !(alpha > 1) || math.IsInf(alpha, 1) {
			return positive("Renyi.Orders: alpha - 1", alpha-1)
		}
		divergence, err := renyiCost(alpha).of(e)
		if err != nil {
			return err
		}
		use(alpha, divergence)
	}
	return nil
}

// renyiEpsilon converts a divergence D of order alpha to an epsilon at delta: D +
// ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1) (Canonne, Kamath, Steinke 2020, Prop. 12).
func renyiEpsilon(alpha, divergence, delta float64) float64 {
	return divergence + portable.Log1p(-1/alpha) - (portable.Log(delta)+portable.Log(alpha))/(alpha-1)
}

// renyiDelta converts a divergence D of order alpha to a delta at epsilon, inverting renyiEpsilon:
// e^((alpha-1)(D-eps)) (1-1/alpha)^alpha/(alpha-1), and at most 1.
func renyiDelta(alpha, divergence, epsilon float64) float64 {
	if math.IsInf(divergence, 1) {
		return 1
	}
	delta := portable.Exp(float64((alpha-1)*(divergence-epsilon)) + float64(alpha*portable.Log1p(-1/alpha)) - portable.Log(alpha-1))
	if delta == 0 && !math.IsInf(epsilon, 1) {
		return math.SmallestNonzeroFloat64 // no divergence says that delta is 0
	}
	return math.Min(1, delta)
}
