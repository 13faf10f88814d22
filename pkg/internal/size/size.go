// Package size refuses what would not fit into a computer's memory before anything is allocated.
package size

import "fmt"

// Limit is how many bytes one object may take. A problem whose learner has a few of them fits into a laptop.
const Limit = 1 << 29

// Check returns an error if so many numbers of 8 bytes are more than the limit. What names the value that
// makes them so many, such as "mechanism: Setup.Dim = 100000". The count is a float64, which no product of
// sizes overflows.
func Check(what string, count float64) error {
	if bytes := 8 * count; !(bytes <= Limit) {
		return fmt.Errorf("%s needs %.3g GiB of memory, want <= %v", what, bytes/(1<<30), float64(Limit)/(1<<30))
	}
	return nil
}

// Triangle returns how many numbers a symmetric matrix of an order has, packed.
func Triangle(order int) float64 { return float64(order) * (float64(order) + 1) / 2 }
