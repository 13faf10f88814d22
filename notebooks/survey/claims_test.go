package survey

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/notebook/notebooktest"
)

// TestClaims checks every statement of the notebook at smoke scale. The 500 runs of DP-NAS take
// seconds.
func TestClaims(t *testing.T) {
	notebooktest.Claims(t, claims, "DP-NAS is right in fewer than 4 runs of 100 as printed, and in all with W/t; it stops when an independent program's does.")
}
