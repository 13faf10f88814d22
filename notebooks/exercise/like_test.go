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
	if lists := Grid(Args{1, 2}, Args{3}, Args{4, 5}); len(lists) != 4 || lists[3][0] != 2 || lists[3][2] != 5 || lists[2][2] != 4 {
		t.Errorf("%v", lists)
	}
}
