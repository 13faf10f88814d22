package matroid

import (
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// The bounds are those of Table 1 by hand, and a small run has a row for each policy.
func TestTable1Smoke(t *testing.T) {
	u := Uniform{L: 10, K: 2, Gap: 0.2}
	logs := math.Log(2e5)
	if got, want := u.Public(1e5), 40*logs; math.Abs(got-want) > 1e-9*want {
		t.Errorf("without privacy: %v, want %v", got, want)
	}
	if got, want := u.Private(1e5, 0.5), 8*2*logs*4.; math.Abs(got-want) > 1e-9*want {
		t.Errorf("of privacy: %v, want %v", got, want)
	}
	f, err := Figures.Named("mat-table1")
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Reproduce(t.Context(), cell.Smoke, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 4*len(Table1) + 2*(len(Table1Epsilons)-1); len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
}
