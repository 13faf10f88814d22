package account

import "math"

// GDP is the exact accountant of Gaussian events: it adds up mu^2, and its results are tight (Dong,
// Roth, Su 2022, Cor. 3.3). It treats events that are Gaussian or dominated by a Gaussian, and
// their compositions.
type GDP struct{}

func (GDP) String() string { return "exact Gaussian" }

var muSquareCost = additive{
	name: "exact Gaussian",
	leaf: func(e Event) (float64, bool) {
		if e, ok := e.(GDPEvent); ok {
			return squared(e.GDP(), 1), true
		}
		return 0, false
	},
	group: square,
}

// Mu returns the mu of an event.
func (GDP) Mu(e Event) (float64, error) {
	if err := checkArguments(e, 0, 0); err != nil {
		return math.NaN(), err
	}
	square, err := muSquareCost.of(e)
	return math.Sqrt(square), err
}

// Epsilon returns GaussianEpsilon of the event's mu.
func (g GDP) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	mu, err := g.Mu(e)
	if err != nil {
		return math.NaN(), err
	}
	return GaussianEpsilon(delta, mu), nil
}

// Delta returns GaussianDelta of the event's mu.
func (g GDP) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	mu, err := g.Mu(e)
	if err != nil {
		return math.NaN(), err
	}
	return GaussianDelta(epsilon, mu), nil
}
