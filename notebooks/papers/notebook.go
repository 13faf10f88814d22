package papers

import (
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// MustReport lays out a figure's numbers as make reproduce prints them, from the committed
// paper-scale tables.
func MustReport(figure string) *charts.Table {
	f, err := FigureByName(figure)
	exitOn(err)
	t, err := f.Committed()
	exitOn(err)
	return t
}

func exitOn(err error) { cell.Must(err) }

// Claim is a statement that a notebook makes and a cell checks.
type Claim struct {
	Name      string // what Assert is called with
	Statement string // a sentence
	Check     func(Scale) (evidence string, err error)
}

// Claims lists the claims of all notebooks.
var Claims = slices.Concat(privacyClaims, ldpClaims, matClaims, jdpClaims)

// Check checks the claim of that name at a scale.
func Check(name string, s Scale) (statement, evidence string, err error) {
	for _, c := range Claims {
		if c.Name == name {
			evidence, err = c.Check(s)
			if err != nil {
				err = fmt.Errorf("claim %q does not hold: %s: %w", name, c.Statement, err)
			}
			return c.Statement, evidence, err
		}
	}
	return "", "", fmt.Errorf("papers: no claim %q", name)
}

// Assert checks a claim and prints the evidence; a claim that does not hold fails the cell.
func Assert(name string) {
	statement, evidence, err := Check(name, MustScale())
	exitOn(err)
	fmt.Printf("holds: %s\n       %s\n", statement, evidence)
}
