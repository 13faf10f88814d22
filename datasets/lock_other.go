//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package datasets

import "os"

// lock always fails, as this system has no flock. So each download has a file of its own, and none
// is resumed.
func lock(*os.File) bool { return false }
