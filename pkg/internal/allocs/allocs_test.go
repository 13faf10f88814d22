package allocs

import "testing"

var kept []byte

func TestPerRun(t *testing.T) {
	want, calls := 1.0, 0
	if raced {
		want = 0
	}
	if n := PerRun(10, func() { calls++; kept = make([]byte, 64) }); n != want || calls != 11 {
		t.Errorf("%v allocations in %d calls, want %v in 11", n, calls, want)
	}
	if n := PerRun(10, func() {}); n != 0 {
		t.Errorf("%v allocations of nothing", n)
	}
}
