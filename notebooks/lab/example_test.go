package lab_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// A learner that pays 0.5 a round up to round 100, and then 0.01.
func ExamplePaidUntil() {
	c := simulate.Curve{Rounds: []int{1, 50, 100, 900, 1000}, Mean: []float64{0.5, 25, 50, 58, 59}}
	curves := []simulate.Curve{c}
	fmt.Println(lab.Paid(c, 1, 100), lab.PaidUntil(curves, 0.1), lab.PaidLate(curves))
	fmt.Println("never so dear:", lab.PaidUntil(curves, 1))
	// Output:
	// 0.5 [100] [0.01]
	// never so dear: [1]
}
