package bound

import (
	"errors"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Lower bounds on the mean of numbers in [0, 1], by betting against it (Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting", 2024), with a stake that other runs
// have chosen. They hold for any law and any number of runs, and adapt to the variance, which is
// here far below that of a count with the same mean.

// Side holds the log-likelihood ratios of the runs in a world, in descending order: those that
// choose and those that test.
type Side struct{ Choose, Test []float64 }

// NewSide returns the side of ratios, which it sorts.
func NewSide(choose, test []float64) Side {
	for _, ratios := range [][]float64{choose, test} {
		slices.SortFunc(ratios, func(a, b float64) int {
			switch {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
	}
	return Side{choose, test}
}

// Bet is a stake at an epsilon, in the world with the larger delta.
type Bet struct {
	epsilon, stake float64
	World          int
	Growth         float64 // growth of the capital against the claim, in the runs that chose it
}

// ChooseBet chooses the world whose estimated delta, less two standard errors, is the larger. The
// stake is the one whose capital grows most against the estimate less four standard errors, or
// against the claimed delta if that is between the two.
func ChooseBet(sides [2]Side, epsilon, claimed float64) Bet {
	best, most := Bet{}, math.Inf(-1)
	for w, s := range sides {
		g := Excess(s.Choose, epsilon)
		mean, chance := g.Mean(), g.SE()
		if value := mean - float64(2*chance); value > most {
			most = value
			against := max(mean-float64(4*chance), 1e-3/g.n)
			if claimed < mean {
				against = max(against, claimed)
			}
			if against >= 1 { // every run tells the worlds apart: no capital grows against 1
				against = 1 - 1e-3
			}
			best = Bet{epsilon: epsilon, stake: g.stake(against), World: w}
			best.Growth = g.Capital(best.stake, claimed)
		}
	}
	return best
}

// stake returns the stake that makes the capital against a mean m > 0 the largest. The capital's
// logarithm is concave in it.
func (g gains) stake(m float64) float64 {
	slope := func(stake float64) float64 {
		sum := -(g.n - float64(len(g.above))) * m / (1 - float64(stake*m))
		for _, x := range g.above {
			sum += (x - m) / (1 + float64(stake*(x-m)))
		}
		return sum
	}
	lo, hi := 0.0, 0.999/m
	if m >= 1 || slope(lo) <= 0 {
		return 0
	}
	for range 40 {
		if hi-lo < 1e-3*hi {
			break
		}
		if mid := (lo + hi) / 2; slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Capital returns the logarithm of the bet's capital on fresh runs, against a delta of m.
func (b Bet) Capital(test []float64, m float64) float64 {
	return Excess(test, b.epsilon).Capital(b.stake, m)
}

// AtLeast returns the largest delta that the fresh runs exclude with confidence 1 - alpha.
func (b Bet) AtLeast(test []float64, alpha float64) float64 {
	g := Excess(test, b.epsilon)
	goal := -portable.Log(alpha)
	if b.stake == 0 || g.Capital(b.stake, 0) < goal {
		return 0
	}
	lo, hi := 0.0, min(1, 1/b.stake)
	for range 40 {
		if hi-lo < 1e-4*hi {
			break
		}
		if mid := (lo + hi) / 2; g.Capital(b.stake, mid) >= goal {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// refusal bounds the probability of refusing a right density, in each world.
const refusal = 1e-9

// Consistent refuses densities that are narrower than the noise. It tests whether e^-L averages
// above 1: that mean is the other world's probability of the releases that this world can have. One
// half of the runs chooses the stakes, the other half is bet on.
func (s Side) Consistent() error {
	excess := func(ratios []float64) (x []float64) {
		for _, l := range ratios {
			x = append(x, portable.Expm1(min(-l, 500)))
		}
		return x
	}
	choose, test := excess(s.Choose), excess(s.Test)
	var sum, squares float64
	for _, x := range choose {
		sum += x
		squares += float64(x * x)
	}
	if sum <= 0 {
		return nil
	}
	stake := min(0.5, sum/squares) // the maximum of the capital's quadratic expansion
	capital := 0.0
	for _, x := range test {
		capital += portable.Log1p(stake * x)
	}
	if capital > -portable.Log(refusal) {
		return errors.New("it is not that of the release: e^-L averages above 1, so that it is narrower than the noise")
	}
	return nil
}
