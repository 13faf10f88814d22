package exercises

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
	"github.com/dpbandits/dpbandits/pkg/offpolicy"
	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func releasesStub(n int) int {
	return n // your turn
}

func releases(n int) int {
	return bits.Len(uint(n))
}

// withoutBlocks is the ε of all her releases, after up to n rewards.
func withoutBlocksStub(n int, b float64) float64 {
	return 1 / b // your turn: this is one release's
}

func withoutBlocks(n int, b float64) float64 {
	return float64(bits.Len(uint(n))) / b
}

// first is the mean that Totals releases after a first reward y, if the draw is noise.
func firstStub(y, noise float64) float64 {
	return 0 // your turn
}

func first(y, noise float64) float64 {
	return min(max(y+noise, 0), 1)
}

func bareEpsilonStub(epsilon, far float64) float64 {
	return epsilon // your turn
}

func bareEpsilon(epsilon, far float64) float64 {
	return epsilon * far
}

func planEpsilonStub(releases int, moves, scale float64) float64 {
	return 1 // your turn
}

func planEpsilon(releases int, moves, scale float64) float64 {
	return float64(releases) * moves / scale
}

func spreadOfTotalStub(n int, b float64) float64 {
	return math.Sqrt2 * b // your turn: this is one draw's
}

func spreadOfTotal(n int, b float64) float64 {
	return b * math.Sqrt(2*float64(bits.Len(uint(n)))) / float64(n)
}

func mostSeenStub(runs int, gamma float64) float64 {
	return math.Log(float64(runs)) // your turn: this is too much
}

func mostSeen(runs int, gamma float64) float64 {
	often := math.Pow(gamma, 1/float64(runs))
	return math.Log(often / (1 - often))
}

func leakStub(steps string, epsilon, far float64) float64 {
	return epsilon // your turn
}

func leak(steps string, epsilon, far float64) float64 {
	if strings.HasPrefix(steps, "clip") {
		return epsilon
	}
	return epsilon * far
}

func bestArmStub(round, long, arms int) int {
	return 0 // your turn
}

func bestArm(round, long, arms int) int {
	return (round - 1) / long % arms
}

func mostRowsStub(kappa, epsilon, delta float64) (k int) {
	return 1 // your turn
}

func mostRows(kappa, epsilon, delta float64) (k int) {
	for account.GaussianEpsilon(delta, float64(k+1)*kappa) <= epsilon {
		k++
	}
	return k
}

func alwaysStub(log *offpolicy.Log, arm int) float64 {
	return 0 // your turn
}

func always(log *offpolicy.Log, arm int) (mean float64) {
	for i, a := range log.Chosen {
		if a == arm {
			mean += log.Rewards[i] / log.Propensities[i]
		}
	}
	return mean / float64(log.Len())
}

func falseAlarmsStub(comparisons int, z float64) float64 {
	return math.Erfc(z / math.Sqrt2) // your turn: this is one comparison's
}

func falseAlarms(comparisons int, z float64) float64 {
	return float64(comparisons) * math.Erfc(z/math.Sqrt2)
}

var answers = map[string]notebooktest.Answer{
	"releases of an arm": {Name: "releases", Stub: releasesStub, Solution: releases, Wrong: map[string]any{
		`return int(math.Log2(float64(n)))`: func(n int) int { return int(math.Log2(float64(n))) },
		`return bits.OnesCount(uint(n))`:    func(n int) int { return bits.OnesCount(uint(n)) },
	}},
	"the price without blocks": {Name: "withoutBlocks", Stub: withoutBlocksStub, Solution: withoutBlocks, Wrong: map[string]any{
		`return 1 / b`:          func(n int, b float64) float64 { return 1 / b },
		`return float64(n) / b`: func(n int, b float64) float64 { return float64(n) / b },
	}},
	"the first mean": {Name: "first", Stub: firstStub, Solution: first, Wrong: map[string]any{
		`return y + noise`:                 func(y, noise float64) float64 { return y + noise },
		`return min(max(y, 0), 1) + noise`: func(y, noise float64) float64 { return min(max(y, 0), 1) + noise },
	}},
	"epsilon without clipping": {Name: "bareEpsilon", Stub: bareEpsilonStub, Solution: bareEpsilon, Wrong: map[string]any{
		`return epsilon`:       func(epsilon, far float64) float64 { return epsilon },
		`return epsilon / far`: func(epsilon, far float64) float64 { return epsilon / far },
	}},
	"what a plan proves":         {Name: "planEpsilon", Stub: planEpsilonStub, Solution: planEpsilon},
	"noise of a total":           {Name: "spreadOfTotal", Stub: spreadOfTotalStub, Solution: spreadOfTotal},
	"what so many runs can show": {Name: "mostSeen", Stub: mostSeenStub, Solution: mostSeen},
	"the order of the steps": {Name: "leak", Stub: leakStub, Solution: leak, Wrong: map[string]any{
		`if strings.Contains(steps, "clip") {`: func(steps string, epsilon, far float64) float64 {
			if strings.Contains(steps, "clip") {
				return epsilon
			}
			return epsilon * far
		},
		`if strings.HasSuffix(steps, "clip") {`: func(steps string, epsilon, far float64) float64 {
			if strings.HasSuffix(steps, "clip") {
				return epsilon
			}
			return epsilon * far
		},
	}},
	"best arm of a season":   {Name: "bestArm", Stub: bestArmStub, Solution: bestArm},
	"rows of a person":       {Name: "mostRows", Stub: mostRowsStub, Solution: mostRows},
	"false alarms of a test": {Name: "falseAlarms", Stub: falseAlarmsStub, Solution: falseAlarms},
	"inverse propensity":     {Name: "always", Stub: alwaysStub, Solution: always},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../06-write-your-own.ipynb", "exercises_test.go", answers)
}
