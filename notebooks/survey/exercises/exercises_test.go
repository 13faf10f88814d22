package exercises

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
	study "github.com/dpbandits/dpbandits/notebooks/survey"
	"github.com/dpbandits/dpbandits/pkg/learner/arms"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func trueEpsilonStub(dim, horizon int, epsilon float64) float64 {
	return epsilon // your turn
}

func trueEpsilon(dim, horizon int, epsilon float64) float64 {
	root := math.Sqrt(float64(dim))
	scale := root * math.Log(float64(horizon)) / epsilon
	nodes := bits.Len(uint(horizon - 1)) // floor(log2(T-1)) + 1
	return float64(nodes) * 2 * root / scale
}

func ruleEpsilonStub(bound, s1, s2, s3 float64) float64 {
	return 0 // your turn
}

func ruleEpsilon(bound, s1, s2, s3 float64) float64 {
	d := 2 * bound
	return d/s1 + 2*d/s2 + d/s3
}

func divergenceStub(epsilon, mean, other float64) float64 {
	return 0 // your turn
}

func divergence(epsilon, mean, other float64) float64 {
	between := max(mean, other/(other+(1-other)*math.Exp(epsilon)))
	kl := between*math.Log(between/other) + (1-between)*math.Log((1-between)/(1-other))
	return epsilon*(between-mean) + kl
}

func freeFromStub(means []float64) float64 {
	return 1 // your turn
}

func freeFrom(means []float64) float64 {
	odds := func(p float64) float64 { return math.Log(p / (1 - p)) }
	return odds(slices.Max(means)) - odds(slices.Min(means))
}

func rememberedStub(n int) int {
	return n // your turn
}

func remembered(n int) int {
	if n == 1 {
		return 1
	}
	return 1 << (bits.Len(uint(n)) - 2) // half of the largest power of 2 up to n
}

func evidenceStub(n, mean, m, other float64) float64 {
	return n + m // your turn
}

func evidence(n, mean, m, other float64) float64 {
	u := (n*mean + m*other) / (n + m) // the mean of all rewards
	kl := func(mean float64) float64 { return arms.DEps(math.Inf(1), mean, u) }
	return n*kl(mean) + m*kl(other)
}

func firstPlaysStub(horizon int, variance, kappa float64) int {
	return 1 // your turn
}

func firstPlays(horizon int, variance, kappa float64) int {
	square := variance * kappa * kappa
	return max(1, int(math.Ceil((float64(horizon)+1-square)/(square+1))))
}

func plannedStub(horizon int, logarithm func(float64) float64) float64 {
	return 1 // your turn
}

func planned(horizon int, logarithm func(float64) float64) (share float64) {
	t := float64(horizon)
	log := logarithm(t)
	for i := 1.0; i <= math.Floor(log)-1; i++ {
		share += math.Pow(2*t, i/log) / t
	}
	return share
}

func unbeatenStub(rows []study.Row) (names []string) {
	for _, r := range rows {
		names = append(names, r.Learner) // your turn
	}
	return names
}

func unbeaten(rows []study.Row) (names []string) {
	for _, r := range rows {
		if !slices.ContainsFunc(rows, func(o study.Row) bool {
			return o.Regret+1.5*math.Hypot(o.Within, r.Within) < r.Regret
		}) {
			names = append(names, r.Learner)
		}
	}
	return names
}

// kl is the Kullback-Leibler divergence of two coins.
func kl(p, q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) }

var answers = map[string]notebooktest.Answer{
	"printed scale": {Name: "trueEpsilon", Stub: trueEpsilonStub, Solution: trueEpsilon, Wrong: map[string]any{
		`return epsilon * float64(nodes) / math.Log(float64(horizon))`: func(dim, horizon int, epsilon float64) float64 {
			nodes := bits.Len(uint(horizon - 1))
			return epsilon * float64(nodes) / math.Log(float64(horizon))
		},
		`return 2 * epsilon / math.Log(float64(horizon))`: func(dim, horizon int, epsilon float64) float64 { return 2 * epsilon / math.Log(float64(horizon)) },
	}},
	"budget of the stopping rule": {Name: "ruleEpsilon", Stub: ruleEpsilonStub, Solution: ruleEpsilon, Wrong: map[string]any{
		`return d/s1 + d/s2 + d/s3`: func(bound, s1, s2, s3 float64) float64 {
			d := 2 * bound
			return d/s1 + d/s2 + d/s3
		},
		`d := bound`: func(bound, s1, s2, s3 float64) float64 {
			d := bound
			return d/s1 + 2*d/s2 + d/s3
		},
	}},
	"divergence": {Name: "divergence", Stub: divergenceStub, Solution: divergence, Wrong: map[string]any{
		`between := mean`: func(epsilon, mean, other float64) float64 {
			between := mean
			return epsilon*(between-mean) + kl(between, other)
		},
		`between := other / (other + (1-other)*math.Exp(epsilon))`: func(epsilon, mean, other float64) float64 {
			between := other / (other + (1-other)*math.Exp(epsilon))
			return epsilon*(between-mean) + kl(between, other)
		},
	}},
	"where free begins": {Name: "freeFrom", Stub: freeFromStub, Solution: freeFrom, Wrong: map[string]any{
		`return odds(sorted[k-1]) - odds(sorted[k-2])`: func(means []float64) float64 {
			odds := func(p float64) float64 { return math.Log(p / (1 - p)) }
			sorted, k := slices.Sorted(slices.Values(means)), len(means)
			return odds(sorted[k-1]) - odds(sorted[k-2])
		},
		`return slices.Max(means) - slices.Min(means)`: func(means []float64) float64 { return slices.Max(means) - slices.Min(means) },
	}},
	"what a mean remembers":  {Name: "remembered", Stub: rememberedStub, Solution: remembered},
	"evidence without noise": {Name: "evidence", Stub: evidenceStub, Solution: evidence},
	"first plays":            {Name: "firstPlays", Stub: firstPlaysStub, Solution: firstPlays},
	"schedule":               {Name: "planned", Stub: plannedStub, Solution: planned},
	"sure winners":           {Name: "unbeaten", Stub: unbeatenStub, Solution: unbeaten},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../05-dp-online-algorithms.ipynb", "exercises_test.go", answers)
}
