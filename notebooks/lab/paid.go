package lab

import (
	"slices"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Paid returns the regret a round between two rounds of a curve, on average. Where the curve does
// not have them, the next rounds that it has stand for them.
func Paid(c simulate.Curve, from, to float64) float64 {
	i := slices.IndexFunc(c.Rounds, func(t int) bool { return float64(t) >= from })
	k := slices.IndexFunc(c.Rounds, func(t int) bool { return float64(t) >= to })
	return (c.Mean[k] - c.Mean[i]) / float64(c.Rounds[k]-c.Rounds[i])
}

// PaidLate returns what a round costs in the last tenth of each curve, on average.
func PaidLate(curves []simulate.Curve) (late []float64) {
	for _, c := range curves {
		end := float64(c.Rounds[len(c.Rounds)-1])
		late = append(late, Paid(c, 0.9*end, end))
	}
	return late
}

// PaidUntil returns, for each curve, the last round up to which a round costs a price or more: 1 if
// none does. It looks at the rounds that the curve has, and at what a round costs between two.
func PaidUntil(curves []simulate.Curve, price float64) (rounds []float64) {
	for _, c := range curves {
		until := 1
		for k, t := range c.Rounds[1:] {
			if Paid(c, float64(c.Rounds[k]), float64(t)) >= price {
				until = t
			}
		}
		rounds = append(rounds, float64(until))
	}
	return rounds
}
