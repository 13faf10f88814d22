package environment

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
	"gonum.org/v1/gonum/mat"
)

// Linear is an environment whose mean rewards are linear in its contexts.
type Linear interface {
	bandit.Environment
	Theta() []float64 // the true parameter, of this trial
}

var (
	_ Linear = (*Sparse)(nil)
	_ Linear = (*SphereArms)(nil)
)

// Conditions are what theorems on linear bandits assume of an environment, as measured on its
// contexts x.
type Conditions struct {
	Entry, Norm float64 // the largest |x_j|, and the largest Euclidean norm of a context
	// Margin is the share of rounds in which the means of the first two arms are within a gap, over
	// that gap. A margin condition asks for a bound on it, for all gaps.
	Margin float64
	// All is the least eigenvalue of the mean of x x' over the contexts of all arms, and Best that
	// over the best arm of each round. It is positive if no direction is hidden.
	All, Best float64
}

// Measure plays rounds of an environment and returns its conditions. It starts env anew, with the
// contexts of the first trial of an experiment with that seed. gap > 0 is that of the margin.
func Measure(env Linear, seed uint64, rounds int, gap float64) (c Conditions, err error) {
	p := env.Problem()
	switch {
	case rounds < 1:
		return c, fmt.Errorf("environment: %d rounds to measure, want >= 1", rounds)
	case !(gap > 0):
		return c, fmt.Errorf("environment: gap = %v, want > 0", gap)
	case p.Arms < 2 || p.Dim < 1:
		return c, fmt.Errorf("environment: %d arms in %d dimensions, want >= 2 and >= 1", p.Arms, p.Dim)
	}
	env.Reset(random.New(seed, 0, "contexts"))
	theta := mat.NewVecDense(p.Dim, env.Theta())
	all, best := mat.NewSymDense(p.Dim, nil), mat.NewSymDense(p.Dim, nil)
	var v bandit.View
	for range rounds {
		env.Next(&v)
		var means [2]float64 // of the first two arms
		for arm := range v.Arms {
			x := mat.NewVecDense(p.Dim, v.Row(arm))
			c.Entry, c.Norm = max(c.Entry, mat.Norm(x, math.Inf(1))), max(c.Norm, mat.Norm(x, 2))
			all.SymRankOne(all, 1/float64(rounds*v.Arms), x)
			if env.Regret([]int{arm}) == 0 {
				best.SymRankOne(best, 1/float64(rounds), x)
			}
			if arm < 2 {
				means[arm] = mat.Dot(x, theta)
			}
		}
		if math.Abs(means[1]-means[0]) <= gap {
			c.Margin += 1 / (gap * float64(rounds))
		}
	}
	c.All, c.Best = leastEigenvalue(all), leastEigenvalue(best)
	return c, nil
}

func leastEigenvalue(m *mat.SymDense) float64 {
	var eigen mat.EigenSym
	if !eigen.Factorize(m, false) {
		return math.NaN()
	}
	return eigen.Values(nil)[0]
}
