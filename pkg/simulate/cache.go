package simulate

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
)

// useCache names the directory of the experiment's records in its Cache. The records are of the
// toolkit's source alone: the program has no part in them.
func (p *Prepared) useCache() {
	version := source()
	if version == "" {
		return
	}
	p.origin.Version, p.origin.Program = version, ""
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", p.origin))
	p.cache = filepath.Join(p.Cache, fmt.Sprintf("%x", sum[:12]))
}
