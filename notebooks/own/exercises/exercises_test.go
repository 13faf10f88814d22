package exercises

import (
	"math"
	"math/bits"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
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

func indexStub(s, n, beta, rho float64) float64 {
	return s / (rho + n) // your turn: this is the estimate alone
}

func index(s, n, beta, rho float64) float64 {
	return s/(rho+n) + beta/math.Sqrt(rho+n)
}

func noisyNodesStub(t int) (n int) {
	return t // your turn: the nodes hold 1, 2, 4, 8, … rounds
}

func noisyNodes(t int) (n int) {
	for ; t > 0; t /= 2 {
		n += t % 2
	}
	return n
}

func pairedStub(a, b []float64) (mean, se float64) {
	return (floats.Sum(a) - floats.Sum(b)) / float64(len(a)), 0 // your turn: the standard error
}

func paired(a, b []float64) (mean, se float64) {
	d, n, squares := floats.SubTo(make([]float64, len(a)), a, b), float64(len(a)), 0.0
	mean = floats.Sum(d) / n
	for _, v := range d {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}

func strongestStub(budgets, regrets []float64, most float64) float64 {
	return budgets[0] // your turn: this is the strongest only if it comes first, whatever it costs
}

func strongest(budgets, regrets []float64, most float64) float64 {
	best := math.Inf(1)
	for i, epsilon := range budgets {
		if regrets[i] <= most {
			best = min(best, epsilon)
		}
	}
	return best
}

func perRoundOfStub(price, rounds, longer float64) float64 {
	return price / rounds // your turn: this is a worse end, the same price in each round for ever
}

func perRoundOf(price, rounds, longer float64) float64 {
	return price / longer
}

var answers = map[string]notebooktest.Answer{
	"regret of a round": {Name: "regretOf", Stub: regretOfStub, Solution: regretOf, Wrong: map[string]any{
		`return means[arm]`:                     func(means []float64, arm int) float64 { return means[arm] },
		`return means[arm] - floats.Max(means)`: func(means []float64, arm int) float64 { return means[arm] - floats.Max(means) },
	}},
	"best arm": {Name: "playsBest", Stub: playsBestStub, Solution: playsBest},
	"index": {Name: "index", Stub: indexStub, Solution: index, Wrong: map[string]any{
		`return s / (rho + n)`: func(s, n, beta, rho float64) float64 { return s / (rho + n) },
		`return s/(rho+n) + beta/(rho+n)`: func(s, n, beta, rho float64) float64 {
			return s/(rho+n) + beta/(rho+n)
		},
	}},
	"noisy nodes": {Name: "noisyNodes", Stub: noisyNodesStub, Solution: noisyNodes, Wrong: map[string]any{
		`return t`:                 func(t int) int { return t },
		`return bits.Len(uint(t))`: func(t int) int { return bits.Len(uint(t)) },
	}},
	"paired": {Name: "paired", Stub: pairedStub, Solution: paired},
	"longer run": {Name: "perRoundOf", Stub: perRoundOfStub, Solution: perRoundOf, Wrong: map[string]any{
		`return price / rounds`:          func(price, rounds, longer float64) float64 { return price / rounds },
		`return price * rounds / longer`: func(price, rounds, longer float64) float64 { return price * rounds / longer },
	}},
	"strongest": {Name: "strongest", Stub: strongestStub, Solution: strongest, Wrong: map[string]any{
		`return budgets[0]`: func(budgets, regrets []float64, most float64) float64 { return budgets[0] },
		`best = max(best, epsilon)`: func(budgets, regrets []float64, most float64) (best float64) {
			for i, epsilon := range budgets {
				if regrets[i] <= most {
					best = max(best, epsilon)
				}
			}
			return best
		},
	}},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../00-quickstart.ipynb", "exercises_test.go", answers)
}

// cellMutations breaks the code once for each cell that checks what it shows, by the cell's ID.
var cellMutations = []notebooktest.Mutation{
	{"c3", "no gap is left below the best arm", "pkg/environment/decision_sets.go", "Lo: -top, Hi: top - e.Gap}", "Lo: -top, Hi: top}"},
	{"c9", "the width is a thousand times too large", "pkg/learner/linear/ucb.go", "l.estimate.Width[0] = l.factor * l", "l.estimate.Width[0] = 1000 * l.factor * l"},
	{"c12", "a prefix has no node of the largest size", "pkg/mechanism/continual/tree.go", "level := bits.Len(uint(rest)) - 1", "level := max(0, bits.Len(uint(rest))-2)"},
	{"c14", "the Gaussian is calibrated for half of delta", "pkg/privacy/budget.go", "GaussianDelta(b.Epsilon, mu) > b.Delta", "GaussianDelta(b.Epsilon, mu) > b.Delta/2"},
	{"q-printed", "the printed formula has ln(2/delta)", "pkg/mechanism/continual/gaussian.go", "portable.Log(4/of.Budget.Delta)", "portable.Log(2/of.Budget.Delta)"},
	{"c17", "the width is a hundred times too large", "pkg/learner/linear/ucb.go", "l.estimate.Width[0] = l.factor * l", "l.estimate.Width[0] = 100 * l.factor * l"},
	{"q-budgets", "a tree's ridge is added twice", "pkg/mechanism/continual/tree.go", "Shift: shift, Bounds: noise.Bounds(shift)", "Shift: 2 * shift, Bounds: noise.Bounds(shift)"},
	{"q-same", "the arms change all the same", "pkg/environment/decision_sets.go", "if e.round++; !e.of.Fixed {", "if e.round++; true {"},
	{"q-weakest", "the arms change all the same", "pkg/environment/decision_sets.go", "if e.round++; !e.of.Fixed {", "if e.round++; true {"},
	{"q-weakest", "an arm's bonus is the same in all directions", "pkg/learner/linear/ucb.go", "Estimate: dot, Width: width}", "Estimate: dot, Width: set.Width[0]}"},
	{"c25", "the proved epsilon depends on the rule", "pkg/simulate/result.go", "return p.Claim.Epsilon()", "return p.Claim.Epsilon() + float64(len(p.Name))"},
	{"q-inside-run", "LinUCB shows a tenth of its width", "pkg/learner/linear/ucb.go", "Estimate: dot, Width: width}", "Estimate: dot, Width: width / 10}"},
	{"q-fixed-run", "the arms change all the same", "pkg/environment/decision_sets.go", "if e.round++; !e.of.Fixed {", "if e.round++; true {"},
}

func TestCells(t *testing.T) { notebooktest.RunCells(t, "../../00-quickstart.ipynb", cellMutations) }
