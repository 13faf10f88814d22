//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package datasets

import "os"

// lock never succeeds where there is no flock: each download has a file of its own, and none is resumed.
func lock(*os.File) bool { return false }
