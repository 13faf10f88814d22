package exercises

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func standardRegretStub(epsilon, delta float64) float64 {
	return 0.25 // your turn
}

func standardRegret(epsilon, delta float64) float64 {
	return 2 * (1 - delta) / (1 + math.Exp(epsilon))
}

func treeNodesStub(t, horizon int) (summed, most int) {
	return 1, t // your turn
}

func treeNodes(t, horizon int) (summed, most int) {
	for ; t > 0; t /= 2 {
		summed += t % 2
	}
	for rows := horizon - 1; rows > 0; rows /= 2 {
		most++
	}
	return summed, most
}

func leastEigenvalueStub(a, b, c, shift float64) float64 {
	return min(a, c) // your turn
}

func leastEigenvalue(a, b, c, shift float64) float64 {
	return (a+c)/2 - math.Hypot((a-c)/2, b) + shift
}

func leastSDStub(horizon int, bound, mu float64) float64 {
	return bound * bound / mu // your turn: this is enough for one node
}

func leastSD(horizon int, bound, mu float64) float64 {
	nodes := math.Floor(math.Log2(float64(horizon-1))) + 1
	return math.Sqrt(nodes) * bound * bound / mu
}

var answers = map[string]exercisetest.Answer{
	"standard privacy":   {Name: "standardRegret", Stub: standardRegretStub, Solution: standardRegret},
	"nodes":              {Name: "treeNodes", Stub: treeNodesStub, Solution: treeNodes},
	"shifted eigenvalue": {Name: "leastEigenvalue", Stub: leastEigenvalueStub, Solution: leastEigenvalue},
	"least noise":        {Name: "leastSD", Stub: leastSDStub, Solution: leastSD},
}

func TestExercises(t *testing.T) {
	exercisetest.Run(t, set, "../../03-jdp-linucb.ipynb", "exercises_test.go", answers)
}
