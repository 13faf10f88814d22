package exercises

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/exercise/exercisetest"
	"gonum.org/v1/gonum/floats"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func regretOfStub(means []float64, arm int) float64 {
	return means[arm] // your turn: this is what the arm earns on average
}

func regretOf(means []float64, arm int) float64 {
	return floats.Max(means) - means[arm]
}

func playsBestStub(arms int, explore float64) float64 {
	return 1 - explore // your turn: it plays the best arm more often than that
}

func playsBest(arms int, explore float64) float64 {
	return 1 - explore + explore/float64(arms)
}

var answers = map[string]exercisetest.Answer{
	"regret of a round": {Name: "regretOf", Stub: regretOfStub, Solution: regretOf},
	"best arm":          {Name: "playsBest", Stub: playsBestStub, Solution: playsBest},
}

func TestExercises(t *testing.T) {
	exercisetest.Run(t, set, "../../00-quickstart.ipynb", "exercises_test.go", answers)
}
