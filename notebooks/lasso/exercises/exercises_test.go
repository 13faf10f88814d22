package exercises

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func randomRegretStub(arms int) float64 {
	return 0 // your turn
}

func randomRegret(arms int) float64 {
	rng, sum := random.New(1, 0, "exercise"), 0.0
	for range 100_000 {
		best := math.Inf(-1)
		for range arms {
			best = max(best, rng.NormFloat64())
		}
		sum += best
	}
	return sum / 100_000
}

func softStub(y, alpha float64) float64 {
	return y // your turn
}

func soft(y, alpha float64) float64 {
	return math.Copysign(max(math.Abs(y)-alpha, 0), y)
}

func freshLossStub(m int, below0, below1 float64) float64 {
	return math.Log(below0 / below1) // your turn
}

func freshLoss(m int, below0, below1 float64) float64 {
	return float64(m) * math.Log(below0/below1)
}

func gumbelScaleStub(rho float64, k int, x, y float64) float64 {
	return 0 // your turn
}

func gumbelScale(rho float64, k int, x, y float64) float64 {
	return 2 * 2 * x * y / math.Sqrt(8*rho/float64(k))
}

func episodeRhoStub(k int, pick, mu float64) float64 {
	return 0 // your turn
}

func episodeRho(k int, pick, mu float64) float64 {
	return float64(k)*pick*pick/8 + mu*mu/2
}

func meanScoreStub(theta []float64, r float64, j int) float64 {
	return theta[j] // your turn
}

func meanScore(theta []float64, r float64, j int) (sum float64) {
	for i, v := range theta {
		sum += v * math.Pow(r, math.Abs(float64(i-j)))
	}
	return sum
}

func stepMovesStub(rows int, step, context, reward float64) float64 {
	return 2 * step * reward / float64(rows) // your turn
}

func stepMoves(rows int, step, context, reward float64) float64 {
	return 2 * 2 * step * context * reward / float64(rows)
}

func bitRoundsStub(dim int, epsilon, signal float64) float64 {
	return math.Log(float64(dim)) // your turn
}

func bitRounds(dim int, epsilon, signal float64) float64 {
	contrast := math.Tanh(epsilon / 2)
	return 4 * float64(dim) * math.Log(2*float64(dim)) / math.Pow(contrast*signal, 2)
}

func marginBoundStub(kappa float64) float64 {
	return 1 // your turn
}

func marginBound(kappa float64) float64 {
	return min(1, kappa/math.Sqrt(math.Pi))
}

func deltaFromStub(losses []float64, epsilon float64) float64 {
	return 0 // your turn
}

func deltaFrom(losses []float64, epsilon float64) (sum float64) {
	for _, loss := range losses {
		sum += max(0, 1-math.Exp(epsilon-loss)) / float64(len(losses))
	}
	return sum
}

func firstStub(a, b float64) bool {
	return true // your turn
}

func first(a, b float64) bool {
	return math.Abs(a-1) < math.Abs(b-1)
}

func leaksStub(release func(world int, seed uint64) string) bool {
	return release(0, 1) != release(1, 1) // your turn
}

func leaks(release func(world int, seed uint64) string) bool {
	seen := map[string][2]bool{}
	for seed := range uint64(200) {
		for world := range 2 {
			in := seen[release(world, seed)]
			in[world] = true
			seen[release(world, seed)] = in
		}
	}
	for _, in := range seen {
		if in[0] != in[1] {
			return true
		}
	}
	return false
}

var answers = map[string]notebooktest.Answer{
	"random arm":       {Name: "randomRegret", Stub: randomRegretStub, Solution: randomRegret},
	"soft threshold":   {Name: "soft", Stub: softStub, Solution: soft},
	"fresh thresholds": {Name: "freshLoss", Stub: freshLossStub, Solution: freshLoss},
	"noise of a selection": {Name: "gumbelScale", Stub: gumbelScaleStub, Solution: gumbelScale, Wrong: map[string]any{
		`return 2 * x * y / math.Sqrt(8*rho/float64(k))`: func(rho float64, k int, x, y float64) float64 { return 2 * x * y / math.Sqrt(8*rho/float64(k)) },
		`return 4 * x * y / math.Sqrt(8*rho)`:            func(rho float64, k int, x, y float64) float64 { return 4 * x * y / math.Sqrt(8*rho) },
	}},
	"cost of an episode": {Name: "episodeRho", Stub: episodeRhoStub, Solution: episodeRho, Wrong: map[string]any{
		`return float64(k)*pick + mu*mu/2`:                func(k int, pick, mu float64) float64 { return float64(k)*pick + mu*mu/2 },
		`return math.Pow(float64(k)*pick, 2)/8 + mu*mu/2`: func(k int, pick, mu float64) float64 { return math.Pow(float64(k)*pick, 2)/8 + mu*mu/2 },
	}},
	"decoy":          {Name: "meanScore", Stub: meanScoreStub, Solution: meanScore},
	"one step":       {Name: "stepMoves", Stub: stepMovesStub, Solution: stepMoves},
	"rounds by bits": {Name: "bitRounds", Stub: bitRoundsStub, Solution: bitRounds},
	"margin":         {Name: "marginBound", Stub: marginBoundStub, Solution: marginBound},
	"one row decides": {Name: "first", Stub: firstStub, Solution: first, Wrong: map[string]any{
		`return a > b`:                     func(a, b float64) bool { return a > b },
		`return math.Abs(a) > math.Abs(b)`: func(a, b float64) bool { return math.Abs(a) > math.Abs(b) },
	}},
	"the step without noise": {Name: "leaks", Stub: leaksStub, Solution: leaks, Wrong: map[string]any{
		`return release(0, 1) != release(1, 1)`: func(release func(world int, seed uint64) string) bool { return release(0, 1) != release(1, 1) },
		`return release(0, 1) == release(0, 2)`: func(release func(world int, seed uint64) string) bool { return release(0, 1) == release(0, 2) },
	}},
	"delta from runs": {Name: "deltaFrom", Stub: deltaFromStub, Solution: deltaFrom},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../04-private-lasso.ipynb", "exercises_test.go", answers)
}
