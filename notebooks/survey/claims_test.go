package survey

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/lab"
)

// TestClaims checks every statement of the notebook at smoke scale.
func TestClaims(t *testing.T) {
	for statement := range claims {
		t.Run(statement, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(statement, "DP-NAS") {
				t.Skip("500 runs take seconds")
			}
			evidence, err := Check(statement, lab.Smoke)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(evidence)
		})
	}
}
