// Package durable writes files that appear whole or not at all.
package durable

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile makes a file that holds data and is on the disk, or returns an error and makes none.
// Several processes may write the same file at the same time; the last one wins.
func WriteFile(path string, data []byte) error {
	if err := write(path, data, (*os.File).Sync); err != nil {
		return err
	}
	// so that the rename survives a power cut; not all systems can
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

// WriteFileSoon is WriteFile without the wait for the disk. A process that is killed leaves the
// file whole, but a power cut may damage it for half a minute, so it wants a checksum.
func WriteFileSoon(path string, data []byte) error {
	return write(path, data, func(*os.File) error { return nil })
}

func write(path string, data []byte, sync func(*os.File) error) error {
	dir, name := filepath.Split(path)
	f, err := os.OpenFile(fmt.Sprintf("%s.%s.%x.tmp", dir, name, rand.Uint64()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, sync(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
