package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Variable is the environment variable that names the cache folder.
const Variable = "DPBANDITS_DATA"

// ErrUnavailable is wrapped by the error for a data set that is neither in the cache nor available
// from the network. Damaged data are another error.
var ErrUnavailable = errors.New("data set unavailable")

// Dir returns the cache folder: the one that DPBANDITS_DATA names, else dpbandits in the user's
// cache folder. DPBANDITS_DATA must be an absolute path, as tests and notebook cells each run in a
// folder of their own, where a relative path would mean another place.
func Dir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("datasets: %s = %q, want an absolute path", Variable, dir)
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("datasets: no cache folder, set %s to one: %w", Variable, err)
	}
	return filepath.Join(dir, "dpbandits"), nil
}

// present reports whether the data set's files are in its folder under dir. It is an error if only
// some of them are.
func (a *archive) present(dir string) (bool, error) {
	var there, missing string
	for _, p := range a.files {
		path := filepath.Join(dir, a.folder, p.name)
		switch _, err := os.Stat(path); {
		case err == nil:
			there = path
		case errors.Is(err, fs.ErrNotExist):
			missing = path
		default:
			return false, fmt.Errorf("datasets: %s: %w", a.name, err)
		}
	}
	if there != "" && missing != "" {
		return false, fmt.Errorf("datasets: %s is incomplete: %s is there, %s is missing; unpack the whole of %s.zip there, or remove the folder", a.name, there, missing, a.folder)
	}
	return there != "", nil
}

// read reads and verifies the files in the data set's folder under dir. It parses the very bytes
// that were verified.
func (a *archive) read(dir string) (*MovieLens, error) {
	folder := filepath.Join(dir, a.folder)
	content := map[string][]byte{}
	for _, p := range a.files {
		data, err := p.load(filepath.Join(folder, p.name))
		if err != nil {
			return nil, fmt.Errorf("datasets: %s: %w; unpack %s.zip there again, or remove the folder to have it downloaded from %s", a.name, err, a.folder, a.url)
		}
		content[p.name] = data
	}
	m, err := a.parse(func(name string) ([]byte, error) { return content[name], nil })
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %s: %w", a.name, folder, err)
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{{"users", m.Users, a.users}, {"movies", len(m.Movies), a.movies}, {"ratings", len(m.Ratings), a.ratings}} {
		if c.got != c.want {
			return nil, fmt.Errorf("datasets: %s: %s has %d %s, want %d", a.name, folder, c.got, c.what, c.want)
		}
	}
	m.Source = folder
	return m, nil
}

// load reads and verifies a file. It reads at most one byte more than the file should have.
func (p pin) load(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() != p.size {
		return nil, fmt.Errorf("%s has %d bytes, want %d: it is truncated or another file", path, info.Size(), p.size)
	}
	data, err := io.ReadAll(io.LimitReader(f, p.size+1))
	if err != nil {
		return nil, err
	}
	return data, p.check(path, data)
}

// check compares a content with the size and the SHA-256 of the pin.
func (p pin) check(path string, data []byte) error {
	if int64(len(data)) != p.size {
		return fmt.Errorf("%s has %d bytes, want %d: it is truncated or another file", path, len(data), p.size)
	}
	if sum := sha256.Sum256(data); p.sha256 != "" && hex.EncodeToString(sum[:]) != p.sha256 {
		return fmt.Errorf("%s has SHA-256 %x, want %s: it is damaged or was changed", path, sum, p.sha256)
	}
	return nil
}
