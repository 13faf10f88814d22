//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datasets

import (
	"os"
	"syscall"
)

// lock locks the file for this download alone. The system unlocks it when the file is closed or the
// process ends, however it ends.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
