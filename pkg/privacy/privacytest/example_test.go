package privacytest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/mechanism/continual"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// printer prints what a test would report.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// What one record moves in a binary tree, measured, beside what the tree's plan says. In a test, t
// takes the printer's place.
func ExampleProbe() {
	found := privacytest.Probe(printer{}, privacytest.Case[privacy.Sums]{
		Of:     continual.Tree{Noise: continual.Gaussian{Budget: privacy.Budget{Epsilon: 1, Delta: 1e-6}}},
		Setup:  privacy.Setup{Dim: 3, Horizon: 8, Bound: math.Sqrt2, Context: 1, Alpha: 0.1},
		Format: privacytest.Rows(),
	})
	fmt.Printf("mu = %.4f found, %.4f planned\n", found.Found, found.Planned)
	// Output:
	// mu = 0.2367 found, 0.2367 planned
}
