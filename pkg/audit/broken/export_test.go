package broken

import "github.com/dpbandits/dpbandits/pkg/audit"

// FreshVectors is the repaired twin of SharedVectors.
func FreshVectors() audit.Mechanism { return twoEpisodes(true) }
