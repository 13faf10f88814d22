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
