package cell

import (
	"fmt"
	"os"
	"path/filepath"
)

// Checkout returns the checkout's directory: DPBANDITS_ROOT, which the notebooks' kernel sets, or
// the nearest one above the working directory that has a go.mod.
func Checkout() (string, error) {
	if root := os.Getenv("DPBANDITS_ROOT"); root != "" {
		return root, nil
	}
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("cell: no go.mod in %s or above it: there is no checkout", start)
		}
	}
}

// Cache returns a directory of the checkout for simulate.Experiment.Cache, so that a cell that is
// run again has its results at once. It is empty, which means none, in a run of a whole notebook by
// make and where a page computes by its controls. `make clean` empties it.
func Cache() string {
	root, err := Checkout()
	if err != nil || os.Getenv("DPBANDITS_BATCH") != "" {
		return ""
	}
	return filepath.Join(root, "build", "cache")
}
