package checks

import (
	"fmt"
)

// Tuning is a field that is positive, or 0 for a default.
type Tuning struct {
	name  string
	value float64
	zero  string
}

// Tuned returns the field of that name. Zero says what 0 means.
func Tuned(name string, value float64, zero string) Tuning { return Tuning{name, value, zero} }

// MostTuning bounds a factor that tunes a learner: the products of a few such factors do not
// overflow.
const MostTuning = 1e60

// Tunings reports a failure probability or a field that is out of its range.
func Tunings(who string, alpha float64, fields ...Tuning) error {
	if !(alpha >= 0 && alpha <= 1) {
		return fmt.Errorf("learner: %s.Alpha = %v, want in (0, 1], or 0 for 1/horizon", who, alpha)
	}
	for _, f := range fields {
		if !(f.value >= 0 && f.value <= MostTuning) {
			return fmt.Errorf("learner: %s.%s = %v, want finite and > 0, %v at most, or 0 for %s", who, f.name, f.value, MostTuning, f.zero)
		}
	}
	return nil
}

// Or returns a tuning field, or what its zero means.
func Or(field, zero float64) float64 {
	if field == 0 {
		return zero
	}
	return field
}
