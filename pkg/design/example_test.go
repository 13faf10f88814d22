package design_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/design"
)

// The middle one of three arms in the plane is not worth a sample: it is short.
func ExampleOptimal() {
	arms := []float64{1, 0, 0.5, 0.5, 0, 1}
	var o design.Optimal
	if err := o.Init(3, 2); err != nil {
		panic(err)
	}
	if err := o.Find(arms, []int{0, 1, 2}); err != nil {
		panic(err)
	}
	core, weights := o.Core()
	fmt.Printf("%v %v %.3f\n", core, weights, o.Worst())
	// Output: [0 2] [0.5 0.5] 2.000
}
