package design_test

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/design"
)

// The middle one of three arms in the plane is not worth a sample: it is short.
func ExampleOf() {
	arms := []float64{1, 0, 0.5, 0.5, 0, 1}
	o, err := design.Of(arms, 2)
	if err != nil {
		panic(err)
	}
	core, weights := o.Core()
	fmt.Printf("%v %v %.3f\n", core, weights, o.Worst())
	// Output: [0 2] [0.5 0.5] 2.000
}
