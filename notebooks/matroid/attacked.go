package matroid

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
)

// Audit attacks the learners on matroids: the first user's weights are turned around, and what
// the learner releases and plays is looked at. A part of the suite.
func Audit(ctx context.Context, s lab.Scale) (audit.Report, error) {
	return audit.Family(ctx, suite.SoundSemiBandits(cell.Pick(s, suite.Quick, suite.Usual, suite.Thorough)), audit.Options{Confidence: suite.Confidence, Seed: suite.Seed})
}

var attackedClaims = []lab.Claim{
	{"round 0", "attacked, no learner on a matroid exceeds its claim; a round 0 as published shows more of its user than was asked for, a forced start does not", claimRoundZero},
}

// smokeAudit is Audit at its smallest, run once a process.
var smokeAudit = sync.OnceValues(func() (audit.Report, error) { return Audit(context.Background(), lab.Smoke) })

func claimRoundZero(lab.Scale) (string, error) {
	r, err := smokeAudit()
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
		case f.Epsilon > suite.Budget.Epsilon:
			return "", fmt.Errorf("%s: epsilon >= %.3g, asked for %.3g", f.Name, f.Epsilon, suite.Budget.Epsilon)
		case strings.Contains(f.Name, "estimates"):
			least = math.Min(least, f.Epsilon/suite.Budget.Epsilon)
		}
	}
	if !(published > suite.Budget.Epsilon) {
		return "", fmt.Errorf("round 0 as published: epsilon >= %.3g, asked for %.3g", published, suite.Budget.Epsilon)
	}
	if !(least > 0.5) {
		return "", fmt.Errorf("an audit sees only %.2f of what is there", least)
	}
	return fmt.Sprintf("%d audits; ε = %g was asked for, and ε ≥ %.2f is shown of the user of round 0 as published; the audits of all estimates see %.2f of what is there, or more", len(r.Findings), suite.Budget.Epsilon, published, least), nil
}
