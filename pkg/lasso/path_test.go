package lasso_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/lasso"
)

// With orthogonal columns a coordinate enters below |x_j' y|/n, and one without correlation never.
func TestEntries(t *testing.T) {
	s, err := lasso.Regression{Dim: 3}.Open()
	if err != nil {
		t.Fatal(err)
	}
	for j, y := range []float64{4, -1, 0} {
		x := make([]float64, 3)
		x[j] = 1
		if err := s.Add(x, y); err != nil {
			t.Fatal(err)
		}
	}
	alphas := []float64{2, 1, 0.5, 0.3, 0.1}
	if got, err := s.Entries(alphas); err != nil || !slices.Equal(got, []float64{1, 0.3, 0}) {
		t.Errorf("%v, %v, want entries at 1 (below 4/3), 0.3 (below 1/3) and never", got, err)
	}
	for _, bad := range [][]float64{{1, 2}, {-1}, {math.NaN()}} {
		if got, err := s.Entries(bad); err == nil {
			t.Errorf("alphas %v: %v and no error", bad, got)
		}
	}
}

func ExampleSolver_Entries() {
	s, err := lasso.Regression{Dim: 2}.Open()
	fmt.Println(err, s.Add([]float64{1, 0}, 3), s.Add([]float64{0, 1}, 1))
	fmt.Println(s.Entries([]float64{2, 1, 0.4}))
	// Output:
	// <nil> <nil> <nil>
	// [1 0.4] <nil>
}
