package papers

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// TestArmsAudits: no claim is excluded, and where an exact epsilon is known, the audit comes near
// it. Seeded; of other seeds, one in a hundred would exclude a claim falsely.
func TestArmsAudits(t *testing.T) {
	r, err := audit.Family(context.Background(), soundArms(Smoke), audit.Options{Confidence: AuditConfidence, Seed: AuditSeed})
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
