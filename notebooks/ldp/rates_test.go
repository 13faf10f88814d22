package ldp

import (
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
)

// A small run has a row for each policy of each experiment.
func TestRatesSmoke(t *testing.T) {
	f, err := Figures.Named("ldp-rates")
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Reproduce(t.Context(), cell.Smoke, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(RateDims) * 7; len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
}

// A small run of ldp-sqrt has a row for each policy at four epsilons, and at one for OnlineUCB.
func TestSqrtSmoke(t *testing.T) {
	f, err := Figures.Named("ldp-sqrt")
	if err != nil {
		t.Fatal(err)
	}
	table, err := f.Reproduce(t.Context(), cell.Smoke, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (len(SqrtPolicies)-1)*len(SqrtEpsilons) + 1; len(table.Rows) != want {
		t.Errorf("%d rows, want %d", len(table.Rows), want)
	}
}
