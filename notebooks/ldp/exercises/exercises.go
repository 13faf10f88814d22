// Package exercises holds the exercises of the notebook on bandits under local privacy.
package exercises

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/dpbandits/dpbandits/notebooks/check"
	"github.com/dpbandits/dpbandits/notebooks/exercise"
	"github.com/dpbandits/dpbandits/pkg/environment"
	"github.com/dpbandits/dpbandits/pkg/learner/local"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Check checks a reader's answer, a function, and prints whether it is right.
func Check(name string, answer any) { set.Check(name, answer) }

var set = exercise.Set{
	"power": exercise.Like(func(t1, r1, t2, r2 float64) float64 { return math.Log(r1/r2) / math.Log(t1/t2) }, 1e-9,
		"the power through (%v, %v) and (%v, %v)", []exercise.Args{{1e3, 50., 1e4, 500.}, {2e4, 660., 2500., 350.}, {10., 7., 100., 7.}}),
	"noise of a message": exercise.Like(noise, 1e-6, "the device's sigma at epsilon = %v, delta = %v, rewards in [-%v, %[3]v]",
		[]exercise.Args{{1, 1e-5, 0.5}, {2, 1e-5, 1}, {6, 1e-5, 3}}),
	"gradient": exercise.Of(func(f func(theta, x []float64, y, sigma float64) []float64) error {
		rng := random.New(1, 0, "exercise")
		for range 5 {
			theta, x, y, sigma := make([]float64, 3), make([]float64, 3), rng.NormFloat64(), rng.Float64()
			for i := range theta {
				theta[i], x[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			loss := func(theta []float64) float64 { // as Algorithm 1 has it, with Sigma = sigma^2 I
				return math.Pow(floats.Dot(theta, x)-y, 2) - sigma*sigma*floats.Dot(theta, theta)
			}
			want := fd.Gradient(nil, loss, theta, &fd.Settings{Formula: fd.Central}) // exact for a square
			got := f(theta, x, y, sigma)
			check.That(len(got) == len(want), "the gradient has %d coordinates, want %d", len(got), len(want))
			for i, w := range want {
				check.That(math.Abs(got[i]-w) <= 1e-6*(1+math.Abs(w)), "the loss has slope %.4g along coordinate %d, and you have %.4g", w, i+1, got[i])
			}
		}
		return nil
	}),
	"least width": exercise.Like(width, 1e-6, "the least width after the messages %v with points %v, for theta = %v,", []exercise.Args{
		{[]float64{}, []float64{}, 0.7}, {[]float64{-1.5}, []float64{2}, -0.3}, {[]float64{0, 1.1}, []float64{3, 0.2}, -1},
		{[]float64{1.2, -0.4, 0.8}, []float64{0.5, 2, -1.1}, 2.5}, {[]float64{-1, 0.6, 0.1, 2}, []float64{-0.5, 1, -2, 0.3}, 0.1},
	}),
	"event": exercise.Like(func(rounds int, alpha float64) float64 {
		return 1 - math.Pow(1-alpha/float64(2*rounds), float64(rounds))
	}, 1e-6, "the share of runs in which the event fails for T = %d, alpha = %v", exercise.Grid(exercise.Args{1, 10, 500}, exercise.Args{0.05, 0.5})),
	"online regret": exercise.Like(func(points, targets []float64) float64 {
		return math.Pow(floats.Distance(points, targets, 2), 2) - float64(len(targets))*stat.PopVariance(targets, nil)
	}, 1e-9, "the regret of %v for the targets %v", []exercise.Args{{[]float64{0, 0}, []float64{1, 3}}, {[]float64{1, 2, 3}, []float64{1, 2, 3}}}),
	"separated": exercise.Of(func(f func(a, seA, b, seB float64) bool) error {
		for _, c := range [][4]float64{{100, 3, 116, 4}, {116, 4, 100, 3}, {100, 3, 114, 4}, {5, 0, 6, 0}, {5, 0, 5, 0}} {
			want := math.Abs(c[0]-c[2]) > 3*math.Hypot(c[1], c[3])
			check.That(f(c[0], c[1], c[2], c[3]) == want, "of %g ± %g and %g ± %g you say %v", c[0], c[1], c[2], c[3], !want)
		}
		return nil
	}),
	"uniform direction": exercise.Like(func(k int, length float64) float64 { return length * length / float64(k) }, 1e-9,
		"the least eigenvalue in %d dimensions for the length %.4g", exercise.Grid(exercise.Args{4, 5}, exercise.Args{math.Sqrt(0.5), 2})),
	"nine of ten": exercise.Like(func(regrets []float64) float64 {
		return slices.Sorted(slices.Values(regrets))[(9*len(regrets)+9)/10-1]
	}, 0, "the number for %v", []exercise.Args{{[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}}, {[]float64{3, 1, 2}}, {[]float64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}}}),
	"noise of a square": exercise.Like(func(x, sigma float64) float64 { return sigma * math.Sqrt(4*x*x+2*sigma*sigma) }, 1e-9,
		"the standard deviation for x = %v, σ = %v", exercise.Grid(exercise.Args{0, 1}, exercise.Args{1, 3})),
	"price of trust": exercise.Like(func(rounds int) float64 { return math.Sqrt(float64(rounds)) }, 1e-9,
		"how many times as large the noise is for T = %d", []exercise.Args{{4}, {1}, {20_000}}),
	"fast case": exercise.Like(func(lambda float64) float64 { return math.Pow(lambda, -8) }, 1e-9,
		"the least T for λ_min = %v", exercise.Grid(exercise.Args{0.125, 0.5})),
}

// noise returns the sigma of the package's device.
func noise(epsilon, delta, b float64) float64 {
	env := environment.UnitFeatures{Fixed: true}
	p := env.Problem()
	p.RewardMin, p.RewardMax = -b, b
	device := check.Try(local.OnlineDevice{Noise: local.OnlineNoise{Budget: privacy.Budget{Epsilon: epsilon, Delta: delta}, Constant: env.Constant()}}.Open(p, 100))
	return privacy.PlanOf(device, privacy.All).Draws[0].Law.Scale
}

// width returns the least width of a confidence set that holds theta after messages x.
func width(x, points []float64, theta float64) float64 {
	v, u := 1.0, 0.0
	for t, at := range x {
		v, u = v+at*at, u+at*at*points[t]
	}
	return math.Abs(theta-u/v) * math.Sqrt(v)
}
