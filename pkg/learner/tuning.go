package learner

import (
	"fmt"
)

// tuning is a field that is positive, or 0 for a default.
type tuning struct {
	name  string
	value float64
	zero  string // what 0 means
}

// mostTuning bounds a factor that tunes a learner: the products of a few such factors do not
// overflow.
const mostTuning = 1e60

// checkTuning reports a failure probability or a field that is out of its range.
func checkTuning(who string, alpha float64, fields ...tuning) error {
	if !(alpha >= 0 && alpha <= 1) {
		return fmt.Errorf("learner: %s.Alpha = %v, want in (0, 1], or 0 for 1/horizon", who, alpha)
	}
	for _, f := range fields {
		if !(f.value >= 0 && f.value <= mostTuning) {
			return fmt.Errorf("learner: %s.%s = %v, want finite and > 0, %v at most, or 0 for %s", who, f.name, f.value, mostTuning, f.zero)
		}
	}
	return nil
}

// or returns a tuning field, or what its zero means.
func or(field, zero float64) float64 {
	if field == 0 {
		return zero
	}
	return field
}
