package suite

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestWarmUpCaught: the record that shows all arms, under the noise that is published for K of
// them, costs its user more than the epsilon in its name, and no more than its claim says. The same
// record under the noise for all arms is not over that epsilon. Seeded; of other seeds, one in a
// hundred would say of the second, falsely, that it is over. The audits of the other releases reach
// most of what is true of them.
func TestWarmUpCaught(t *testing.T) {
	o := Options
	for _, c := range []privacy.Calibration{privacy.Sound, privacy.AsPublished} {
		item := warmUpItem(Quick, "warm-up", c).(audit.Mechanism)
		claim := item.Claim
		item.Claim = privacy.Budget{Epsilon: Budget.Epsilon}
		f, err := item.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if f.Excluded() != (c == privacy.AsPublished) || f.Epsilon > claim.Epsilon {
			t.Errorf("%v: epsilon = %v is excluded, for %v asked and %v claimed", c, f.Epsilon, f.Claim.Epsilon, claim.Epsilon)
		}
	}
	if testing.Short() {
		return // the semi-bandits' audits see the others
	}
	r, err := attackedTallies()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if !(f.Epsilon >= 0.8*f.Exact && f.Epsilon <= f.Exact) {
			t.Errorf("%s: epsilon = %v is excluded, %v is true", f.Name, f.Epsilon, f.Exact)
		}
	}
}
