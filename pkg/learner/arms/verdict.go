package arms

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// verdict is the part of rules that find the best arm and stop.
type verdict struct {
	best    int
	stopped int // records that were read when it stopped; 0 before
}

// Stopped returns the round after which it stopped, and whether it has.
func (v *verdict) Stopped() (round int, ok bool) { return v.stopped, v.stopped > 0 }

// Recommend returns the arm with the best mean when it stopped or, before, of now. It is arm 0
// until all arms were seen.
func (v *verdict) Recommend() int { return v.best }

// checkVerdict returns an error unless a rule can find the best arm, wrong with probability delta.
func checkVerdict(who string, delta float64, p bandit.Problem) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("arms: %s.Delta = %v, want in (0, 1)", who, delta)
	}
	if p.Arms == 1 {
		return fmt.Errorf("arms: %s compares arms: Problem.Arms = %d, want >= 2", who, p.Arms)
	}
	return nil
}
