package durable

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Writers of one file leave one of its contents, whole, and nothing beside it.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var group sync.WaitGroup
	for _, letter := range "abcd" {
		write := WriteFile
		if letter > 'b' {
			write = WriteFileSoon
		}
		group.Go(func() {
			data := make([]byte, 1<<16)
			for i := range data {
				data[i] = byte(letter)
			}
			for range 10 {
				if err := write(path, data); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	text, err := os.ReadFile(path)
	if err != nil || len(text) != 1<<16 {
		t.Fatalf("%d bytes, error %v", len(text), err)
	}
	for _, b := range text {
		if b != text[0] {
			t.Fatal("the contents are mixed")
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("files %v, error %v", names, err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "file"), nil); !os.IsNotExist(err) {
		t.Errorf("into no directory: error %v", err)
	}
}
