// Package built says what the program was built from.
//
//   - [Version], [Program]: names for people
//   - [From], [All], [Whole]: a name of the code, by hashes that pkg/cmd/stamp tells the linker, or
//     by the program's file
package built

import (
	"cmp"
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/dpbandits/dpbandits"

// version is for the linker: -ldflags "-X .../pkg/internal/built.version=...".
var version string

// revision is for the linker: pkg/cmd/stamp tells it the checkout's.
var revision string

// Version returns what simulate.Version says.
var Version = sync.OnceValue(func() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := builtVersion(info); v != "" {
			return v
		}
	}
	return cmp.Or(revision, executable(), "unknown")
})

// Program returns what simulate.Program says.
var Program = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || ours(info.Main.Path) {
		return ""
	}
	if v := info.Main.Version; released(v) && !strings.HasSuffix(v, "+dirty") {
		return info.Main.Path + "@" + v
	}
	return info.Main.Path + "@" + executable()
})

// ours tells whether a module is the toolkit or is nested in it.
func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// released tells whether a version names one state of a module.
func released(version string) bool {
	return version != "" && version != "(devel)" && version != "v0.0.0"
}

// builtVersion returns the version of the toolkit that a build recorded, or "".
func builtVersion(info *debug.BuildInfo) string {
	if ours(info.Main.Path) {
		revision, dirty := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "-dirty"
			}
		}
		if revision != "" {
			return revision + dirty
		}
	}
	for _, dep := range info.Deps {
		switch {
		case dep.Path != module:
		case dep.Replace == nil && released(dep.Version):
			return dep.Version
		case dep.Replace != nil && released(dep.Replace.Version):
			return dep.Replace.Path + "@" + dep.Replace.Version
		}
	}
	return ""
}
