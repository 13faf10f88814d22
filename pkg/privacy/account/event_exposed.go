package account

import (
	"fmt"
	"math"
)

// Exposed is the event of a record that no noise hides. Its epsilon is +Inf.
type Exposed struct{ Why string }

func (e Exposed) String() string { return "exposed: " + e.Why }

// PureEpsilon returns +Inf.
func (Exposed) PureEpsilon() float64 { return math.Inf(1) }

// Validate always returns an error: no accountant has a finite bound.
func (e Exposed) Validate() error { return fmt.Errorf("privacy: %s", e) }
