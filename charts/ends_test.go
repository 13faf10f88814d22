package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/charts"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func curve(policy string, mean, se, q90 float64) simulate.Curve {
	return simulate.Curve{Policy: policy, Rounds: []int{1, 10}, Mean: []float64{0, mean}, SE: []float64{0, se}, Q90: []float64{0, q90}, Trials: 4}
}

func ExampleEnds() {
	strict := charts.Run{Name: "ε = 1", Curves: []simulate.Curve{curve("tree", 80, 4, 95), curve("BLT", 60, 3, 71)}}
	loose := charts.Run{Name: "ε = 10", Curves: []simulate.Curve{curve("BLT", 30, 1, 34), curve("tree", 41, 2, 47)}}
	t, err := charts.Ends([]string{"policy"}, false, func(policy string) []any { return []any{policy} }, strict, loose)
	if err != nil {
		panic(err)
	}
	fmt.Print(t.Text())
	// Output:
	// | policy | ε = 1 |  SE | ε = 10 |  SE |
	// |--------|------:|----:|-------:|----:|
	// | tree   |    80 |   4 |     41 |   2 |
	// | BLT    |    60 |   3 |     30 |   1 |
}

func TestEnds(t *testing.T) {
	both := charts.Run{Name: "both", Curves: []simulate.Curve{curve("a", 1, 2, 3), curve("b", 4, 5, 6), curve("b - a", 3, 1, 4)}}
	only := charts.Run{Name: "only", Curves: both.Curves[1:2]}
	first := func(policy string) []any {
		if policy != "b" {
			return nil
		}
		return []any{policy, "second"}
	}
	table, err := charts.Ends([]string{"policy", "place"}, true, first, both, only)
	if err != nil || len(table.Rows) != 1 || fmt.Sprint(table.Rows[0]) != "[b second 4 5 6 4 5 6]" || table.Align != "llrrrrrr" {
		t.Errorf("%v, error %v, want one row, of b in both runs", table, err)
	}
	all := func(policy string) []any { return []any{policy} }
	if _, err := charts.Ends([]string{"policy"}, false, all, both, only); err == nil || !strings.Contains(err.Error(), `run "only" has no policy "a"`) {
		t.Errorf("error %v, want one that names the run and the policy", err)
	}
	if table, err := charts.Ends([]string{"policy"}, false, all); err != nil || len(table.Rows) != 0 {
		t.Errorf("no runs: %v, error %v, want no rows", table, err)
	}
}
