package cell

import (
	"fmt"
	"math"
)

// Agree exits as Must does unless code by hand and the toolkit found the same: as many
// numbers, which differ by 1e-9 of their size at most.
func Agree[V int | float64](byHand, toolkit []V) { Must(agree(byHand, toolkit)) }

func agree[V int | float64](byHand, toolkit []V) error {
	if len(byHand) != len(toolkit) {
		return fmt.Errorf("cell: %d numbers by hand, %d by the toolkit", len(byHand), len(toolkit))
	}
	for i, h := range byHand {
		a, b := float64(h), float64(toolkit[i])
		far := math.Abs(a - b) // NaN or infinite where one number is
		if h != toolkit[i] && !(far <= min(1e-9*max(math.Abs(a), math.Abs(b)), math.MaxFloat64)) {
			return fmt.Errorf("cell: place %d has %v by hand and %v by the toolkit", i, h, toolkit[i])
		}
	}
	return nil
}
