//go:build !unix || race

package pkg_test

// limitMemory does nothing: there is no such limit here, or the race detector's own memory is
// beyond it.
func limitMemory(uint64) {}
