package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// revision returns the git revision of the checkout that holds this command, with "-dirty" if what
// is compiled has changed, provided that a package was compiled there; else "".
func revision(archive string) string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return ""
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(own)))
	text, err := os.ReadFile(archive)
	if err != nil || !bytes.Contains(text, []byte(filepath.Join(root, "pkg", "internal", "built")+string(filepath.Separator))) {
		return ""
	}
	name, changed := stateOf(root)
	if name != "" && len(changed) > 0 {
		name += "-dirty"
	}
	return name
}

// compiled lists what the toolkit is compiled from, as patterns of git's.
var compiled = []string{"*.go", "*.s", "go.mod", "go.sum"}

// stateOf returns the revision of a git checkout, and what git says of each file that is compiled
// and has changed. The revision is empty if the directory is not the checkout's own.
func stateOf(root string) (revision string, changed []string) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimRight(string(out), "\n\x00"), err
	}
	if prefix, err := git("rev-parse", "--show-prefix"); err != nil || prefix != "" {
		return "", nil
	}
	revision, err := git("rev-parse", "HEAD")
	if err != nil {
		return "", nil
	}
	status, err := git(append([]string{"status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--"}, compiled...)...)
	if err != nil {
		return revision, []string{"?? unknown"}
	}
	if status != "" {
		changed = strings.Split(status, "\x00")
	}
	return revision, changed
}
