// Package exercises holds the exercises of the notebook on private bandits in many dimensions.
package exercises

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/lasso"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"random arm": {
		Hint: "the best arm's mean is the largest of K normals, a random arm's mean is 0 on average",
		Check: exercise.Of(func(f func(int) float64) error { // the means of the largest of 2, 3 and 10 normals
			return exercise.First(exercise.Near("the regret a round for K = 2", f(2), 1/math.Sqrt(math.Pi), 0.03),
				exercise.Near("the regret a round for K = 3", f(3), 1.5/math.Sqrt(math.Pi), 0.03), exercise.Near("the regret a round for K = 10", f(10), 1.538753, 0.03))
		}),
	},
	"soft threshold": {
		Hint: "minimise (w - z)^2/2 + alpha |w|: where is the slope 0 for w > 0, and for w < 0?",
		Check: exercise.Of(func(f func(z, alpha float64) float64) error {
			s := &lasso.Solver{Dim: 1}
			for _, z := range []float64{-2, -0.3, 0.1, 0.7, 3} {
				for _, alpha := range []float64{0.05, 0.5, 1} {
					err := s.Init()
					if err == nil {
						err = s.Add([]float64{1}, z)
					}
					if err != nil {
						return err
					}
					w, err := s.Fit(alpha)
					if err != nil {
						return err
					}
					if math.Abs(f(z, alpha)-w[0]) > 1e-6 {
						return fmt.Errorf("for z = %v and alpha = %v the solver has %.4g, and you have %.4g", z, alpha, w[0], f(z, alpha))
					}
				}
			}
			return nil
		}),
	},
	"fresh thresholds": {
		Hint: "the answers are independent, so that their probabilities multiply",
		Check: exercise.Of(func(f func(n int, below0, below1 float64) float64) error {
			return exercise.First(exercise.Near("the loss of 1 answer at rates 0.5 and 0.4", f(1, 0.5, 0.4), math.Log(1.25), 1e-9),
				exercise.Near("the loss of 100 answers at rates 0.5 and 0.4", f(100, 0.5, 0.4), 100*math.Log(1.25), 1e-9),
				exercise.Near("the loss of 7 answers at rates 0.9 and 0.3", f(7, 0.9, 0.3), 7*math.Log(3), 1e-9))
		}),
	},
	"noise of a selection": {
		Hint: "how far does a replaced row move a score, and what is the epsilon_0 of a pick if k of them cost rho?",
		Check: exercise.Of(func(f func(rho float64, k int, x, y float64) float64) error {
			for _, k := range []int{5, 8, 10} {
				b := privacy.Budget{Epsilon: 0.7, Delta: 1e-5}
				rho, err := privacy.ConcentratedRho(b)
				if err != nil {
					return err
				}
				top := mechanism.TopK{Budget: b, K: k, Candidates: 50, Sensitivity: 2 * 2 * 1.5, Neighbours: privacy.ReplaceRound}
				if err := top.Init(); err != nil {
					return err
				}
				if err := exercise.Near(fmt.Sprintf("the scale for rho = %.4g, k = %d, X = 2, Y = 1.5", rho, k), f(rho, k, 2, 1.5), top.Scale(), 1e-6); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"cost of an episode": {
		Hint: "what does a pick cost of rho, and what a Gaussian release? zCDP adds up",
		Check: exercise.Of(func(f func(k int, pick, mu float64) float64) error {
			for _, e := range []float64{0.5, 1, 4} {
				b := privacy.Budget{Epsilon: e, Delta: 1e-5}
				rho, err := privacy.ZCDP(b)
				if err != nil {
					return err
				}
				for k := 1; k < 12; k += 3 {
					if err := exercise.Near("the rho of an episode", f(k, math.Sqrt(8*0.3*rho/float64(k)), math.Sqrt(1.4*rho)), rho, 1e-9); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"decoy": {
		Hint: "y is <theta, x> plus noise that has nothing to do with x_j: write out the sum",
		Check: exercise.Of(func(f func(theta []float64, r float64, j int) float64) error {
			rng := rand.New(rand.NewPCG(6, 1))
			for range 5 {
				theta, r, j := make([]float64, 8), rng.Float64(), rng.IntN(8)
				theta[rng.IntN(8)], theta[rng.IntN(8)] = 0.5+rng.Float64(), -1+rng.Float64()
				want := 0.0
				for i, v := range theta {
					want += v * math.Pow(r, math.Abs(float64(i-j)))
				}
				if math.Abs(f(theta, r, j)-want) > 1e-9 {
					return fmt.Errorf("for theta = %.2f, r = %.2f, coordinate %d the mean score is %.4g, and you have %.4g", theta, r, j, want, f(theta, r, j))
				}
			}
			return nil
		}),
	},
	"one step": {
		Hint: "a row adds (2 eta/n) x y to a coordinate: which two rows are the farthest apart?",
		Check: exercise.Of(func(f func(rows int, step, context, reward float64) float64) error {
			for _, rows := range []int{500, 1000} { // one step each
				h := &mechanism.NoisyIHT{Budget: privacy.Budget{Epsilon: math.Inf(1)}, Sparsity: 1, L1: 3.75, Step: 0.5, Context: 2}
				reward := 3.75*2 + math.Sqrt(2*math.Log1p(float64(rows)))
				up, err := lastRow(h, rows, 2, reward)
				if err != nil {
					return err
				}
				down, err := lastRow(h, rows, 2, -reward)
				if err != nil {
					return err
				}
				what := fmt.Sprintf("the move for %d rows, a step of 0.5, X = 2, R = %.4g", rows, reward)
				if err := exercise.Near(what, f(rows, 0.5, 2, reward), up-down, 1e-9); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"rounds by bits": {
		Hint: "for which m is the mean of a sum of m answers sqrt 2 times its noise? And how many coordinates are asked about?",
		Check: exercise.Of(func(f func(dim int, epsilon, signal float64) float64) error {
			for _, dim := range []int{10, 80} {
				for _, epsilon := range []float64{0.5, 4} {
					c := (math.Exp(epsilon) - 1) / (math.Exp(epsilon) + 1)
					want := 4 * float64(dim) * math.Log(2*float64(dim)) / (c * c * 0.15 * 0.15)
					what := fmt.Sprintf("the number of rounds for d = %d, epsilon = %v, signal 0.15", dim, epsilon)
					if err := exercise.Near(what, f(dim, epsilon, 0.15), want, 1e-6); err != nil {
						return err
					}
				}
			}
			return nil
		}),
	},
	"margin": {
		Hint: "the difference of two arms' means is normal with variance 2: how high is its density at 0, and which interval has to be covered?",
		Check: exercise.Of(func(f func(kappa float64) float64) error {
			rng := rand.New(rand.NewPCG(7, 1))
			const n = 200_000
			for _, kappa := range []float64{0.1, 0.5, 2} {
				count := 0
				for range n {
					if math.Abs(rng.NormFloat64()-rng.NormFloat64()) <= kappa {
						count++
					}
				}
				p := float64(count) / n
				if !(f(kappa) >= p-0.005) {
					return fmt.Errorf("at kappa = %v the gap is smaller in %.3f of the rounds, and your bound says %.3f", kappa, p, f(kappa))
				}
				if !(f(kappa) <= 0.57*kappa) {
					return fmt.Errorf("at kappa = %v your bound of %.3f is looser than it has to be", kappa, f(kappa))
				}
			}
			return nil
		}),
	},
	"delta from runs": {
		Hint: "an expectation is estimated by an average, here over the losses",
		Check: exercise.Of(func(f func(losses []float64, epsilon float64) float64) error {
			rng, mu := rand.New(rand.NewPCG(8, 1)), 1.0
			losses := make([]float64, 200_000)
			for i := range losses { // the loss of a Gaussian release is normal
				losses[i] = mu*mu/2 + mu*rng.NormFloat64()
			}
			return exercise.First(exercise.Near("delta at epsilon = 0.5", f(losses, 0.5), privacy.GaussianDelta(0.5, mu), 0.03),
				exercise.Near("delta at epsilon = 2", f(losses, 2), privacy.GaussianDelta(2, mu), 0.05))
		}),
	},
}

// lastRow returns what a regression in one dimension releases of rows that are 0 but for the last.
func lastRow(h *mechanism.NoisyIHT, rows int, x, y float64) (float64, error) {
	h.Lengths = mechanism.Growing{Least: rows}
	if err := h.Init(privacy.Setup{Horizon: rows + 1, Dim: 2, Bound: 1}); err != nil {
		return 0, err
	}
	h.Reset(privacy.NewNoise(random.Source(1, 0, "noise")))
	row := &privacy.Record{X: []float64{0}, Y: []float64{0}}
	for i := range rows {
		if i == rows-1 {
			row.X[0], row.Y[0] = x, y
		}
		if _, err := h.Add(row); err != nil {
			return 0, err
		}
	}
	return h.Release().Theta[0], nil
}
