package write

import (
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/bandit/bandittest"
	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// TestTwice: a clip after the noise leaks nothing, if there is one before it. A test that measures
// sensitivities says that it cannot, and no other test fails.
func TestTwice(t *testing.T) {
	c := privacytest.Case[privacy.Means]{
		Of:    Twice{Epsilon: 1},
		Setup: privacy.Setup{Horizon: 16, Arms: 2, Slots: 1, Hi: 1}, Format: privacytest.Weights(nil),
	}
	failures := bandittest.Failures(func(t testing.TB) { privacytest.Statistic(t, c) })
	if len(failures) != 1 || !strings.Contains(failures[0], "not linear") {
		t.Errorf("got %q, want one failure: not linear", failures)
	}
	c.Nonlinear = true
	privacytest.Statistic(t, c)
}
