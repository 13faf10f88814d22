package pkg_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostLines is how many lines of Go, without tests, a directory under pkg/ may hold: more are
// several subjects.
const mostLines = 3500

// TestRoomsAreSmall: no directory under pkg/ has more lines than a reader has patience.
func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		lines[filepath.Dir(path)] += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil || len(lines) < 40 {
		t.Fatalf("%d directories, %v", len(lines), err)
	}
	for dir, n := range lines {
		if n > mostLines {
			t.Errorf("pkg/%s has %d lines of Go, want <= %d", dir, n, mostLines)
		}
	}
}
