package datasets

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unpack puts the archive's folder into dir, whole or not at all. It writes the folder under
// another name beside its place, and renames it.
func (a *archive) unpack(f *os.File, dir string) error {
	err := func() error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		r, err := zip.NewReader(f, info.Size())
		if err != nil {
			return err
		}
		entries, err := a.inspect(r)
		if err != nil {
			return err
		}
		temporary, err := os.MkdirTemp(dir, "."+a.folder+"-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		for _, name := range slices.Concat(a.names(), a.kept) {
			if entry := entries[name]; entry != nil {
				if err := a.extract(entry, name, temporary); err != nil {
					return err
				}
			}
		}
		return a.commit(temporary, dir)
	}()
	if err != nil {
		return fmt.Errorf("datasets: %s: unpacking %s: %w", a.name, f.Name(), err)
	}
	return nil
}

// names returns the names of the files that are read.
func (a *archive) names() []string {
	names := make([]string, len(a.files))
	for i, p := range a.files {
		names[i] = p.name
	}
	return names
}

// pinned returns the pin of a file, if there is one.
func (a *archive) pinned(name string) (pin, bool) {
	i := slices.IndexFunc(a.files, func(p pin) bool { return p.name == name })
	if i < 0 {
		return pin{}, false
	}
	return a.files[i], true
}

// inspect returns the archive's entries by their names in the folder. Before anything is written,
// it refuses an archive with an entry that is not expected, could be written elsewhere, or would
// grow too large.
func (a *archive) inspect(r *zip.Reader) (map[string]*zip.File, error) {
	known := slices.Concat(a.names(), a.kept, a.others)
	entries := map[string]*zip.File{}
	left := uint64(a.limit)
	for _, f := range r.File {
		if f.Name == a.folder+"/" && f.UncompressedSize64 == 0 && f.Mode().IsDir() {
			continue
		}
		if strings.ContainsAny(f.Name, "\\:\x00") || !fs.ValidPath(f.Name) {
			return nil, fmt.Errorf("refused: the entry %q might be written outside of the folder", f.Name)
		}
		if !f.Mode().IsRegular() {
			return nil, fmt.Errorf("refused: the entry %q is no regular file (%v)", f.Name, f.Mode())
		}
		name, inside := strings.CutPrefix(f.Name, a.folder+"/")
		if !inside || !slices.Contains(known, name) {
			return nil, fmt.Errorf("refused: the entry %q is not expected", f.Name)
		}
		if entries[name] != nil {
			return nil, fmt.Errorf("refused: the entry %q is there twice", f.Name)
		}
		if f.Flags&1 != 0 {
			return nil, fmt.Errorf("refused: the entry %q is encrypted", f.Name)
		}
		if p, ok := a.pinned(name); ok && f.UncompressedSize64 != uint64(p.size) {
			return nil, fmt.Errorf("refused: the entry %q has %d bytes, want %d", f.Name, f.UncompressedSize64, p.size)
		}
		if f.UncompressedSize64 > left {
			return nil, fmt.Errorf("refused: the entry %q of %d bytes brings the whole above %d", f.Name, f.UncompressedSize64, a.limit)
		}
		left -= f.UncompressedSize64
		entries[name] = f
	}
	for _, name := range a.names() {
		if entries[name] == nil {
			return nil, fmt.Errorf("refused: the entry %q is missing", a.folder+"/"+name)
		}
	}
	return entries, nil
}

// extract writes one file, of at most the size that was declared and inspected, and verifies it.
func (a *archive) extract(entry *zip.File, name, folder string) error {
	in, err := entry.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", entry.Name, err)
	}
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	hash, size := sha256.New(), int64(entry.UncompressedSize64)
	n, err := io.Copy(io.MultiWriter(out, hash), io.LimitReader(in, size+1))
	if n > size {
		return fmt.Errorf("refused: the entry %q has more bytes than the %d that it declares", entry.Name, size)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", entry.Name, err)
	}
	if p, ok := a.pinned(name); ok && p.sha256 != "" {
		if sum := hex.EncodeToString(hash.Sum(nil)); sum != p.sha256 {
			return fmt.Errorf("refused: the entry %q has SHA-256 %s, want %s", entry.Name, sum, p.sha256)
		}
	}
	if err := out.Sync(); err != nil {
		return err
	}
	return out.Close()
}

// commit gives the finished folder its name. If another process was first, its folder stays.
func (a *archive) commit(temporary, dir string) error {
	if err := os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	syncFolder(temporary)
	target := filepath.Join(dir, a.folder)
	if info, err := os.Lstat(target); err == nil && info.IsDir() {
		os.Remove(target) // if it is empty; else it stays
	}
	if err := os.Rename(temporary, target); err != nil {
		if there, other := a.present(dir); there && other == nil {
			return nil
		}
		return err
	}
	syncFolder(dir)
	return nil
}

// syncFolder writes a folder's entries to the disk, if the system can.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		f.Sync()
		f.Close()
	}
}
