package simulate

import (
	"cmp"
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/dpbandits/dpbandits"

// version is for the linker: -ldflags "-X github.com/dpbandits/dpbandits/pkg/simulate.version=...".
var version string

// revision is for the linker: pkg/cmd/stamp tells it the checkout's.
var revision string

// Version returns the revision of the toolkit that runs, fixed when the program was built. It is
// the first of these that is known:
//
//   - what the linker was told: -ldflags "-X .../pkg/simulate.version=v1.2.3"
//   - the revision that the build recorded, if the program is the toolkit's own
//   - the version of the toolkit, or of its replacement, that the program's go.mod asked for
//   - the revision of the git checkout it was compiled in, if pkg/cmd/stamp linked the program
//   - a hash of the program's executable file, "binary-..."
//
// A revision ends in "-dirty" if files were changed. The version is "unknown" in a browser. It is a
// name for people: what a kept trial was computed by is in its Origin's Build.
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

// Program returns the module and version of a program that is not the toolkit's own, for what its
// code decides: "example.org/thesis@v0.3.0". In place of a version that the build does not know, or
// that has uncommitted changes, it gives a hash of the executable file. It is empty for the
// toolkit's programs, of which Version tells all.
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
