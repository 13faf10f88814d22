//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import "os"

// lock does nothing, as this system has no flock. Do not run two processes on one checkpoint.
func lock(*os.File) error { return nil }
