package exercises

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
	"gonum.org/v1/gonum/floats"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func posteriorStub(prior, epsilon float64) float64 {
	return 1 / (1 + math.Exp(-epsilon)) // your turn: this is for a prior of 1/2
}

func posterior(prior, epsilon float64) float64 {
	odds := prior / (1 - prior) * math.Exp(epsilon)
	return odds / (1 + odds)
}

func togetherStub(mus []float64) float64 {
	return floats.Sum(mus) // your turn: this is too much
}

func together(mus []float64) float64 {
	return math.Sqrt(floats.Dot(mus, mus))
}

func yesShareStub(said, epsilon float64) float64 {
	return said // your turn: some of the answers are lies
}

func yesShare(said, epsilon float64) float64 {
	lie := 1 / (1 + math.Exp(epsilon))
	return (said - lie) / (1 - 2*lie)
}

func nodesOfRow1Stub(t int) int {
	return t // your turn: a round has a release, but not always a new node
}

func nodesOfRow1(t int) (nodes int) {
	for size := 1; size <= t; size *= 2 {
		nodes++
	}
	return nodes
}

func excludedStub(p, q, delta float64) float64 {
	return math.Log(p / q) // your turn: this is for δ = 0
}

func excluded(p, q, delta float64) float64 {
	if p-delta <= q {
		return 0
	}
	return math.Log((p - delta) / q)
}

func leastClaimStub(believed float64, releases int) float64 {
	return math.Log(believed / (1 - believed)) // your turn: this is for one release, if she bets on B
}

func leastClaim(believed float64, releases int) float64 {
	return math.Abs(math.Log(believed/(1-believed))) / float64(releases)
}

func queriesForStub(loss, epsilon float64) int {
	return int(epsilon / loss) // your turn: these do not yet cost more
}

func queriesFor(loss, epsilon float64) int {
	return int(math.Floor(epsilon/loss)) + 1
}

func discreteLaplaceStub(z, scale float64) float64 {
	return math.Exp(-math.Abs(z)/scale) / (2 * scale) // your turn: the continuous law's density
}

func discreteLaplace(z, scale float64) float64 {
	return math.Tanh(1/(2*scale)) * math.Exp(-math.Abs(z)/scale)
}

var answers = map[string]notebooktest.Answer{
	"posterior": {Name: "posterior", Stub: posteriorStub, Solution: posterior, Wrong: map[string]any{
		`return 1 / (1 + math.Exp(-epsilon))`:    func(prior, epsilon float64) float64 { return 1 / (1 + math.Exp(-epsilon)) },
		`return min(1, prior*math.Exp(epsilon))`: func(prior, epsilon float64) float64 { return min(1, prior*math.Exp(epsilon)) },
	}},
	"Gaussian releases": {Name: "together", Stub: togetherStub, Solution: together, Wrong: map[string]any{
		`return floats.Sum(mus)`:                       floats.Sum,
		`return math.Sqrt(float64(len(mus))) * mus[0]`: func(mus []float64) float64 { return math.Sqrt(float64(len(mus))) * mus[0] },
	}},
	"share of yes":   {Name: "yesShare", Stub: yesShareStub, Solution: yesShare},
	"nodes of row 1": {Name: "nodesOfRow1", Stub: nodesOfRow1Stub, Solution: nodesOfRow1},
	"excluded": {Name: "excluded", Stub: excludedStub, Solution: excluded, Wrong: map[string]any{
		`return math.Log(p / q)`:           func(p, q, delta float64) float64 { return math.Log(p / q) },
		`return math.Log((p - delta) / q)`: func(p, q, delta float64) float64 { return math.Log((p - delta) / q) },
	}},
	"least claim": {Name: "leastClaim", Stub: leastClaimStub, Solution: leastClaim, Wrong: map[string]any{
		`return math.Abs(math.Log(believed / (1 - believed)))`: func(believed float64, releases int) float64 { return math.Abs(math.Log(believed / (1 - believed))) },
		`return math.Log(believed/(1-believed)) / float64(releases)`: func(believed float64, releases int) float64 {
			return math.Log(believed/(1-believed)) / float64(releases)
		},
	}},
	"queries":          {Name: "queriesFor", Stub: queriesForStub, Solution: queriesFor},
	"discrete Laplace": {Name: "discreteLaplace", Stub: discreteLaplaceStub, Solution: discreteLaplace},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../00b-privacy.ipynb", "exercises_test.go", answers)
}
