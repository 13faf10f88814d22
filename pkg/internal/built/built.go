//go:build !page

package built

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// built is for the linker: pkg/cmd/stamp tells it "path=hash" of each package of the program but
// the main one. The hash is of all that the package was compiled from, its imports included.
var built string

// stamped returns the hash of each package by its path; nothing if the program has no stamp.
var stamped = sync.OnceValue(func() map[string]string {
	sums := make(map[string]string)
	for field := range strings.FieldsSeq(built) {
		if path, sum, ok := strings.Cut(field, "="); ok {
			sums[path] = sum
		}
	}
	return sums
})

// From names what some packages were built from: "packages-..." of their hashes, if the program has
// a stamp of them all, and otherwise what Whole returns. A version that the linker was told,
// "stated-...", is taken for all. It is "" if what the program was built from is not known.
func From(packages map[string]bool) string {
	if version != "" {
		return Whole()
	}
	stamp, sum := stamped(), sha256.New()
	if len(stamp) == 0 {
		return Whole()
	}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		if stamp[path] == "" {
			return Whole()
		}
		fmt.Fprintf(sum, "%s %s\n", path, stamp[path])
	}
	return fmt.Sprintf("packages-%x", sum.Sum(nil)[:8])
}

// All is From for all packages of the program but the main one.
func All() string {
	all := make(map[string]bool)
	for path := range stamped() {
		all[path] = true
	}
	return From(all)
}

// Whole names the program: a version that the linker was told, "stated-...", or else the hash of
// its file, "binary-...". It is "" if the file cannot be read.
func Whole() string {
	if version != "" {
		return "stated-" + version
	}
	return executable()
}
