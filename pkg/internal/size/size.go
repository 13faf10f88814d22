// Package size refuses sizes that would not fit into a computer's memory before anything is
// allocated.
//
//   - [Check] returns an error for too many numbers; [Limit] is the bound.
//   - [LeastBound] and [MostBound] are the range of a bound on data.
//   - [Triangle] counts the numbers of a packed symmetric matrix.
package size

import "fmt"

// Limit is the largest number of bytes of one object. A problem whose learner has a few objects of
// that size fits into a laptop.
const Limit = 1 << 29

// Check returns an error if count numbers of 8 bytes exceed the limit. what names the value that
// makes them so many, such as "mechanism: Setup.Dim = 100000". The count is a float64, since no
// product of sizes overflows it.
func Check(what string, count float64) error {
	if bytes := 8 * count; !(bytes <= Limit) {
		return fmt.Errorf("%s needs %.3g GiB of memory, want <= %v", what, bytes/(1<<30), float64(Limit)/(1<<30))
	}
	return nil
}

// Triangle returns the count of numbers in a packed symmetric matrix of an order.
func Triangle(order int) float64 { return float64(order) * (float64(order) + 1) / 2 }

// LeastBound and MostBound are the ends of the range allowed for a bound on data. Within it, the
// product of a few bounds, of noise and of a horizon neither overflows nor vanishes, so that noise
// is never rounded to zero. Change the units of data that is beyond it.
const (
	LeastBound = 1e-60
	MostBound  = 1e60
)
