package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// All that is compiled makes a checkout dirty when it changes, and nothing else does.
func TestStateOfCheckout(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		if os.Getenv(name) != "" {
			t.Skipf("%s names another checkout, which this would write to", name)
		}
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(text string, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("1", "a.go", "größe \"x\".go", "b_amd64.s", "go.mod", "page.ipynb")
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "a")
	if revision, changed := stateOf(root); len(revision) < 40 || changed != nil {
		t.Errorf("revision %q, changed %q, want none", revision, changed)
	}
	write("2", "größe \"x\".go", "b_amd64.s", "go.mod", "page.ipynb", "new.go")
	_, changed := stateOf(root)
	slices.Sort(changed)
	if want := []string{" M b_amd64.s", " M go.mod", " M größe \"x\".go", "?? new.go"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
}
