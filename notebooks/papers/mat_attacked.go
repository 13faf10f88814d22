package papers

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// AuditMAT attacks the learners on matroids: the first user's weights are turned around, and what
// the learner releases and plays is looked at. A part of the suite.
func AuditMAT(ctx context.Context, s Scale) (audit.Report, error) {
	return audit.Family(ctx, soundSemiBandits(s), audit.Options{Confidence: AuditConfidence, Seed: AuditSeed})
}

var matAttackedClaims = []Claim{
	{"round 0", "attacked, no learner on a matroid exceeds its claim; a round 0 as published shows more of its user than was asked for, a forced start does not", claimRoundZero},
}

// smokeMAT is AuditMAT at its smallest, run once a process.
var smokeMAT = sync.OnceValues(func() (audit.Report, error) { return AuditMAT(context.Background(), Smoke) })

func claimRoundZero(Scale) (string, error) {
	r, err := smokeMAT()
	if err != nil {
		return "", err
	}
	published, least := 0.0, math.Inf(1)
	for _, f := range r.Findings {
		if f.Excluded() {
			return "", fmt.Errorf("%s: epsilon >= %.3g, claimed %.3g", f.Name, f.Epsilon, f.Claim.Epsilon)
		}
		switch asPublished := strings.Contains(f.Name, "as published"); {
		case asPublished:
			published = f.Epsilon
		case f.Epsilon > auditBudget.Epsilon:
			return "", fmt.Errorf("%s: epsilon >= %.3g, asked for %.3g", f.Name, f.Epsilon, auditBudget.Epsilon)
		case strings.Contains(f.Name, "estimates"):
			least = math.Min(least, f.Epsilon/auditBudget.Epsilon)
		}
	}
	if !(published > auditBudget.Epsilon) {
		return "", fmt.Errorf("round 0 as published: epsilon >= %.3g, asked for %.3g", published, auditBudget.Epsilon)
	}
	if !(least > 0.5) {
		return "", fmt.Errorf("an audit sees only %.2f of what is there", least)
	}
	return fmt.Sprintf("%d audits; ε = %g was asked for, and ε ≥ %.2f is shown of the user of round 0 as published; the audits of all estimates see %.2f of what is there, or more", len(r.Findings), auditBudget.Epsilon, published, least), nil
}
