package mechanism

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Vectors is a run that releases vectors under independent noise, of [Laplace] or
// [VectorGaussian].
type Vectors interface {
	privacy.Planner
	// Release writes the value, clipped and under noise, into dst, which may be the value itself. It
	// refuses a value that has the wrong length or is not finite.
	Release(dst, value []float64) error
	// Scale returns the noise of a coordinate: the scale of the Laplace noise, or the standard
	// deviation of the Gaussian.
	Scale() float64
	// Clipped returns how many values were clipped.
	Clipped() int
}

// fits checks that value and dst have length dim and that the value is finite.
func fits(dst, value []float64, dim int) error {
	if len(value) != dim || len(dst) != dim {
		return fmt.Errorf("mechanism: a value of length %d into one of %d, want %d", len(value), len(dst), dim)
	}
	for i, v := range value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("mechanism: value[%d] = %v, want finite", i, v)
		}
	}
	return nil
}

// moves is the condition of mechanisms over scores or queries of a sensitivity.
func moves(what string, by float64, monotone bool) string {
	if monotone {
		return fmt.Sprintf("one record moves a %s by at most %v, and all in the same direction", what, by)
	}
	return fmt.Sprintf("one record moves a %s by at most %v", what, by)
}

// apart returns the condition that says in how many releases a record or user may be.
func apart(n privacy.Neighbours) string {
	if n.Contributions == 1 {
		return "a record is in one release"
	}
	return fmt.Sprintf("a user is in at most %d releases", n.Contributions)
}
