// Package durable writes files that survive a crash.
package durable

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile makes a file that holds data, whole or not at all. Several processes may write the same
// file at the same time; the last one wins.
func WriteFile(path string, data []byte) error {
	dir, name := filepath.Split(path)
	f, err := os.OpenFile(fmt.Sprintf("%s.%s.%x.tmp", dir, name, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	// so that the rename survives a power cut; not all systems can
	if d, err := os.Open(filepath.Clean(dir)); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}
