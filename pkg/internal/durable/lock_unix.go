//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"os"
	"syscall"
)

// lock locks the file for this run alone. The system unlocks it when the file is closed or the
// process ends, however it ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
