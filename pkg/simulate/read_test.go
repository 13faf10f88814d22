package simulate

import (
	"fmt"
	"math"
	"testing"
)

// Policy b has a regret of 50, with a standard error of 3, where a has 30 with one of 4. Trial by
// trial, b is 20 worse than a with a standard error of 2.
func ExampleLead() {
	curves := []Curve{
		{Policy: "a", Mean: []float64{9, 30}, SE: []float64{1, 4}},
		{Policy: "b", Mean: []float64{9, 50}, SE: []float64{1, 3}},
	}
	lead, err := Lead(curves, "a", "b")
	fmt.Println(lead, err)
	lead, err = Lead(append(curves, Curve{Policy: "b - a", Mean: []float64{0, 20}, SE: []float64{0, 2}}), "a", "b")
	fmt.Println(lead, err)
	_, err = Lead(curves, "a", "c")
	fmt.Println(err)
	// Output:
	// 4 <nil>
	// 10 <nil>
	// simulate: no curve of "c"
}

// TestTableEpsilon reads claims as they are printed.
func TestTableEpsilon(t *testing.T) {
	table := &Table{Claims: map[string]string{
		"exact":   "model       joint\nproved      epsilon = 0.3251 at that delta (exact Gaussian)\n",
		"none":    "proved      epsilon = +Inf at that delta\n",
		"another": "source      proved by Theorem 3\n",
	}}
	for policy, want := range map[string]float64{"exact": 0.3251, "none": math.Inf(1), "not private": math.Inf(1), "another": math.NaN()} {
		if got := table.Epsilon(policy); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: epsilon = %v, want %v", policy, got, want)
		}
	}
}
