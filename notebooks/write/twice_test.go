package write

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
	"github.com/dpbandits/dpbandits/pkg/privacy/privacytest"
)

// failures collects what a test would report.
type failures struct {
	testing.TB
	all []string
}

func (f *failures) Helper()             {}
func (f *failures) Logf(string, ...any) {}
func (f *failures) Errorf(format string, args ...any) {
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

// TestTwice: a clip after the noise leaks nothing, if there is one before it. A test that measures
// sensitivities says that it cannot, and no other test fails.
func TestTwice(t *testing.T) {
	c := privacytest.Case[privacy.Means]{
		Of:    Twice{Epsilon: 1},
		Setup: privacy.Setup{Horizon: 16, Arms: 2, Slots: 1, Hi: 1}, Format: privacytest.Weights(nil),
	}
	f := &failures{}
	privacytest.Statistic(f, c)
	if len(f.all) != 1 || !strings.Contains(f.all[0], "not linear") {
		t.Errorf("got %q, want one failure: not linear", f.all)
	}
	c.Nonlinear = true
	privacytest.Statistic(t, c)
}
