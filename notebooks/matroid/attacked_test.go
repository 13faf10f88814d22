package matroid

import "testing"

// TestSemiBanditAudits: no claim is excluded, and where estimates are told, the audit comes near
// what is true of them. Seeded; of other seeds, one in a hundred would exclude a claim falsely.
func TestSemiBanditAudits(t *testing.T) {
	r, err := smokeAudit()
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
