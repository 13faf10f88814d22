package cell

import (
	"math"
	"testing"
)

func TestAgree(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		same bool
	}{
		{nil, nil, true}, {[]float64{1, 1e9}, []float64{1 + 1e-12, 1e9 + 0.1}, true}, {[]float64{math.Inf(1)}, []float64{math.Inf(1)}, true},
		{[]float64{1}, []float64{1.001}, false}, {[]float64{1}, []float64{1, 1}, false}, {[]float64{1e-12}, []float64{2e-12}, false},
		{[]float64{math.NaN()}, []float64{1}, false}, {[]float64{math.Inf(1)}, []float64{1}, false}, {[]float64{math.NaN()}, []float64{math.NaN()}, false},
	} {
		if err := agree(c.a, c.b); (err == nil) != c.same {
			t.Errorf("%v and %v: %v", c.a, c.b, err)
		}
	}
	if agree([]int{1, 2}, []int{1, 2}) != nil || agree([]int{1, 2}, []int{1, 3}) == nil {
		t.Error("arms that are the same, or not")
	}
}
