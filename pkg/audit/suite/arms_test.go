package suite

import (
	"context"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// TestArmsAudits: no claim is excluded, and where an exact epsilon is known, the audit comes near
// it. Seeded; of other seeds, one in a hundred would exclude a claim falsely.
//
// With -short it attacks all statistics, and the actions of every third learner: actions are
// computed from what the statistics release, and say less of a record.
func TestArmsAudits(t *testing.T) {
	items := soundArms(Quick)
	if testing.Short() {
		learners := 0
		items = slices.DeleteFunc(items, func(item audit.Item) bool {
			if _, acts := item.(audit.Learner); !acts {
				return false
			}
			learners++
			return learners%3 != 0
		})
	}
	r, err := audit.Family(context.Background(), items, Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Logf("%s: epsilon >= %.3g, claimed %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
		if f.Excluded() || f.Epsilon < 0.7*f.Exact {
			t.Errorf("%s: epsilon = %v is excluded, %v is claimed and %v true", f.Name, f.Epsilon, f.Claim.Epsilon, f.Exact)
		}
	}
}
