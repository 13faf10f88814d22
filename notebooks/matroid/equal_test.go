package matroid

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// TestEqual: at smoke scale every private policy of the comparison has the epsilon that was
// asked for, and the table can be laid out.
func TestEqual(t *testing.T) {
	experiments := experimentsEqual(cell.Smoke)
	for _, e := range experiments {
		e.Trials, e.Rounds, e.Grid = 2, 500, []int{20, 100, 500}
	}
	results, err := simulate.RunAll(context.Background(), experiments, simulate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables := lab.Tables(results)
	for i, epsilon := range append(equalEpsilons, Epsilon) {
		if err := equallyPrivate(tables[i], epsilon); err != nil {
			t.Error(err)
		}
	}
	if err := equallyPrivate(tables[0], 1.9); err == nil {
		t.Error("a policy at epsilon = 2 passes for one at 1.9")
	}
	report, err := reportEqual(cell.Smoke, tables)
	if err != nil || len(report.Rows) != len(equals) {
		t.Errorf("a report of %d policies has %d rows: %v", len(equals), len(report.Rows), err)
	}
}

// equallyPrivate checks that the private policies of a comparison have an epsilon, and that the
// others have none.
func equallyPrivate(t *simulate.Table, epsilon float64) error {
	for _, p := range equals {
		proved, want := t.Epsilon(p.name), epsilon
		if p.public {
			want = math.Inf(1)
		}
		if proved != want && !(math.Abs(proved-want) <= 1e-3*want) {
			return fmt.Errorf("%s, %s: ε = %g, want %g", t.Provenance.Experiment, p.name, proved, want)
		}
	}
	return nil
}
