package charts

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Known is a number that somebody else found, in a paper or with another program, and its standard
// error. An SE of 0 is not known.
type Known struct{ Mean, SE float64 }

// Number writes a number with at least three digits and without an exponent: 12345, 12.3, 0.123.
// NaN is a dash.
func Number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return cellText(v)
	case math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".")
}

// Beside lays measured regrets out beside known ones. The zero value compares tables of any length.
type Beside struct {
	// Share is the standard error of a known number that has none, as a share of its mean. At 0 it is
	// taken to be as large as the one measured.
	Share float64
	// Rounds is the number of rounds that the known numbers are for. A shorter run has dashes beside
	// it. 0 compares all.
	Rounds int
	// Of is the policy whose regret counts as 1. Its own standard error is left out. If it is empty,
	// regrets are not divided.
	Of string
}

// Apart returns by how many combined standard errors a mean is above a known one.
func (b Beside) Apart(mean, se float64, known Known) float64 {
	if known.SE == 0 {
		known.SE = se
		if b.Share > 0 {
			known.SE = b.Share * math.Abs(known.Mean)
		}
	}
	return (mean - known.Mean) / math.Hypot(se, known.SE)
}

// Headers returns the headers of Cells. The first says what is measured.
func (b Beside) Headers(measured string) []string {
	return []string{measured, "SE", "independent", "SE", "difference in SE"}
}

// Cells returns a mean, its standard error, the known mean, its standard error, and the difference
// in combined standard errors. What is not known is a dash; so is all of a known number that is
// nil.
func (b Beside) Cells(mean, se float64, known *Known) []any {
	row := []any{Number(mean), Number(se), "–", "–", "–"}
	if known == nil {
		return row
	}
	row[2], row[4] = Number(known.Mean), fmt.Sprintf("%+.1f", b.Apart(mean, se, *known))
	if known.SE > 0 {
		row[3] = Number(known.SE)
	}
	return row
}

// Final returns a policy's mean regret at the last round of a table, and its standard error, as
// shares of the regret of Of if there is one.
func (b Beside) Final(t *simulate.Table, policy string) (mean, se float64, err error) {
	if mean, se, err = t.Final(policy); err != nil || b.Of == "" {
		return mean, se, err
	}
	whole, _, err := t.Final(b.Of)
	return mean / whole, se / whole, err
}

// Regrets returns a table with a row for each policy, and the five columns of Cells for each table,
// or the first two if known is nil. Tables are headed by their experiments, if there are several.
//
// No policies are all those of the first table. known has the numbers of a policy in the order of
// the tables; it may be absent, or have fewer.
func (b Beside) Regrets(policies []string, known map[string][]Known, tables ...*simulate.Table) (*Table, error) {
	out := &Table{Headers: []string{"policy"}, Align: "l"}
	if policies == nil && len(tables) > 0 {
		for _, c := range tables[0].Curves {
			policies = append(policies, c.Policy)
		}
	}
	columns := 5
	if known == nil {
		columns = 2
	}
	for _, t := range tables {
		measured := t.Provenance.Experiment
		if len(tables) == 1 {
			measured = "regret"
		}
		out.Headers = append(out.Headers, b.Headers(measured)[:columns]...)
		out.Align += "rrrrr"[:columns]
	}
	for _, name := range policies {
		row := []any{name}
		for i, t := range tables {
			mean, se, err := b.Final(t, name)
			if err != nil {
				return nil, err
			}
			var of *Known
			if list := known[name]; i < len(list) && (b.Rounds == 0 || b.Rounds == t.Provenance.Rounds) {
				of = &list[i]
			}
			row = append(row, b.Cells(mean, se, of)[:columns]...)
		}
		out.Add(row...)
	}
	if len(tables) > 0 && len(tables[0].Curves) > 0 {
		p := tables[0].Provenance
		out.Caption = fmt.Sprintf("Regret after %d rounds, %d trials, seed %d", p.Rounds, tables[0].Curves[0].Trials, p.Seed)
	}
	return out, nil
}

// Worst returns the largest difference from a known number in combined standard errors, whatever
// its sign, and how many numbers it compared. It is NaN if a difference is.
func (b Beside) Worst(known map[string][]Known, tables ...*simulate.Table) (worst float64, compared int, err error) {
	for name, list := range known {
		for i, k := range list {
			mean, se, err := b.Final(tables[i], name)
			if err != nil {
				return 0, 0, err
			}
			worst, compared = max(worst, math.Abs(b.Apart(mean, se, k))), compared+1
		}
	}
	return worst, compared, nil
}
