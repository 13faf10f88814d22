package lab

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

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
