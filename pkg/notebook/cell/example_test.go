package cell_test

import (
	"fmt"
	"strconv"

	"github.com/dpbandits/dpbandits/pkg/notebook/cell"
)

func Example() {
	rounds := cell.Pick(cell.Smoke, 1_000, 100_000, 10_000_000)
	arms := cell.Try(strconv.Atoi("25")) // an error ends the cell
	cell.Holds(rounds > 10*arms, "%s rounds are many for %d arms", cell.Thousands(rounds), arms)
	// Output: holds: 1,000 rounds are many for 25 arms
}

func ExampleFinds() {
	regret := []float64{120, 35} // uniform, and LinUCB
	learns := regret[1] < regret[0]/2
	fmt.Println(cell.Finds(learns, "LinUCB pays less than half", "Two learners"))
	// Output: LinUCB pays less than half
}
