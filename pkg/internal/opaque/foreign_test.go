package opaque

import (
	"maps"
	"runtime/debug"
	"testing"
)

// What is neither the toolkit's nor Go's own is known.
func TestForeign(t *testing.T) {
	for path, want := range map[string]bool{
		"": false, "math/rand/v2": false, "sync": false, module: false, module + "/pkg/learner": false,
		"main": true, "command-line-arguments": true, "example.org/thesis": true, module + "/mine": true, "gonum.org/v1/gonum/mat": true,
	} {
		if got := Foreign(path); got != want {
			t.Errorf("Foreign(%q) = %v", path, got)
		}
	}
	info := debug.BuildInfo{Main: debug.Module{Path: "thesis"}, Deps: []*debug.Module{{Path: "own/tools"}, {Path: "gonum.org/v1/gonum"}, {Path: module}}}
	if got, want := plainWords(&info), map[string]bool{"thesis": true, "own": true}; !maps.Equal(got, want) {
		t.Errorf("modules without a dot: %v, want %v", got, want)
	}
}
