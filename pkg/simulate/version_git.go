//go:build !js

package simulate

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// gitVersion asks git for the revision of the directory of this file, if the build kept its path
// and it is still the toolkit's checkout. Only what is compiled makes it dirty, as notebooks change
// when they are run.
func gitVersion() string {
	revision, changed, _ := checkout()
	if revision != "" && len(changed) > 0 {
		revision += "-dirty"
	}
	return revision
}

// source names the toolkit's source as Version does, and with it the contents of files that have
// changed since the revision. It is empty if they are not known.
func source() string {
	v := Version()
	if !strings.HasSuffix(v, "-dirty") {
		if v == "unknown" || strings.HasPrefix(v, "binary-") {
			return ""
		}
		return v
	}
	revision, changed, root := checkout()
	if revision == "" {
		return ""
	}
	sum := sha256.New()
	for _, line := range changed { // "XY name": a file that is gone has no contents
		text, _ := os.ReadFile(filepath.Join(root, line[3:]))
		fmt.Fprintf(sum, "%s\n%d\n%s", line, len(text), text)
	}
	return fmt.Sprintf("%s-dirty-%x", revision, sum.Sum(nil)[:8])
}

// checkout returns the toolkit's git checkout that the program was compiled in: its directory, and
// what stateOf says of it. The revision is empty if there is none.
func checkout() (revision string, changed []string, root string) {
	_, file, _, _ := runtime.Caller(0)
	root = filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if filepath.IsAbs(root) {
		revision, changed = stateOf(root)
	}
	return revision, changed, root
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
