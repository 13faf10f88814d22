package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// TestClaims checks every statement of the notebook at smoke scale. The 500 runs of DP-NAS take
// seconds.
func TestClaims(t *testing.T) {
	notebooktest.Claims(t, claims, "printed answer")
}
