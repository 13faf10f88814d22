package exercise

import (
	"strings"
	"testing"
)

// Like takes answers that agree everywhere, and says where one does not.
func TestLike(t *testing.T) {
	power := func(n int, x float64) float64 {
		p := 1.0
		for range n {
			p *= x
		}
		return p
	}
	check := Like(power, 1e-9, "the power %d of %v", Grid(Args{0, 1, 2}, Args{2, 0.5}))
	if err := check(power); err != nil {
		t.Error(err)
	}
	err := check(func(n int, x float64) float64 { return power(min(n, 1), x) })
	if err == nil || !strings.Contains(err.Error(), "the power 2 of 2 is 4, and you have 2") {
		t.Errorf("error %v, want one that says where", err)
	}
	if err := check(func(float64) float64 { return 0 }); err == nil {
		t.Error("a function of another type passes")
	}
	if n := UpTo(3); len(n) != 3 || n[0] != 1 || n[2] != 3 {
		t.Errorf("up to 3: %v", n)
	}
	if lists := Grid(Args{1, 2}, Args{3}, Args{4, 5}); len(lists) != 4 || lists[3][0] != 2 || lists[3][2] != 5 || lists[2][2] != 4 {
		t.Errorf("%v", lists)
	}
}

// Like compares all that a function returns, and takes no answer that changes its arguments.
func TestLikeSlices(t *testing.T) {
	double := func(of []float64) (int, []float64) {
		twice := make([]float64, len(of))
		for i, v := range of {
			twice[i] = 2 * v
		}
		return len(of), twice
	}
	check := func(f any) error {
		return Like(double, 0, "the doubles of %v", Grid(Args{[]float64{}, []float64{1, 3}}))(f)
	}
	if err := check(double); err != nil {
		t.Error(err)
	}
	for want, f := range map[string]func([]float64) (int, []float64){
		"the doubles of [1 3] is [2 2 6], and you have [2 1 3]": func(of []float64) (int, []float64) { return len(of), of },
		"the doubles of [1 3] is [2 2 6], and you have [2 2]":   func(of []float64) (int, []float64) { _, twice := double(of); return len(of), twice[:len(of)/2] },
		"the arguments [1 3] have become [2 3]": func(of []float64) (int, []float64) {
			n, twice := double(of)
			copy(of, twice[:len(of)/2])
			return n, twice
		},
	} {
		if err := check(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
