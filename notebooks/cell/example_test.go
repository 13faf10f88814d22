package cell_test

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

func Example() {
	rounds := cell.Pick(cell.Smoke, 1_000, 100_000, 10_000_000)
	arms := cell.Try(strconv.Atoi("25")) // an error ends the cell
	cell.Holds(rounds > 10*arms, "%s rounds are many for %d arms", cell.Thousands(rounds), arms)
	// Output: holds: 1,000 rounds are many for 25 arms
}

func ExampleSize() {
	os.Setenv("SCALE", "smoke")
	fmt.Println(cell.Size(2, 20), "trials") // with SCALE=smoke
	// Output: 2 trials
}

func ExampleHoldsAt() {
	for _, epsilon := range []float64{1, 0.2} { // the text speaks of 1
		cell.HoldsAt(epsilon == 1, epsilon > 0.5, "at ε = %g privacy costs little", epsilon)
	}
	// Output:
	// holds: at ε = 1 privacy costs little
	// measured, not checked at these settings: at ε = 0.2 privacy costs little
}

func ExampleFinds() {
	regret := []float64{120, 35} // uniform, and LinUCB
	learns := regret[1] < regret[0]/2
	fmt.Println(cell.Finds(learns, "LinUCB pays less than half", "Two learners"))
	// Output: LinUCB pays less than half
}

func ExampleEpsilon() {
	for _, epsilon := range []float64{0.5, 10, math.Inf(1)} {
		fmt.Println("ε =", cell.Epsilon(epsilon))
	}
	// Output:
	// ε = 0.5
	// ε = 10
	// ε = ∞
}
