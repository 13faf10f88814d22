package lab

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Comparison says that policy A is ahead of B by three standard errors (1), behind by as much (-1),
// or neither (0).
type Comparison = struct {
	A, B string
	Want int
}

// Compare returns an error that begins with where unless all comparisons hold of the curves, by
// simulate.Lead. Curves without a standard error, such as those of one trial, satisfy none.
func Compare(where string, curves []simulate.Curve, list ...Comparison) error {
	for _, c := range list {
		z, err := simulate.Lead(curves, c.A, c.B)
		if err != nil {
			return err
		}
		got := 0
		switch {
		case z > 3:
			got = 1
		case z < -3:
			got = -1
		}
		if got != c.Want || math.IsNaN(z) {
			return fmt.Errorf("%s: %q is ahead of %q by %.1f standard errors", where, c.A, c.B, z)
		}
	}
	return nil
}
