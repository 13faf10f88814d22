//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datasets

import (
	"os"
	"syscall"
)

// lock takes the file for this download alone; the system gives it back when the file is closed or the process ends, however it ends.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
