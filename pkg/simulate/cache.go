//go:build !page

package simulate

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// useCache restores the job's trials from its Cache, or notes why they are not kept.
func (j *job) useCache() error {
	if err := j.keepable(); err != nil {
		j.save = uncached{fmt.Errorf("simulate: experiment %q: trials are not kept in the Cache: %w", j.Name, err)}
		return nil
	}
	j.origin.Version, j.origin.Program = "", "" // names of what Build says
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", j.origin))
	return j.restoreFrom(filepath.Join(j.Cache, fmt.Sprintf("%x", sum[:12])))
}
