//go:build !js

package built

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"sync"
)

// executable returns a short hash of the program's executable file, or "" if it cannot be read.
var executable = sync.OnceValue(func() string {
	f, err := openexecutable()
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return fmt.Sprintf("binary-%x", sum.Sum(nil)[:8])
})

// openExecutable opens the file that runs; on Linux also if another one has taken its place.
func openexecutable() (*os.File, error) {
	if f, err := os.Open("/proc/self/exe"); err == nil {
		return f, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
