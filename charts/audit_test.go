package charts

import (
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// A finding is a row, in the order of the reports; an exact epsilon that is not known is a dash,
// and a claim that is excluded elsewhere on its curve says where.
func TestFindings(t *testing.T) {
	finding := func(name string, exact, epsilon, delta float64) audit.Finding {
		return audit.Finding{
			About:   audit.About{Name: name, Claim: privacy.Budget{Epsilon: 1, Delta: 0.01}, Exact: exact},
			Epsilon: epsilon, At: privacy.Budget{Epsilon: 0.5, Delta: 0.1}, Delta: delta, Runs: 40,
		}
	}
	table := Findings(
		audit.Report{Findings: []audit.Finding{finding("sound", 0, 0.9, 0.05), finding("worse", math.Inf(1), 2, 0.2)}},
		audit.Report{Findings: []audit.Finding{finding("curve", 3, 0.8, 0.2)}})
	text := table.Text()
	if len(table.Rows) != 3 || table.Rows[0][4] != "–" || table.Rows[1][4] != "∞" || table.Rows[2][4] != "3" {
		t.Errorf("a table of\n%s", text)
	}
	for i, want := range []string{"not excluded", "excluded", "excluded: δ ≥ 0.2 at ε = 0.5, claimed 0.1"} {
		if got := table.Rows[i][6]; got != want {
			t.Errorf("row %d: the claim is %q, want %q", i, got, want)
		}
	}
	if !strings.Contains(text, "≥ 0.9") {
		t.Errorf("no bound in\n%s", text)
	}
}
