package exercises

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// The stubs and the solutions of the notebook's exercises; a test compares the text.

func greedyBasisStub(weights []float64, independent func(set []int) bool) []int {
	return nil // your turn
}

func greedyBasis(weights []float64, independent func(set []int) bool) (basis []int) {
	order := make([]int, len(weights))
	for e := range order {
		order[e] = e
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	for _, e := range order {
		if independent(append(slices.Clone(basis), e)) {
			basis = append(basis, e)
		}
	}
	return basis
}

func klIndexStub(mean, count, budget float64) float64 {
	return mean + math.Sqrt(budget/(2*count)) // your turn: this is Pinsker's bound, which is larger
}

func klIndex(mean, count, budget float64) float64 {
	kl := func(p, q float64) (sum float64) {
		if p > 0 {
			sum += p * math.Log(p/q)
		}
		if p < 1 {
			sum += (1 - p) * math.Log((1-p)/(1-q))
		}
		return sum
	}
	low, high := mean, 1.0
	for range 50 {
		if q := (low + high) / 2; count*kl(mean, q) <= budget {
			low = q
		} else {
			high = q
		}
	}
	return low
}

func firstBlockStub(epsilon float64, slots int, sd float64) int {
	return 1 // your turn
}

func firstBlock(epsilon float64, slots int, sd float64) int {
	size := 1
	for math.Sqrt2*float64(slots)/epsilon/float64(size) > sd {
		size *= 2
	}
	return size
}

func restsOnStub(plays int) int {
	return plays // your turn
}

func restsOn(plays int) int {
	size := 0
	for next := 1; plays >= next; next *= 2 {
		plays, size = plays-next, next
	}
	return size
}

func randomReturnStub(bases [][]int, weights []float64) float64 {
	return 0 // your turn
}

func randomReturn(bases [][]int, weights []float64) float64 {
	sum := 0.0
	for _, basis := range bases {
		for _, e := range basis {
			sum += weights[e]
		}
	}
	return sum / float64(len(bases))
}

func playsStub(gap, good, epsilon float64, k, n int) int {
	return n // your turn
}

func plays(gap, good, epsilon float64, k, n int) int {
	log := 3 * math.Log(float64(k*n))
	size := 1
	for {
		t := float64(size)
		width := math.Sqrt(log/t) + log*float64(k)/(epsilon*t)
		if width < gap+good || 2*size-1 >= n {
			return min(2*size-1, n)
		}
		size *= 2
	}
}

func noiseShareStub(k int, epsilon float64, n, block int) float64 {
	return 0 // your turn
}

func noiseShare(k int, epsilon float64, n, block int) float64 {
	return 3 * math.Log(float64(k*n)) * float64(k) / (epsilon * float64(block))
}

func playsForUserStub(epsilon float64, visits, slots int, sd float64) int {
	return 1 // your turn
}

func playsForUser(epsilon float64, visits, slots int, sd float64) int {
	size := 1
	for math.Sqrt2*float64(slots*visits)/epsilon/float64(size) > sd {
		size *= 2
	}
	return 2*size - 1
}

func promiseStub(epsilon float64, slots, releases int, width float64) float64 {
	return epsilon * width // your turn: what does a release cost, and how many are there?
}

func promise(epsilon float64, slots, releases int, width float64) float64 {
	return float64(releases) * epsilon / float64(slots)
}

func rememberStub(means, sizes []float64, v float64) float64 {
	return means[len(means)-1] // your turn: this forgets
}

func remember(means, sizes []float64, v float64) float64 {
	sum, weights := 0.0, 0.0
	for i, m := range sizes {
		w := 1 / (1/(4*m) + v/(m*m))
		sum, weights = sum+w*means[i], weights+w
	}
	return sum / weights
}

// heaviest lists elements from the heaviest to the lightest.
func heaviest(weights []float64) (order []int) {
	for e := range weights {
		order = append(order, e)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

var answers = map[string]notebooktest.Answer{
	"greedy": {Name: "greedyBasis", Stub: greedyBasisStub, Solution: greedyBasis, Wrong: map[string]any{
		`if weights[e] < 0 {`: func(weights []float64, independent func(set []int) bool) (basis []int) {
			for _, e := range heaviest(weights) {
				if weights[e] < 0 {
					break
				}
				if independent(append(slices.Clone(basis), e)) {
					basis = append(basis, e)
				}
			}
			return basis
		},
		`return order[:3]`: func(weights []float64, independent func(set []int) bool) []int {
			order := heaviest(weights)
			return order[:3]
		},
	}},
	"KL index":    {Name: "klIndex", Stub: klIndexStub, Solution: klIndex},
	"first block": {Name: "firstBlock", Stub: firstBlockStub, Solution: firstBlock},
	"last full block": {Name: "restsOn", Stub: restsOnStub, Solution: restsOn, Wrong: map[string]any{
		`return 1 << bits.Len(uint(plays)) / 2`: func(plays int) int { return 1 << bits.Len(uint(plays)) / 2 },
		`return plays`:                          func(plays int) int { return plays },
	}},
	"random return":      {Name: "randomReturn", Stub: randomReturnStub, Solution: randomReturn},
	"plays of a bad arm": {Name: "plays", Stub: playsStub, Solution: plays},
	"share of the noise": {Name: "noiseShare", Stub: noiseShareStub, Solution: noiseShare},
	"plays for a user":   {Name: "playsForUser", Stub: playsForUserStub, Solution: playsForUser},
	"promise": {Name: "promise", Stub: promiseStub, Solution: promise, Wrong: map[string]any{
		`return epsilon * width`: func(epsilon float64, slots, releases int, width float64) float64 { return epsilon * width },
		`return epsilon`:         func(epsilon float64, slots, releases int, width float64) float64 { return epsilon },
	}},
	"remember": {Name: "remember", Stub: rememberStub, Solution: remember},
}

func TestExercises(t *testing.T) {
	notebooktest.Exercises(t, set, "../../02-matroid-bandits.ipynb", "exercises_test.go", answers)
}
