package bandit

import "io"

// Close closes a Calibrated or a Run that is an io.Closer, and does nothing with any other.
//
// Whoever opens a learner or starts a run closes it when it is over, runs first. It is for learners
// that hold more than memory, such as a process; closing again does nothing.
func Close(x any) error {
	if c, ok := x.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
