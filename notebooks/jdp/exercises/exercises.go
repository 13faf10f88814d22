// Package exercises holds the exercises of the notebook on joint differential privacy.
package exercises

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"standard privacy": exercise.Like(func(epsilon, delta float64) float64 { return 2 * (1 - mostRight(epsilon, delta)) }, 1e-6,
		"the regret a round for ε = %v, δ = %v", exercise.Grid(exercise.Args{0, 0.2, 0.69, 3}, exercise.Args{0, 0.1, 0.24})),
	"nodes": exercise.Like(nodes, 0, "(nodes summed at t = %d, nodes of a row for a horizon of %d)", before(2, 17, 64, 65, 200)),
	"shifted eigenvalue": exercise.Like(eigenvalue, 1e-9, "the least eigenvalue for a₁ = %v, b = %v, a₂ = %v, shift = %v",
		exercise.Grid(exercise.Args{1, -4, 20}, exercise.Args{0, 3, -7}, exercise.Args{3, 1, 5}, exercise.Args{0, 11, -2.5})),
	"least noise": exercise.Like(leastNoise, 1e-9, "the least s for n = %d, L̃ = %.4g, μ = %.4g",
		exercise.Grid(exercise.Args{2, 1024, 1025, 50_000_000}, exercise.Args{math.Sqrt2, 3}, exercise.Args{mu})),
	"wasted noise": exercise.Of(func(f func(horizon int, epsilon, delta, mu float64) float64) error {
		for _, c := range []struct {
			horizon int
			budget  privacy.Budget
		}{{50_000_000, privacy.Budget{Epsilon: 1, Delta: 0.1}}, {1024, budget}, {1025, budget}, {20_000, privacy.Budget{Epsilon: 10, Delta: 0.1}}} {
			mu := check.Try(c.budget.GaussianMu())
			what := fmt.Sprintf("printed over least noise for n = %d, ε = %g, δ = %g, μ = %.4g", c.horizon, c.budget.Epsilon, c.budget.Delta, mu)
			want := scale(c.budget, c.horizon, privacy.AsPublished) / scale(c.budget, c.horizon, privacy.Sound)
			check.OK(exercise.Near(what, f(c.horizon, c.budget.Epsilon, c.budget.Delta, mu), want, 1e-6))
		}
		return nil
	}),
	"widened": exercise.Like(func(first, rest, times float64) float64 { return first + math.Sqrt(times)*rest }, 1e-9,
		"the width for a first term of %v, a rest of %v and noise of %v times", []exercise.Args{{5.0, 40.0, 100.0}, {3.0, 7.5, 2.0}}),
	"cheaper": exercise.Like(func(printed, exact, none float64) (regret, privacy float64) {
		return printed / exact, (printed - none) / (exact - none)
	}, 1e-9, "(times less regret, times less cost of privacy) for regrets of %v, %v and %v", []exercise.Args{{5466.0, 628.0, 61.0}, {6805.0, 801.0, 123.0}}),
	"pseudo-regret": exercise.Of(func(f func(means [][]float64, played []int) float64) error {
		means := [][]float64{{0.75, 0.25}, {-0.5, 0.5}, {0.5, 0.75}}
		check.OK(exercise.Near("the regret of the second arm", f(means, []int{1, 1, 1}), 0.5, 1e-9))
		return exercise.Near("the regret of the first arm", f(means, []int{0, 0, 0}), 1.25, 1e-9)
	}),
	"clip": exercise.Like(func(row []float64, bound float64) []float64 {
		return floats.ScaleTo(make([]float64, len(row)), min(1, bound/floats.Norm(row, 2)), row)
	}, 1e-9, "%v clipped to %v", exercise.Grid(exercise.Args{[]float64{3, 4}, []float64{0, 0}}, exercise.Args{1, 5})),
	"width": exercise.Like(func(logDet, rhoMin, rhoMax, gamma, alpha float64, dim int) float64 {
		return math.Sqrt(2*math.Log(2/alpha)+logDet-float64(dim)*math.Log(rhoMin)) + math.Sqrt(rhoMax) + gamma
	}, 1e-9, "the width for ln det V = %.4g, ρmin = %v, ρmax = %v, γ = %v, α = %v and d = %d",
		[]exercise.Args{{5 * math.Ln2, 1, 9, 0.5, 0.01, 5}, {3 * math.Log(4), 4, 4, 0, 2 / math.E, 3}}),
	"exponent": exercise.Of(func(f func(dims, regrets []float64) float64) error {
		check.OK(exercise.Near("the exponent of 3 d^2", f([]float64{2, 4, 7}, []float64{12, 48, 147}), 2, 1e-9))
		return exercise.Near("the exponent for d = 1, 2, 4 and regrets 1, 4, 4", f([]float64{1, 2, 4}, []float64{1, 4, 4}), 1, 1e-9)
	}),
	"least price": exercise.Like(func(arms int, n, epsilon float64) float64 { return float64(arms-1) * math.Log(n) / (200 * epsilon) }, 1e-9,
		"the price for %d arms, n = %.4g and ε = %v", []exercise.Args{{25, 2e7, 1}, {2, math.E, 0.1}}),
	"shift": exercise.Like(func(rhoMin, upsilon float64) (shift, rhoMax float64) { return rhoMin + upsilon, rhoMin + 2*upsilon }, 1e-9,
		"(shift, ρmax) for ρmin = %v, Υ = %v", exercise.Grid(exercise.Args{1, 10, 100}, exercise.Args{10})),
	"square root": exercise.Like(func(i int) float64 { // a central binomial coefficient over 4^i
		return math.Gamma(float64(i)+0.5) / (math.Sqrt(math.Pi) * math.Gamma(float64(i)+1))
	}, 1e-9, "r(%d)", exercise.Grid(exercise.Args{0, 1, 7, 40})),
	"releases": exercise.Like(func(n, eta float64) float64 { return math.Log(n) / math.Log1p(eta) }, 1e-9,
		"the releases of n = %v rows for η = %v", exercise.Grid(exercise.Args{2.0, 1024.0, 5e7}, exercise.Args{0.25, 1.0})),
	"narrows": exercise.Like(func(d int, rhoMin, rhoMax float64) float64 { return float64(d)*rhoMax - float64(d)*rhoMin }, 1e-9,
		"the rounds for d = %d, ρmin = %v, ρmax = %v", exercise.Grid(exercise.Args{1, 5}, exercise.Args{0.5, 10.0}, exercise.Args{11.0, 30.0})),
	"logistic row": exercise.Like(func(z, y float64) (a, b float64) {
		g, root := (1+math.Tanh(z/2))/2, 2*math.Cosh(z/2) // the slope of g is 1/root²
		return 1 / root, (y-g)*root + z/root
	}, 1e-9, "(a, b) for z = %v, y = %v", exercise.Grid(exercise.Args{0.0, 0.5, 2.5, -2.5}, exercise.Args{0.0, 1.0})),
	"signals": exercise.Like(func(s float64) (linUCB, weighted float64) {
		for _, sign := range []float64{-1, 1} { // the mean of y x₁ and of y z₁ over contexts and rewards
			mean := (1 + sign*s) / 2
			linUCB, weighted = linUCB+mean*sign*s/math.Sqrt2/2, weighted+mean*sign/2
		}
		return linUCB, weighted
	}, 1e-9, "the growth a round for s = %v", exercise.Grid(exercise.Args{1.0, 0.25, 0.016})),
	"excludes": exercise.Like(func(p, q, delta float64) float64 { return max(0, math.Log((p-delta)/q)) }, 1e-9,
		"what p = %v, q = %v exclude at δ = %v", []exercise.Args{{0.6, 0.2, 0}, {0.6, 0.2, 0.1}, {0.2, 0.6, 0.1}}),
}

