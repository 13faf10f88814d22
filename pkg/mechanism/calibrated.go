package mechanism

import "github.com/dpbandits/dpbandits/pkg/privacy"

// Calibrated is a mechanism that releases one thing at a time, ready for use. It never changes; a
// Run is thrown away. Its plan is that of any run, the Draws of a Run are in the Run's own.
type Calibrated[Run any] interface {
	privacy.Planner
	// Start begins a run that takes its noise from n. SecureGaussian and SecureLaplace take none that
	// is seeded, and have their own instead.
	Start(n *privacy.Noise) Run
}
