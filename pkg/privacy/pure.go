package privacy

import (
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Pure is the accountant of bounded privacy losses: epsilons add up (basic composition; Dwork, McSherry, Nissim, Smith 2006). It holds at every delta, and gains
// nothing from one.
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

// Delta returns 0 from the sum of the epsilons on. Below it, it is the bound of a pure event, the total variation of randomised response
// moved by epsilon: (e^sum - e^epsilon)/(e^sum + 1).
func (Pure) Delta(e Event, epsilon float64) (float64, error) {
	if err := checkArguments(e, epsilon, 0); err != nil {
		return math.NaN(), err
	}
	sum, err := pureCost.of(e)
	switch {
	case err != nil:
		return math.NaN(), err
	case epsilon >= sum:
		return 0, nil
	}
	return -portable.Expm1(epsilon-sum) / (1 + portable.Exp(-sum)), nil
}
