package exercises

import (
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"gonum.org/v1/gonum/floats"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func powerBetweenStub(t1, r1, t2, r2 float64) float64 {
	return 0.5 // your turn
}

func powerBetween(t1, r1, t2, r2 float64) float64 {
	return math.Log(r2/r1) / math.Log(t2/t1)
}

func noiseOfStub(epsilon, delta, b float64) float64 {
	return 0 // your turn
}

func noiseOf(epsilon, delta, b float64) float64 {
	mu, err := privacy.Budget{Epsilon: epsilon, Delta: delta}.GaussianMu()
	if err != nil {
		panic(err)
	}
	return math.Sqrt(2+4*b*b) / mu
}

func slopeStub(theta, x []float64, y, sigma float64) []float64 {
	return make([]float64, len(theta)) // your turn
}

func slope(theta, x []float64, y, sigma float64) []float64 {
	prediction, g := 0.0, make([]float64, len(theta))
	for i := range x {
		prediction += x[i] * theta[i]
	}
	for i := range g {
		g[i] = 2*x[i]*(prediction-y) - 2*sigma*sigma*theta[i]
	}
	return g
}

func leastWidthStub(x, points []float64, theta float64) float64 {
	return 1 // your turn
}

func leastWidth(x, points []float64, theta float64) float64 {
	v, u := 1.0, 0.0
	for t := range x {
		v += x[t] * x[t]
		u += x[t] * x[t] * points[t]
	}
	return math.Abs(theta-u/v) * math.Sqrt(v)
}

// oneDimension is the matrix and the sum of a set in one dimension.
func oneDimension(x, points []float64) (v, u float64) {
	v = 1
	for t := range x {
		v += x[t] * x[t]
		u += x[t] * x[t] * points[t]
	}
	return v, u
}

func eventFailsStub(rounds int, alpha float64) float64 {
	return alpha // your turn
}

func eventFails(rounds int, alpha float64) float64 {
	return 1 - math.Pow(1-alpha/(2*float64(rounds)), float64(rounds))
}

func onlineRegretStub(points, targets []float64) float64 {
	return 0 // your turn
}

func onlineRegret(points, targets []float64) (regret float64) {
	best := 0.0 // the fixed point with the least total loss is the mean of the targets
	for _, z := range targets {
		best += z / float64(len(targets))
	}
	for t, z := range targets {
		regret += (points[t]-z)*(points[t]-z) - (best-z)*(best-z)
	}
	return regret
}

func separatedStub(a, seA, b, seB float64) bool {
	return a != b // your turn
}

func separated(a, seA, b, seB float64) bool {
	return math.Abs(a-b) > 3*math.Hypot(seA, seB)
}

func leastOfDirectionStub(k int, length float64) float64 {
	return 1 // your turn
}

func leastOfDirection(k int, length float64) float64 {
	return length * length / float64(k)
}

func nineOfTenStub(regrets []float64) float64 {
	return regrets[0] // your turn
}

func nineOfTen(regrets []float64) float64 {
	sorted := slices.Sorted(slices.Values(regrets))
	return sorted[(9*len(sorted)+9)/10-1]
}

func squareSDStub(x, sigma float64) float64 {
	return sigma // your turn
}

func squareSD(x, sigma float64) float64 {
	return math.Sqrt(4*x*x*sigma*sigma + 2*math.Pow(sigma, 4))
}

func priceOfTrustStub(rounds int) float64 {
	return 1 // your turn
}

func priceOfTrust(rounds int) float64 {
	return math.Sqrt(float64(rounds))
}

func fastFromStub(lambda float64) float64 {
	return 1 // your turn
}

func fastFrom(lambda float64) float64 {
	return math.Pow(lambda, -8)
}

var answers = map[string]notebooktest.Answer{
	"power": {Name: "powerBetween", Stub: powerBetweenStub, Solution: powerBetween},
	"noise of a message": {Name: "noiseOf", Stub: noiseOfStub, Solution: noiseOf, Wrong: map[string]any{
		`return math.Sqrt(2+b*b) / mu`: func(epsilon, delta, b float64) float64 {
			mu := math.Sqrt(2+4*b*b) / noiseOf(epsilon, delta, b)
			return math.Sqrt(2+b*b) / mu
		},
		`return (math.Sqrt2 + 2*b) / mu`: func(epsilon, delta, b float64) float64 {
			mu := math.Sqrt(2+4*b*b) / noiseOf(epsilon, delta, b)
			return (math.Sqrt2 + 2*b) / mu
		},
	}},
	"gradient": {Name: "slope", Stub: slopeStub, Solution: slope, Wrong: map[string]any{
		`g[i] = 2 * x[i] * (prediction - y)`: func(theta, x []float64, y, sigma float64) []float64 {
			prediction, g := floats.Dot(x, theta), make([]float64, len(theta))
			for i := range g {
				g[i] = 2 * x[i] * (prediction - y)
			}
			return g
		},
		`g[i] = 2*x[i]*(prediction-y) + 2*sigma*sigma*theta[i]`: func(theta, x []float64, y, sigma float64) []float64 {
			prediction, g := floats.Dot(x, theta), make([]float64, len(theta))
			for i := range g {
				g[i] = 2*x[i]*(prediction-y) + 2*sigma*sigma*theta[i]
			}
			return g
		},
	}},
	"least width": {Name: "leastWidth", Stub: leastWidthStub, Solution: leastWidth, Wrong: map[string]any{
		`return math.Abs(theta - u/v)`: func(x, points []float64, theta float64) float64 {
			v, u := oneDimension(x, points)
			return math.Abs(theta - u/v)
		},
		`return math.Abs(theta-u/v) * v`: func(x, points []float64, theta float64) float64 {
			v, u := oneDimension(x, points)
			return math.Abs(theta-u/v) * v
		},
	}},
	"event":             {Name: "eventFails", Stub: eventFailsStub, Solution: eventFails},
	"online regret":     {Name: "onlineRegret", Stub: onlineRegretStub, Solution: onlineRegret},
	"separated":         {Name: "separated", Stub: separatedStub, Solution: separated},
	"uniform direction": {Name: "leastOfDirection", Stub: leastOfDirectionStub, Solution: leastOfDirection},
	"nine of ten":       {Name: "nineOfTen", Stub: nineOfTenStub, Solution: nineOfTen},
	"noise of a square": {Name: "squareSD", Stub: squareSDStub, Solution: squareSD, Wrong: map[string]any{
		`return sigma`:                   func(x, sigma float64) float64 { return sigma },
		`return 2 * math.Abs(x) * sigma`: func(x, sigma float64) float64 { return 2 * math.Abs(x) * sigma },
	}},
	"price of trust": {Name: "priceOfTrust", Stub: priceOfTrustStub, Solution: priceOfTrust, Wrong: map[string]any{
		`return float64(rounds)`: func(rounds int) float64 { return float64(rounds) },
		`return 1`:               func(rounds int) float64 { return 1 },
	}},
	"fast case": {Name: "fastFrom", Stub: fastFromStub, Solution: fastFrom},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../01-ldp-linucb.ipynb", "exercises_test.go", answers)
}
