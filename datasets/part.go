package datasets

import (
	"os"
	"path/filepath"
	"time"
)

// part is the file of a download that is in progress.
type part struct {
	*os.File
	shared bool // under the name that the next call resumes; else this download's own
	drop   bool // to be removed
}

// claim opens the file that a download writes to. The first process gets the shared file, and with
// it what an interrupted transfer left. A process that comes while the first is at work gets a file
// of its own, so that they do not write into each other's.
func claim(path string) (*part, error) {
	for range 3 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if !lock(f) {
			f.Close()
			break
		}
		mine, err := f.Stat()
		if err == nil {
			var now os.FileInfo
			if now, err = os.Lstat(path); err == nil && os.SameFile(mine, now) {
				return &part{File: f, shared: true}, nil
			}
		}
		f.Close() // its last owner has removed it since
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	return &part{File: f}, nil
}

// release closes the file, and removes it unless the next call can resume it.
func (p *part) release() {
	info, err := p.Stat()
	remove := p.drop || !p.shared || err != nil || info.Size() == 0
	if remove && p.shared { // while the lock holds
		os.Remove(p.Name())
	}
	p.Close()
	if remove && !p.shared {
		os.Remove(p.Name())
	}
}

// sweep removes what processes killed at least a day ago have left, except what can be resumed.
func (a *archive) sweep(dir string) {
	for _, pattern := range []string{a.folder + ".zip.part.*", "." + a.folder + "-*"} {
		left, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range left {
			if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
				os.RemoveAll(path)
			}
		}
	}
}
