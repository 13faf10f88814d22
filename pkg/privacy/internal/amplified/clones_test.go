package amplified

import (
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// TestClonesDelta: the closed form with binned clones is the accountant's curve for pure messages,
// from above.
func TestClonesDelta(t *testing.T) {
	for _, c := range []struct {
		n       int
		e0, eps float64
	}{{20, 0.5, 0.2}, {1000, 1, 0.1}, {1000, 3, 0.4}, {5000, 2, 0.2}, {5000, 5, 1}} {
		lo, hi, err := account.PLD{}.DeltaBounds(account.ShuffleEvent{Local: c.e0, Users: c.n}, c.eps)
		if err != nil {
			t.Fatal(err)
		}
		if got := clonesDelta(c.eps, c.e0, c.n); got < lo*(1-1e-6) || got > 1.1*hi+1e-12 {
			t.Errorf("%d messages of %v at epsilon = %v: delta = %v, the accountant has [%v, %v]", c.n, c.e0, c.eps, got, lo, hi)
		}
	}
}
