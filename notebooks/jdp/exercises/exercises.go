// Package exercises holds the exercises of the notebook on joint differential privacy.
package exercises

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"standard privacy": {
		Hint: "what is good in one context is bad in the other: how likely may a good arm be, if it may hardly be likelier than a bad one?",
		Check: exercise.Of(func(f func(epsilon, delta float64) float64) error {
			for _, epsilon := range []float64{0, 0.2, 0.69, 3} {
				for _, delta := range []float64{0, 0.1, 0.24} {
					what := fmt.Sprintf("the regret a round for ε = %g, δ = %g", epsilon, delta)
					check.OK(exercise.Near(what, f(epsilon, delta), 2*(1-mostRight(epsilon, delta)), 1e-6))
				}
			}
			return nil
		}),
	},
	"nodes": {
		Hint: "which power of two is the largest node of a release? And how many levels have a node that is finished before the last round?",
		Check: exercise.Of(func(f func(t, horizon int) (summed, most int)) error {
			for _, horizon := range []int{2, 17, 64, 65, 200} {
				noise := &mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}
				check.OK(noise.Init(privacy.Setup{Dim: 2, Horizon: horizon, Bound: 1, Alpha: 0.1}))
				levels, _ := noise.Nodes()
				for t := 1; t < horizon; t++ {
					summed, most := f(t, horizon)
					nodes := len(mechanism.PrefixNodes(t))
					check.OK(exercise.Near(fmt.Sprintf("the number of nodes that are summed at t = %d", t), float64(summed), float64(nodes), 0))
					check.OK(exercise.Near(fmt.Sprintf("the number of a row's nodes for a horizon of %d", horizon), float64(most), float64(levels), 0))
				}
			}
			return nil
		}),
	},
	"shifted eigenvalue": {
		Hint: "what does the matrix do to a vector that it only stretches, and what does it do to it with the shift?",
		Check: exercise.Of(func(f func(a, b, c, shift float64) float64) error {
			for _, m := range [][3]float64{{1, 0, 3}, {3, 0, 1}, {1, 2, 1}, {-4, 3, 4}, {20, -7, 5}} {
				for _, shift := range []float64{0, 11, -2.5} {
					var eigen mat.EigenSym
					eigen.Factorize(mat.NewSymDense(2, []float64{m[0] + shift, m[1], m[1], m[2] + shift}), false)
					what := fmt.Sprintf("the least eigenvalue for a = %g, b = %g, c = %g, shift = %g", m[0], m[1], m[2], shift)
					check.OK(exercise.Near(what, f(m[0], m[1], m[2], shift), eigen.Values(nil)[0], 1e-9))
				}
			}
			return nil
		}),
	},
	"least noise": {
		Hint: "in how many nodes is a row at most? And does twice the noise make mu larger or smaller?",
		Check: exercise.Of(func(f func(horizon int, bound, mu float64) float64) error {
			budget := privacy.Budget{Epsilon: 1, Delta: 1e-6}
			mu := check.Try(privacy.GaussianMu(budget))
			for _, horizon := range []int{2, 1024, 1025, 50_000_000} {
				for _, bound := range []float64{math.Sqrt2, 3} {
					noise := &mechanism.Gaussian{Budget: budget}
					check.OK(noise.Init(privacy.Setup{Dim: 6, Horizon: horizon, Bound: bound, Alpha: 0.1}))
					what := fmt.Sprintf("the least s for n = %d, L̃ = %.4g, μ = %.4g", horizon, bound, mu)
					check.OK(exercise.Near(what, f(horizon, bound, mu), noise.SD(), 1e-9))
				}
			}
			return nil
		}),
	},
	"pseudo-regret": {
		Hint: "in each round, the largest mean less the mean of what was played",
		Check: exercise.Of(func(f func(means [][]float64, played []int) float64) error {
			means := [][]float64{{0.75, 0.25}, {-0.5, 0.5}, {0.5, 0.75}}
			return exercise.First(
				exercise.Near("the regret of the second arm", f(means, []int{1, 1, 1}), 0.5, 1e-9),
				exercise.Near("the regret of the first arm", f(means, []int{0, 0, 0}), 1.25, 1e-9))
		}),
	},
	"clip": {
		Hint: "multiply the row by bound/norm if that is less than 1",
		Check: exercise.Of(func(f func(row []float64, bound float64) []float64) error {
			for _, c := range []struct {
				row, want []float64
				bound     float64
			}{{[]float64{3, 4}, []float64{0.6, 0.8}, 1}, {[]float64{3, 4}, []float64{3, 4}, 5}, {[]float64{0, 0}, []float64{0, 0}, 1}} {
				row := slices.Clone(c.row)
				got := f(row, c.bound)
				if !slices.Equal(row, c.row) {
					return fmt.Errorf("the argument %v has become %v", c.row, row)
				}
				if len(got) != len(c.want) || !floats.EqualApprox(got, c.want, 1e-9) {
					return fmt.Errorf("%v clipped to %g is %v, and you have %v", c.row, c.bound, c.want, got)
				}
			}
			return nil
		}),
	},
	"width": {
		Hint: "take the three terms one by one; the logarithms stand under the root",
		Check: exercise.Of(func(f func(logDet, rhoMin, rhoMax, gamma, alpha float64, dim int) float64) error {
			return exercise.First(
				exercise.Near("the width for ln det V = 5 ln 2, ρmin = 1, ρmax = 9, γ = 0.5, α = 0.01 and d = 5",
					f(5*math.Ln2, 1, 9, 0.5, 0.01, 5), math.Sqrt(math.Log(32*200*200))+3.5, 1e-9),
				exercise.Near("the width for V = 4 I, ρmin = 4, ρmax = 4, γ = 0, α = 2/e and d = 3",
					f(3*math.Log(4), 4, 4, 0, 2/math.E, 3), math.Sqrt2+2, 1e-9))
		}),
	},
	"exponent": {
		Hint: "take logarithms of both, and the slope of the least-squares line",
		Check: exercise.Of(func(f func(dims, regrets []float64) float64) error {
			return exercise.First(
				exercise.Near("the exponent of 3 d^2", f([]float64{2, 4, 7}, []float64{12, 48, 147}), 2, 1e-9),
				exercise.Near("the exponent for d = 1, 2, 4 and regrets 1, 4, 4", f([]float64{1, 2, 4}, []float64{1, 4, 4}), 1, 1e-9))
		}),
	},
	"least price": {
		Hint: "each arm with a gap adds ln n/(200 epsilon), and the best arm has none",
		Check: exercise.Of(func(f func(arms int, n, epsilon float64) float64) error {
			return exercise.First(
				exercise.Near("the price for 25 arms, n = 2e7 and ε = 1", f(25, 2e7, 1), 0.12*math.Log(2e7), 1e-9),
				exercise.Near("the price for 2 arms, n = e and ε = 0.1", f(2, math.E, 0.1), 0.05, 1e-9))
		}),
	},
	"shift": {
		Hint: "the eigenvalues of the noise lie between -upsilon and upsilon, and a shift moves both ends",
		Check: exercise.Of(func(f func(rhoMin, upsilon float64) (shift, rhoMax float64)) error {
			for _, rho := range []float64{1, 10, 100} {
				shift, most := f(rho, 10)
				what := fmt.Sprintf(" for ρmin = %g, Υ = 10", rho)
				if err := exercise.First(exercise.Near("the shift"+what, shift, rho+10, 1e-9),
					exercise.Near("ρmax"+what, most, rho+20, 1e-9)); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"square root": {
		Hint: "the ratio of an entry to the one before it is (2i-1)/(2i)",
		Check: exercise.Of(func(f func(i int) float64) error {
			for _, i := range []int{0, 1, 7, 40} { // the entries convolved with themselves are ones
				sum := 0.0
				for j := range i + 1 {
					sum += f(j) * f(i-j)
				}
				if err := exercise.Near(fmt.Sprintf("the sum over j of r(j) r(%d-j)", i), sum, 1, 1e-9); err != nil {
					return err
				}
			}
			return exercise.Near("r(1)", f(1), 0.5, 1e-9)
		}),
	},
	"excludes": {
		Hint: "the definition says p <= e^epsilon q + delta",
		Check: exercise.Of(func(f func(p, q, delta float64) float64) error {
			return exercise.First(
				exercise.Near("what p = 0.6, q = 0.2 exclude at δ = 0", f(0.6, 0.2, 0), math.Log(3), 1e-9),
				exercise.Near("what p = 0.6, q = 0.2 exclude at δ = 0.1", f(0.6, 0.2, 0.1), math.Log(2.5), 1e-9))
		}),
	},
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
