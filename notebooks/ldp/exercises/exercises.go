// Package exercises holds the exercises of the notebook on bandits under local privacy.
package exercises

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right, or a hint.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"noise of a message": {
		Hint: "two rows differ by at most sqrt 2 in x, whose last coordinate is the same for all, and by 2 b in y; sigma = r/mu",
		Check: exercise.Of(func(f func(epsilon, delta, b float64) float64) error {
			for _, b := range []float64{0.5, 1, 3} {
				env := &environment.UnitFeatures{Fixed: true}
				p := env.Problem()
				p.RewardMin, p.RewardMax = -b, b
				budget := privacy.Budget{Epsilon: 2 * b, Delta: 1e-5}
				device := &learner.OnlineDevice{Noise: learner.OnlineNoise{Budget: budget, Constant: env.Constant()}}
				if err := device.Init(p, 100); err != nil {
					return err
				}
				sigma := privacy.PlanOf(device, privacy.All).Draws[0].Law.Scale
				what := fmt.Sprintf("the device's sigma at epsilon = %v, delta = 1e-5, rewards in [-%v, %v]", budget.Epsilon, b, b)
				if err := exercise.Near(what, f(budget.Epsilon, budget.Delta, b), sigma, 1e-6); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"gradient": {
		Hint: "the square gives 2 x (<x, theta> - y), and -sigma^2 |theta|^2 gives -2 sigma^2 theta",
		Check: exercise.Of(func(f func(theta, x []float64, y, sigma float64) []float64) error {
			rng := random.New(1, 0, "exercise")
			for range 5 {
				theta, x := make([]float64, 3), make([]float64, 3)
				for i := range theta {
					theta[i], x[i] = rng.NormFloat64(), rng.NormFloat64()
				}
				y, sigma := rng.NormFloat64(), rng.Float64()
				got := f(theta, x, y, sigma)
				if len(got) != len(theta) {
					return fmt.Errorf("the gradient has %d coordinates, want %d", len(got), len(theta))
				}
				for i, at := range theta {
					const h = 1e-3 // the loss is a square, so that the central difference is exact
					theta[i] = at + h
					up := corrected(theta, x, y, sigma)
					theta[i] = at - h
					want := (up - corrected(theta, x, y, sigma)) / (2 * h)
					theta[i] = at
					if math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
						return fmt.Errorf("the loss has slope %.4g along coordinate %d, and you have %.4g", want, i+1, got[i])
					}
				}
			}
			return nil
		}),
	},
	"least width": {
		Hint: "the centre is the sum of x_t^2 theta_t over V = 1 + the sum of x_t^2; beta is |theta - centre| sqrt V",
		Check: exercise.Of(func(f func(x, predictions []float64, theta float64) float64) error {
			rng := random.New(2, 0, "exercise")
			for n := range 6 {
				x, predictions, theta := make([]float64, n), make([]float64, n), rng.NormFloat64()
				sum := theta * theta // by the identity: what the predictions miss, less what the fit leaves
				v, u := 1.0, 0.0
				for t := range n {
					x[t], predictions[t] = rng.NormFloat64(), rng.NormFloat64()
					v, u = v+x[t]*x[t], u+x[t]*x[t]*predictions[t]
					sum += math.Pow(x[t]*(predictions[t]-theta), 2)
				}
				centre := u / v
				sum -= centre * centre
				for t := range n {
					sum -= math.Pow(x[t]*(predictions[t]-centre), 2)
				}
				if err := exercise.Near(fmt.Sprintf("the least width after %d messages", n), f(x, predictions, theta), math.Sqrt(sum), 1e-6); err != nil {
					return err
				}
			}
			return nil
		}),
	},
	"event": {
		Hint: "in two dimensions |eta|^2/2 is exponential for sigma = 1, so one round fails with probability alpha/(2T)",
		Check: exercise.Of(func(f func(rounds int, alpha float64) float64) error {
			for _, rounds := range []int{1, 10, 500} {
				for _, alpha := range []float64{0.05, 0.5} {
					bound, rng, failed := 2*math.Log(2*float64(rounds)/alpha), random.New(3, rounds, "exercise"), 0
					const trials = 20_000
					for range trials {
						for range rounds {
							if a, b := rng.NormFloat64(), rng.NormFloat64(); a*a+b*b > bound {
								failed++
								break
							}
						}
					}
					share := float64(failed) / trials
					if got := f(rounds, alpha); !(math.Abs(got-share) < 0.02) { // six standard errors
						return fmt.Errorf("for T = %d, alpha = %v the event fails in %.3f of %d runs, and you have %.3g", rounds, alpha, share, trials, got)
					}
				}
			}
			return nil
		}),
	},
	"online regret": {
		Hint: "the best fixed point is the mean of the targets",
		Check: exercise.Of(func(f func(points, targets []float64) float64) error {
			return exercise.First(
				exercise.Near("the regret of 0, 0 for the targets 1, 3", f([]float64{0, 0}, []float64{1, 3}), 8, 1e-9),
				exercise.Near("the regret of 1, 2, 3 for the targets 1, 2, 3", f([]float64{1, 2, 3}, []float64{1, 2, 3}), -2, 1e-9))
		}),
	},
	"separated": {
		Hint: "variances add up: the standard error of a difference is the root of the sum of the squares",
		Check: exercise.Of(func(f func(a, seA, b, seB float64) bool) error {
			for _, c := range []struct {
				a, sa, b, sb float64
				want         bool
			}{{100, 3, 116, 4, true}, {116, 4, 100, 3, true}, {100, 3, 114, 4, false}, {5, 0, 6, 0, true}, {5, 0, 5, 0, false}} {
				if got := f(c.a, c.sa, c.b, c.sb); got != c.want {
					return fmt.Errorf("of %g ± %g and %g ± %g you say %v", c.a, c.sa, c.b, c.sb, got)
				}
			}
			return nil
		}),
	},
	"uniform direction": {
		Hint: "all eigenvalues are equal, and their sum is the squared length",
		Check: exercise.Of(func(f func(k int, length float64) float64) error {
			return exercise.First(
				exercise.Near("the least eigenvalue in 4 dimensions for the length 1/√2", f(4, 1/math.Sqrt2), 0.125, 1e-9),
				exercise.Near("that in 5 dimensions for the length 2", f(5, 2), 0.8, 1e-9))
		}),
	},
	"nine of ten": {
		Hint: "sort, and take the place that nine tenths of the number round up to",
		Check: exercise.Of(func(f func(regrets []float64) float64) error {
			return exercise.First(
				exercise.Near("the number for 10, 9, ..., 1", f([]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), 9, 0),
				exercise.Near("the number for 3, 1, 2", f([]float64{3, 1, 2}), 3, 0),
				exercise.Near("the number for 11, 10, ..., 1", f([]float64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}), 10, 0))
		}),
	},
	"noise of a square": {
		Hint: "2 x eta has the variance 4 x^2 sigma^2, eta^2 has 2 sigma^4, and the two are uncorrelated",
		Check: exercise.Of(func(f func(x, sigma float64) float64) error {
			return exercise.First(
				exercise.Near("the standard deviation for x = 0, σ = 3", f(0, 3), 9*math.Sqrt2, 1e-9),
				exercise.Near("the standard deviation for x = 1, σ = 1", f(1, 1), math.Sqrt(6), 1e-9))
		}),
	},
	"fast case": {
		Hint: "take the eighth power of both sides",
		Check: exercise.Of(func(f func(lambda float64) float64) error {
			return exercise.First(
				exercise.Near("the least T for λ_min = 1/8", f(0.125), 16_777_216, 1e-9),
				exercise.Near("the least T for λ_min = 1/2", f(0.5), 256, 1e-9))
		}),
	},
}

// corrected is the corrected loss of a message, as Algorithm 1 has it, with Sigma = sigma^2 I.
func corrected(theta, x []float64, y, sigma float64) float64 {
	prediction, square := 0.0, 0.0
	for i, v := range theta {
		prediction += v * x[i]
		square += v * v
	}
	return (prediction-y)*(prediction-y) - sigma*sigma*square
}
