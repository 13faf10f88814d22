package opaque

import (
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

const module = "github.com/dpbandits/dpbandits"

// Foreign tells whether a package, by its path, is neither the toolkit's nor Go's own. The empty
// path is that of types without a name.
//
// Not all that lies in the toolkit's folder is the toolkit's: a folder mine is its author's.
func Foreign(path string) bool {
	if rest, ok := strings.CutPrefix(path, module+"/"); ok {
		first, _, _ := strings.Cut(rest, "/")
		return !slices.Contains([]string{"pkg", "datasets", "charts", "notebooks"}, first)
	}
	first, _, _ := strings.Cut(path, "/")
	return path != module && (strings.Contains(first, ".") || path == "main" || path == "command-line-arguments" || plain()[first])
}

// plain holds what plainWords finds in this program.
var plain = sync.OnceValue(func() map[string]bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	return plainWords(info)
})

// plainWords returns the first words of a program's modules that have no dot, as those of Go's own
// packages: "thesis" of a module "thesis", whose packages are thesis/policy and others.
func plainWords(info *debug.BuildInfo) map[string]bool {
	words := make(map[string]bool)
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if first, _, _ := strings.Cut(m.Path, "/"); first != "" && !strings.Contains(first, ".") {
			words[first] = true
		}
	}
	return words
}
