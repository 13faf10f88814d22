// Package trust grants what a plan may not claim by itself: amplification by a shuffler, and noise
// that is fit for deployment.
//
// A privacy.Plan takes a grant as an argument, and nobody outside of this module's pkg can name
// one, or write one as a constant. Each package that hands one out has tests of what it vouches
// for.
package trust

// Batch is how a trusted party treats a batch of messages. The zero value grants nothing.
type Batch struct{ kind int }

// The two grants of a batch. They are variables, as a constant could be written without its name.
var (
	Order = Batch{1} // it passes the messages on in uniformly random order
	Sum   = Batch{2} // it passes on their sum and nothing else, so that their noise adds up
)

// System vouches that all noise of a release is drawn from the operating system's randomness by
// samplers that leak nothing in floating point. The zero value vouches for nothing.
type System struct{ discrete bool }

// Discrete is the one System: discrete samplers on a grid.
var Discrete = System{true}
