//go:build unix && !race

package pkg_test

import "syscall"

// limitMemory limits the process's address space, so that running out of memory ends the process
// and not the machine.
func limitMemory(bytes uint64) {
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		panic(err)
	}
}
