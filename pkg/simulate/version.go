package simulate

import "github.com/dpbandits/dpbandits/pkg/internal/built"

// Version returns the revision of the toolkit that runs, fixed when the program was built. It is
// the first of these that is known:
//
//   - what the linker was told: -ldflags "-X .../pkg/internal/built.version=v1.2.3"
//   - the revision that the build recorded, if the program is the toolkit's own
//   - the version of the toolkit, or of its replacement, that the program's go.mod asked for
//   - the revision of the git checkout it was compiled in, if pkg/cmd/stamp linked the program
//   - a hash of the program's executable file, "binary-..."
//
// A revision ends in "-dirty" if files were changed. The version is "unknown" in a browser. It is a
// name for people: what a kept trial was computed by is in its Origin's Build.
func Version() string { return built.Version() }

// Program returns the module and version of a program that is not the toolkit's own, for what its
// code decides: "example.org/thesis@v0.3.0". In place of a version that the build does not know, or
// that has uncommitted changes, it gives a hash of the executable file. It is empty for the
// toolkit's programs, of which Version tells all.
func Program() string { return built.Program() }
