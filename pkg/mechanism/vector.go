package mechanism

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

var errReset = errors.New("mechanism: used before Init and Reset")

// ready refuses a release without noise, which Reset brings, or without a level for it: Init begins by forgetting both, and ends with a claim.
func ready(n *privacy.Noise, c *privacy.Claim) error {
	if n == nil || c.Event == nil {
		return errReset
	}
	return nil
}

// protect returns the neighbours of a claim: where the field was left at its zero, one record is replaced.
func protect(n privacy.Neighbours, record string) (privacy.Neighbours, error) {
	if n == (privacy.Neighbours{}) {
		return privacy.Neighbours{Relation: privacy.Replace, Record: record, Contributions: 1}, nil
	}
	return n, n.Validate()
}

// times is k equal events about one record.
func times(e privacy.Event, k int) privacy.Event {
	if k == 1 {
		return e
	}
	return privacy.Repeat{Event: e, Times: k}
}

// fits checks the numbers and lengths of a release.
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

// apart says which releases a vector's claim covers.
func apart(n privacy.Neighbours) string {
	if n.Contributions == 1 {
		return "a record is in one release"
	}
	return fmt.Sprintf("a user is in at most %d releases", n.Contributions)
}
