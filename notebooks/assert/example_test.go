package assert_test

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/assert"
	"github.com/dpbandits/dpbandits/notebooks/cell"
)

func Example() {
	claims := assert.Claims{{
		Name: "sine", Statement: "near zero the sine is its argument",
		Check: func(s cell.Scale) (string, error) {
			x := cell.Pick(s, 0.1, 0.01, 0.001)
			off := 1 - math.Sin(x)/x
			return assert.Holds(off < x*x/5, "at %g it is off by %.1e", x, off)
		},
	}}
	fmt.Println(claims.Check("sine", cell.Lecture))
	// Output: near zero the sine is its argument at 0.01 it is off by 1.7e-05 <nil>
}
