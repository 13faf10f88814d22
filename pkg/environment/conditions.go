package environment

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
	"gonum.org/v1/gonum/mat"
)

// Theta returns a copy of the true parameter of a trial, for pictures, tests and oracles. It is nil
// unless the trial is of DecisionSets, SphereArms, Sparse or UnitFeatures. No learner sees it.
func Theta(of bandit.Instance) []float64 {
	if l, ok := of.(interface{ parameter() []float64 }); ok {
		return l.parameter()
	}
	return nil
}

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

// Measure plays rounds of an environment that has a Theta, and returns its conditions. The contexts
// are those of the first trial of an experiment with that seed. gap > 0 is that of the margin.
func Measure(env bandit.Environment, seed uint64, rounds int, gap float64) (c Conditions, err error) {
	world, err := bandit.OpenWorld(env)
	if err != nil {
		return c, err
	}
	p := world.Problem()
	switch {
	case rounds < 1:
		return c, fmt.Errorf("environment: %d rounds to measure, want >= 1", rounds)
	case !(gap > 0):
		return c, fmt.Errorf("environment: gap = %v, want > 0", gap)
	case p.Arms < 2 || p.Dim < 1:
		return c, fmt.Errorf("environment: %d arms in %d dimensions, want >= 2 and >= 1", p.Arms, p.Dim)
	}
	trial := world.Start(random.New(seed, 0, "contexts"))
	parameter := Theta(trial)
	if parameter == nil {
		return c, fmt.Errorf("environment: %T has no Theta to measure", env)
	}
	theta := mat.NewVecDense(p.Dim, parameter)
	all, best := mat.NewSymDense(p.Dim, nil), mat.NewSymDense(p.Dim, nil)
	var v bandit.View
	for range rounds {
		trial.Next(&v)
		var means [2]float64 // of the first two arms
		for arm := range v.Arms {
			x := mat.NewVecDense(p.Dim, v.Row(arm))
			c.Entry, c.Norm = max(c.Entry, mat.Norm(x, math.Inf(1))), max(c.Norm, mat.Norm(x, 2))
			all.SymRankOne(all, 1/float64(rounds*v.Arms), x)
			if trial.Regret([]int{arm}) == 0 {
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
