package audit

import (
	"errors"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// Lower bounds on the mean of numbers in [0, 1], by betting against it (Waudby-Smith and Ramdas,
// "Estimating means of bounded random variables by betting", 2024), with a stake that other runs
// have chosen. They hold for any law and any number of runs, and adapt to the variance, which is
// here far below that of a count with the same mean.

// bet is a stake at an epsilon, in the world with the larger delta.
type bet struct {
	epsilon, stake float64
	world          int
	growth         float64 // growth of the capital against the claim, in the runs that chose it
}

// chooseBet chooses the world whose estimated delta, less two standard errors, is the larger. The
// stake is the one whose capital grows most against the estimate less four standard errors, or
// against the claimed delta if that is between the two.
func chooseBet(sides [2]side, epsilon, claimed float64) bet {
	best, most := bet{}, math.Inf(-1)
	for w, s := range sides {
		g := excess(s.choose, epsilon)
		mean, chance := g.mean(), g.error()
		if value := mean - float64(2*chance); value > most {
			most = value
			against := max(mean-float64(4*chance), 1e-3/g.n)
			if claimed < mean {
				against = max(against, claimed)
			}
			if against >= 1 { // every run tells the worlds apart: no capital grows against 1
				against = 1 - 1e-3
			}
			best = bet{epsilon: epsilon, stake: g.stake(against), world: w}
			best.growth = g.capital(best.stake, claimed)
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

// capital returns the logarithm of the bet's capital on fresh runs, against a delta of m.
func (b bet) capital(test []float64, m float64) float64 {
	return excess(test, b.epsilon).capital(b.stake, m)
}

// atLeast returns the largest delta that the fresh runs exclude with confidence 1 - alpha.
func (b bet) atLeast(test []float64, alpha float64) float64 {
	g := excess(test, b.epsilon)
	goal := -portable.Log(alpha)
	if b.stake == 0 || g.capital(b.stake, 0) < goal {
		return 0
	}
	lo, hi := 0.0, min(1, 1/b.stake)
	for range 40 {
		if hi-lo < 1e-4*hi {
			break
		}
		if mid := (lo + hi) / 2; g.capital(b.stake, mid) >= goal {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// refusal bounds the probability of refusing a right density, in each world.
const refusal = 1e-9

// consistent refuses densities that are narrower than the noise. It tests whether e^-L averages
// above 1: that mean is the other world's probability of the releases that this world can have. One
// half of the runs chooses the stakes, the other half is bet on.
func (s side) consistent() error {
	excess := func(ratios []float64) (x []float64) {
		for _, l := range ratios {
			x = append(x, portable.Expm1(min(-l, 500)))
		}
		return x
	}
	choose, test := excess(s.choose), excess(s.test)
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
