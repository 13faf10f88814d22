package account

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Pure is the accountant of pure differential privacy, which adds up epsilons: basic composition
// (Dwork, McSherry, Nissim, Smith 2006). It holds at every delta, and gains nothing from delta > 0.
type Pure struct{}

func (Pure) String() string { return "pure" }

var pureCost = additive{
	name: "pure",
	leaf: func(e Event) (float64, bool) {
		if e, ok := e.(PureEvent); ok {
			return e.PureEpsilon(), true
		}
		return 0, false
	},
	group: func(cost float64, k int) (float64, bool) { return cost * float64(k), true },
}

// Epsilon returns the sum of the epsilons.
func (Pure) Epsilon(e Event, delta float64) (float64, error) {
	if err := checkArguments(e, 0, delta); err != nil {
		return math.NaN(), err
	}
	sum, err := pureCost.of(e)
	if err != nil {
		return math.NaN(), err
	}
	return sum, nil
}

// Delta returns 0 if epsilon is at least the sum of the epsilons. Otherwise it returns the delta of
// randomised response at epsilon, the worst pure event: (e^sum - e^epsilon)/(e^sum + 1).
func (Pure) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	sum, err := pureCost.of(e)
	switch {
	case err != nil:
		return math.NaN(), err
	case math.IsInf(sum, 1):
		return 1, nil
	case epsilon >= sum:
		return 0, nil
	}
	return -portable.Expm1(epsilon-sum) / (1 + portable.Exp(-sum)), nil
}
