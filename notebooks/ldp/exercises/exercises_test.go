package exercises

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func noiseOfStub(epsilon, delta, b float64) float64 {
	return 0 // your turn
}

func noiseOf(epsilon, delta, b float64) float64 {
	mu, err := privacy.GaussianMu(privacy.Budget{Epsilon: epsilon, Delta: delta})
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

func leastWidthStub(x, predictions []float64, theta float64) float64 {
	return 1 // your turn
}

func leastWidth(x, predictions []float64, theta float64) float64 {
	v, u := 1.0, 0.0
	for t := range x {
		v += x[t] * x[t]
		u += x[t] * x[t] * predictions[t]
	}
	return math.Abs(theta-u/v) * math.Sqrt(v)
}

func eventFailsStub(rounds int, alpha float64) float64 {
	return alpha // your turn
}

func eventFails(rounds int, alpha float64) float64 {
	return 1 - math.Pow(1-alpha/(2*float64(rounds)), float64(rounds))
}

var answers = map[string]exercisetest.Answer{
	"noise of a message": {Name: "noiseOf", Stub: noiseOfStub, Solution: noiseOf},
	"gradient":           {Name: "slope", Stub: slopeStub, Solution: slope},
	"least width":        {Name: "leastWidth", Stub: leastWidthStub, Solution: leastWidth},
	"event":              {Name: "eventFails", Stub: eventFailsStub, Solution: eventFails},
}

func TestExercises(t *testing.T) {
	exercisetest.Run(t, set, "../../01-ldp-linucb.ipynb", "exercises_test.go", answers)
}