// mostRight is the largest p for which playing the better arm with probability p is private: in one
// context that arm has the probability p, in the other it is the worse one and has 1 - p.
func mostRight(epsilon, delta float64) float64 {
	low, high := 0.5, 1.0
	for range 60 {
		if p := (low + high) / 2; p <= math.Exp(epsilon)*(1-p)+delta {
			low = p
		} else {
			high = p
		}
	}
	return low
}

// before lists all rounds before each horizon, and the horizon.
func before(horizons ...int) (lists []exercise.Args) {
	for _, n := range horizons {
		lists = append(lists, exercise.Grid(exercise.UpTo(n-1), exercise.Args{n})...)
	}
	return lists
}

// budget is what "least noise" asks for, and mu the Gaussian differential privacy that just keeps
// it.
var (
	budget = privacy.Budget{Epsilon: 1, Delta: 1e-6}
	mu     = check.Try(budget.GaussianMu())
)

// gaussian returns the noise of a tree.
func gaussian(dim, horizon int, bound float64) continual.Nodes {
	return check.Try(continual.Gaussian{Budget: budget}.Open(privacy.Setup{Dim: dim, Horizon: horizon, Bound: bound, Alpha: 0.1}))
}

// scale returns the standard deviation of a node's noise in six dimensions, by a calibration.
func scale(b privacy.Budget, horizon int, c privacy.Calibration) float64 {
	noise := continual.Gaussian{Budget: b, Calibration: c}
	setup := privacy.Setup{Dim: 6, Horizon: horizon, Bound: math.Sqrt2, Alpha: 0.1}
	return check.Try(noise.Open(setup)).Plan(1).Cases[0][0].Law.Scale
}

func leastNoise(horizon int, bound, _ float64) float64 {
	return gaussian(6, horizon, bound).Plan(1).Cases[0][0].Law.Scale
}

func nodes(t, horizon int) (summed, most int) {
	most, _ = gaussian(2, horizon, 1).Levels()
	return len(continual.PrefixNodes(t)), most
}

func eigenvalue(a, b, c, shift float64) float64 {
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(2, []float64{a + shift, b, b, c + shift}), false)
	return eigen.Values(nil)[0]
}
