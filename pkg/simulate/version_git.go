//go:build !js

package simulate

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// gitVersion asks git for the revision of the directory of this file, if the build kept its path
// and it is still the toolkit's checkout. Only changed Go files and go.mod and go.sum make it
// dirty, as notebooks change when they are run.
func gitVersion() string {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if !filepath.IsAbs(root) {
		return ""
	}
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	if prefix, err := git("rev-parse", "--show-prefix"); err != nil || prefix != "" {
		return ""
	}
	revision, err := git("rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain", "--untracked-files=all", "--", "*.go", "go.mod", "go.sum"); err != nil || changed != "" {
		revision += "-dirty"
	}
	return revision
}
