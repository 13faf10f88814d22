package environment

import (
	"fmt"
	"log"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/internal/runtest"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// The rows are those of the environment's own rounds, twice the same, and end when the loop does.
func TestRows(t *testing.T) {
	world := runtest.Open(t, Sparse{Dim: 6})
	for range 2 {
		trial := world.Start(random.New(3, 0, "contexts"))
		rewards := random.New(3, 0, "rewards")
		var v bandit.View
		n, want := 0, []float64{0}
		for x, y := range Rows(world, 3, 20) {
			trial.Next(&v)
			trial.Pull(rewards, []int{0}, want)
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
	world, err := Sparse{Noise: 0.5}.Open()
	if err != nil {
		log.Fatal(err)
	}
	theta, square := Theta(world.Start(random.New(1, 0, "contexts"))), 0.0
	for x, y := range Rows(world, 1, 1000) {
		for j, weight := range theta {
			y -= x[j] * weight
		}
		square += y * y / 1000
	}
	fmt.Printf("%.1f\n", math.Sqrt(square))
	// Output:
	// 0.5
}
