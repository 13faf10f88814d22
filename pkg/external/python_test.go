package external

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// python returns a Python program of the repository, or skips the test where there is no Python.
func python(tb testing.TB, command ...string) Program {
	tb.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		tb.Skip("python3 is not installed")
	}
	path, err := filepath.Abs("python/src")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Setenv("PYTHONPATH", path)
	return Program{Command: append([]string{interpreter}, command...)}
}
