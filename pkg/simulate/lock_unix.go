//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package simulate

import (
	"os"
	"syscall"
)

// lock takes the file for this run alone; the system gives it back when the file is closed or the
// process ends, however it ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
