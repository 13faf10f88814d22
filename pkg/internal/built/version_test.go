package built

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBuiltVersion(t *testing.T) {
	dep := func(version string, replace *debug.Module) []*debug.Module {
		return []*debug.Module{{Path: "example.org/a", Version: "v9.0.0"}, {Path: module, Version: version, Replace: replace}}
	}
	stamped := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{Main: debug.Module{Path: module}, Settings: stamped}, "abc-dirty"},
		{debug.BuildInfo{Main: debug.Module{Path: module}, Settings: stamped[:1]}, "abc"},
		{debug.BuildInfo{Main: debug.Module{Path: module}}, ""},
		{debug.BuildInfo{Main: debug.Module{Path: module + "/pkg/cluster"}, Settings: stamped[:1], Deps: dep("v0.0.0", &debug.Module{Path: "../.."})}, "abc"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/b"}, Settings: stamped}, ""}, // another module's revision
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/b"}, Deps: dep("v1.2.3", nil)}, "v1.2.3"},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/b"}, Deps: dep("(devel)", nil)}, ""},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/b"}, Deps: dep("v1.2.3", &debug.Module{Path: "/somewhere", Version: "(devel)"})}, ""},
		{debug.BuildInfo{Main: debug.Module{Path: "example.org/b"}, Deps: dep("v1.2.3", &debug.Module{Path: "example.org/fork", Version: "v1.3.0"})}, "example.org/fork@v1.3.0"},
	} {
		if got := builtVersion(&c.info); got != c.want {
			t.Errorf("version %q, want %q, of %+v", got, c.want, c.info)
		}
	}
}

// A program of another module tells the toolkit's version: that of its own file, which
// its name and place do not change, or what the linker was told.
func TestVersionInAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := fstest.MapFS{
		"go.sum":  {Data: sums},
		"go.mod":  {Data: []byte("module example.org/user\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n")},
		"main.go": {Data: []byte("package main\n\nimport \"" + module + "/pkg/simulate\"\n\nfunc main() { println(simulate.Version(), simulate.Program()) }\n")},
	}
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	const program, want = "example.org/user@binary-", "binary-"
	run("go", "build", "-o", "a", ".")
	if version, by, _ := strings.Cut(run("./a"), " "); !strings.HasPrefix(version, want) || !strings.HasPrefix(by, program) {
		t.Errorf("version %q of program %q, want %q", version, by, want)
	}
	run("go", "build", "-trimpath", "-o", "b", ".")
	run("cp", "b", "c")
	b, c := run("./b"), run("./c")
	if !strings.HasPrefix(b, "binary-") || b != c {
		t.Errorf("without a path: versions %q and %q, want one hash", b, c)
	}
	run("go", "build", "-ldflags", "-X "+module+"/pkg/internal/built.version=v1.2.3", "-o", "d", ".")
	if got := run("./d"); !strings.HasPrefix(got, "v1.2.3 "+program) {
		t.Errorf("version %q, want that of the linker", got)
	}
}
