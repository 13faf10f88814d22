// Package exercises holds the exercises of the notebook on joint differential privacy.
package exercises

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
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
					if err := exercise.Near(what, f(epsilon, delta), 2*(1-mostRight(epsilon, delta)), 1e-6); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"nodes": {
		Hint: "which power of two is the largest node of a release? And how many levels have a node that is finished before the last round?",
		Check: exercise.Of(func(f func(t, horizon int) (summed, most int)) error {
			for _, horizon := range []int{2, 17, 64, 65, 200} {
				noise := &counter{Gaussian: mechanism.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 0.1}}}
				tree := &mechanism.Tree{Noise: noise}
				if err := tree.Init(privacy.Setup{Dim: 2, Horizon: horizon, Bound: 1, Alpha: 0.1}); err != nil {
					return err
				}
				tree.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
				levels, _ := noise.Nodes()
				var sums [3]float64
				for t := 1; t < horizon; t++ {
					if _, err := tree.Add(privacy.Row(make([]float64, 2))); err != nil {
						return err
					}
					tree.Release().Read(sums[:])
					summed, most := f(t, horizon)
					if err := exercise.First(
						exercise.Near(fmt.Sprintf("the number of nodes that are summed at t = %d", t), float64(summed), sums[1], 0),
						exercise.Near(fmt.Sprintf("the number of a row's nodes for a horizon of %d", horizon), float64(most), float64(levels), 0),
					); err != nil {
						return err
					}
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
					if err := exercise.Near(what, f(m[0], m[1], m[2], shift), eigen.Values(nil)[0], 1e-9); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"least noise": {
		Hint: "in how many nodes is a row at most? And does twice the noise make mu larger or smaller?",
		Check: exercise.Of(func(f func(horizon int, bound, mu float64) float64) error {
			budget := privacy.Budget{Epsilon: 1, Delta: 1e-6}
			mu, err := privacy.GaussianMu(budget)
			if err != nil {
				return err
			}
			for _, horizon := range []int{2, 1024, 1025, 50_000_000} {
				for _, bound := range []float64{math.Sqrt2, 3} {
					noise := &mechanism.Gaussian{Budget: budget}
					if err := noise.Init(privacy.Setup{Dim: 6, Horizon: horizon, Bound: bound, Alpha: 0.1}); err != nil {
						return err
					}
					what := fmt.Sprintf("the least s for n = %d, L̃ = %.4g, μ = %.4g", horizon, bound, mu)
					if err := exercise.Near(what, f(horizon, bound, mu), noise.SD(), 1e-9); err != nil {
						return err
					}
				}
			}
			return nil
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

// counter is a noise of 1 at each node, so that a release of nothing counts its nodes.
type counter struct{ mechanism.Gaussian }

func (*counter) Draw(_ *privacy.Noise, dst []float64) {
	for i := range dst {
		dst[i] = 1
	}
}
