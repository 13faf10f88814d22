package environment

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The rows are those of the environment's own rounds, twice the same, and end when the loop does.
func TestRows(t *testing.T) {
	e, same := &Sparse{Dim: 6}, &Sparse{Dim: 6}
	same.Reset(random.New(3, 0, "contexts"))
	rewards := random.New(3, 0, "rewards")
	for range 2 {
		same.Reset(random.New(3, 0, "contexts"))
		rewards = random.New(3, 0, "rewards")
		var v bandit.View
		n, want := 0, []float64{0}
		for x, y := range Rows(e, 3, 20) {
			same.Next(&v)
			same.Pull(rewards, []int{0}, want)
			if x[5] != v.Row(0)[5] || y != want[0] {
				t.Fatalf("row %d: %v, %v, want %v, %v", n, x, y, v.Row(0), want[0])
			}
			if n++; n == 11 {
				break
			}
		}
		if n != 11 {
			t.Errorf("%d rows, want 11", n)
		}
	}
}

// ExampleRows estimates how far a reward is from its mean.
func ExampleRows() {
	env, square := &Sparse{Noise: 0.5}, 0.0
	for x, y := range Rows(env, 1, 1000) {
		for _, j := range env.Support() {
			y -= x[j] * env.Theta()[j]
		}
		square += y * y / 1000
	}
	fmt.Printf("%.1f\n", math.Sqrt(square))
	// Output:
	// 0.5
}
