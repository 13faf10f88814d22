package charts

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/audit"
)

// Findings returns a table of what audits have found, a row each: what is claimed, the largest
// epsilon that the evidence excludes, the true epsilon where a formula has it, the runs in each
// world, and the verdict. Where a claim is excluded at another point of its curve than its own, the
// verdict says at which.
func Findings(reports ...audit.Report) *Table {
	t := NewTable("subject", "δ", "claimed ε", "audited ε", "exact ε", "runs", "the claim is")
	t.Align = "lrrrrrl"
	t.Caption = "Audited: the largest ε that the evidence excludes. Exact: by a formula, where there is one; ≤: no attack that sees the same finds more. Runs are for each of two worlds"
	for _, report := range reports {
		for _, f := range report.Findings {
			exact := "–"
			if f.Exact > 0 {
				exact = cellText(f.Exact)
			} else if f.AtMost > 0 {
				exact = "≤ " + cellText(f.AtMost)
			}
			verdict := f.Verdict()
			if f.Excluded() && f.Epsilon <= f.Claim.Epsilon {
				verdict += fmt.Sprintf(": δ ≥ %.3g at ε = %.3g, claimed %.3g", f.Delta, f.At.Epsilon, f.At.Delta)
			}
			t.Add(f.Name, cellText(f.Claim.Delta), cellText(f.Claim.Epsilon), fmt.Sprintf("≥ %.3g", f.Epsilon), exact, f.Runs, verdict)
		}
	}
	return t
}
