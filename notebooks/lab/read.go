package lab

import (
	"fmt"
	"math"
	"strconv"
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
func TrueEpsilon(t *simulate.Table, policy string) float64 {
	if t.Claims[policy] == "" {
		return math.Inf(1) // nothing is claimed
	}
	fields := strings.Fields(ClaimLine(t.Claims[policy], "proved"))
	if len(fields) < 3 {
		return math.NaN()
	}
	epsilon, err := strconv.ParseFloat(fields[2], 64)
	if err != nil {
		return math.NaN()
	}
	return epsilon
}

// Lead returns by how many standard errors policy a's regret is below b's at the last round: of
// their trial-by-trial difference if the tables have it.
func Lead(tables []*simulate.Table, a, b string) (float64, error) {
	if c, err := Curve(tables, b+" - "+a); err == nil {
		_, mean, se := Last(c)
		return mean / se, nil
	}
	ours, err := Curve(tables, a)
	if err != nil {
		return 0, err
	}
	theirs, err := Curve(tables, b)
	if err != nil {
		return 0, err
	}
	_, x, xse := Last(ours)
	_, y, yse := Last(theirs)
	return (y - x) / math.Hypot(xse, yse), nil
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
