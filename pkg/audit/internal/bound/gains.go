package bound

import (
	"math"
	"sort"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// gains holds the positive ones of the numbers (1 - e^(epsilon - L))+, and the count of all.
type gains struct {
	above []float64
	n     float64
}

// Excess returns the gains of log-likelihood ratios in descending order.
func Excess(ratios []float64, epsilon float64) gains {
	k := sort.Search(len(ratios), func(i int) bool { return ratios[i] <= epsilon })
	g := gains{make([]float64, k), float64(len(ratios))}
	for i := range g.above {
		g.above[i] = -portable.Expm1(epsilon - ratios[i])
	}
	return g
}

func (g gains) Mean() (m float64) {
	for _, x := range g.above {
		m += x
	}
	return m / g.n
}

// SE returns the standard error of the mean.
func (g gains) SE() float64 {
	var squares float64
	for _, x := range g.above {
		squares += float64(x * x)
	}
	m := g.Mean()
	return math.Sqrt(max(0, squares/g.n-float64(m*m)) / g.n)
}

// Capital returns the logarithm of the capital of a gambler who begins with 1 and stakes on each of
// the numbers in turn: the product of 1 + stake (x - m). If their mean is at most m, the capital
// reaches 1/alpha with probability at most alpha (Markov). It is -Inf if the stake is too high for
// m.
func (g gains) Capital(stake, m float64) float64 {
	if stake*m >= 1 {
		return math.Inf(-1)
	}
	sum := (g.n - float64(len(g.above))) * portable.Log1p(-stake*m)
	for _, x := range g.above {
		sum += portable.Log1p(stake * (x - m))
	}
	return sum
}

// AtMost returns the least of some epsilons up to the claim's at which delta is at most the claim's
// in both worlds, with probability 1 - alpha; 0 if there is none. The bound on a mean of numbers in
// [0, 1] is that of Maurer and Pontil, "Empirical Bernstein bounds and sample-variance
// penalization", 2009, Theorem 4.
func AtMost(sides [2]Side, claim privacy.Budget, alpha float64) float64 {
	const steps = 50
	for i := 1; i < steps; i++ {
		epsilon := claim.Epsilon * float64(i) / steps
		most := 0.0
		for _, s := range sides {
			x, log := Excess(s.Test, epsilon), portable.Log(2*2*steps/alpha)
			most = max(most, x.Mean()+float64(math.Sqrt(2*log)*x.SE())+float64(7*log/3)/(x.n-1))
		}
		if most <= claim.Delta {
			return epsilon
		}
	}
	return 0
}
