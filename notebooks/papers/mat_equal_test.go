package papers

import (
	"context"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// TestMATEqual: at smoke scale every private policy of the comparison has the epsilon that was
// asked for, and table and figure can be laid out.
func TestMATEqual(t *testing.T) {
	experiments := experimentsMATEqual(Smoke)
	for _, e := range experiments {
		e.Trials, e.Rounds, e.Grid = 2, 500, []int{20, 100, 500}
	}
	results, err := simulate.RunAll(context.Background(), experiments, simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables := Tables(results)
	for i, epsilon := range append(MATEqualEpsilons, MATEpsilon) {
		if err := equallyPrivate(tables[i], epsilon); err != nil {
			t.Error(err)
		}
		if _, err := FigureMATEqual(tables[i], Here(Smoke)).HTML(); err != nil {
			t.Error(err)
		}
	}
	if err := equallyPrivate(tables[0], 1.9); err == nil {
		t.Error("a policy at epsilon = 2 passes for one at 1.9")
	}
	report, err := reportMATEqual(Smoke, tables)
	if err != nil || len(report.Rows) != len(matEquals) {
		t.Errorf("a report of %d policies has %d rows: %v", len(matEquals), len(report.Rows), err)
	}
}
