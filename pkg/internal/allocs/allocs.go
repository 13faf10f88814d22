// Package allocs counts allocations for tests. Under the race detector it counts none.
//
// With -race a sync.Pool, such as that of package fmt, drops some of what it is given, and the
// compiler keeps more variables on the heap, so that counts differ from run to run.
package allocs

import "testing"

// PerRun returns testing.AllocsPerRun, or 0 in a program built with -race. It calls f equally often
// in both.
func PerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	if raced {
		return 0
	}
	return n
}
