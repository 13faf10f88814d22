package simulate

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// useCache returns the directory of the job's records in its Cache, empty if it cannot have any.
// The records are of the toolkit's source alone: the program has no part in them.
func (j *job) useCache() string {
	version := source()
	if !j.whole || version == "" {
		return ""
	}
	j.origin.Version, j.origin.Program = version, ""
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", j.origin))
	return filepath.Join(j.Cache, fmt.Sprintf("%x", sum[:12]))
}
