//go:build !page

package simulate

import (
	"crypto/sha256"
	"errors"
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

// buildOf names what some code was built from: its packages and this one, by their hashes, if the
// program has a stamp of them all, and otherwise the program. It is "" if that is not known.
//
// Code that leaves something open is taken for the whole program; by the Cache, which is there for
// programs with other main packages, only if it has no Fingerprint to stand for what is open. A
// version that the linker was told is taken for all.
func (e *Experiment) buildOf(c code) string {
	switch {
	case version != "":
		return "stated-" + version
	case c.open == "":
		return stampOf(stamped(), c.packages)
	case e.Cache != "" && e.Fingerprint != "":
		covered := maps.Clone(c.packages)
		delete(covered, "main")
		return stampOf(stamped(), covered)
	}
	return executable()
}

// Build names what the program was built from, but for its main package: "packages-..." of all
// others if pkg/cmd/stamp linked it, "binary-..." of its file if not, or "stated-..." of a version
// that the linker was told. It is "" if the file cannot be read. Numbers that are kept outside of
// an experiment can be kept by it.
func Build() string {
	if version != "" {
		return "stated-" + version
	}
	all := make(map[string]bool)
	for path := range stamped() {
		all[path] = true
	}
	return stampOf(stamped(), all)
}

// stampOf is buildOf for packages. Without a stamp of them all, it is the program's hash.
func stampOf(stamp map[string]string, packages map[string]bool) string {
	sum, own := sha256.New(), module+"/pkg/simulate"
	for _, path := range append(slices.Sorted(maps.Keys(packages)), own) {
		if stamp[path] == "" {
			return executable()
		}
		fmt.Fprintf(sum, "%s %s\n", path, stamp[path])
	}
	return fmt.Sprintf("packages-%x", sum.Sum(nil)[:8])
}

// keepable returns an error that says why finished trials cannot be kept, if so: another program,
// or this one at another time, could take them for its own.
func (p *Prepared) keepable() error {
	switch {
	case p.origin.Build == "":
		return errors.New("what this program was built from is not known, as its file cannot be read; " +
			"state it with -ldflags '-X " + module + "/pkg/simulate.version=...'")
	case p.open != "" && p.Fingerprint == "":
		return fmt.Errorf("%s; state a version of it in the experiment's Fingerprint", p.open)
	}
	return nil
}
