package lab

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Last returns a curve's value and standard error at its last round.
func Last(c simulate.Curve) (round int, mean, se float64) {
	k := len(c.Rounds) - 1
	return c.Rounds[k], c.Mean[k], c.SE[k]
}

// Curves returns the curves of several tables.
func Curves(tables []*simulate.Table) (curves []simulate.Curve) {
	for _, t := range tables {
		curves = append(curves, t.Curves...)
	}
	return curves
}

// Curve returns a policy's curve from the table that has it.
func Curve(tables []*simulate.Table, policy string) (simulate.Curve, error) {
	for _, c := range Curves(tables) {
		if c.Policy == policy {
			return c, nil
		}
	}
	return simulate.Curve{}, fmt.Errorf("lab: no curve of %q", policy)
}

// Number formats a measured value for a report.
func Number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4g", x)
}

// ClaimLine returns a line of a printed claim, without its key.
func ClaimLine(claim, key string) string {
	for line := range strings.Lines(claim) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSuffix(strings.TrimSpace(rest), " differential privacy")
		}
	}
	return "–"
}

// TrueEpsilon reads what is proved of a policy off its claim in a table.
func TrueEpsilon(t *simulate.Table, policy string) float64 { return t.Epsilon(policy) }

// Lead is simulate's, in the curves of several tables.
func Lead(tables []*simulate.Table, a, b string) (float64, error) {
	return simulate.Lead(Curves(tables), a, b)
}

// Comparison says that policy A is ahead of B by three standard errors (1), behind by as much (-1),
// or neither (0).
type Comparison = struct {
	A, B string
	Want int
}

// Compare returns an error that begins with where unless all comparisons hold in the tables.
func Compare(where string, tables []*simulate.Table, list ...Comparison) error {
	for _, c := range list {
		z, err := Lead(tables, c.A, c.B)
		if err != nil {
			return err
		}
		got := 0
		switch {
		case z > 3:
			got = 1
		case z < -3:
			got = -1
		}
		if got != c.Want {
			return fmt.Errorf("%s: %q is ahead of %q by %.1f standard errors", where, c.A, c.B, z)
		}
	}
	return nil
}
