package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Line returns a line of text: the CRC-32C of a value's JSON in eight hexadecimal digits, a space,
// the JSON, a newline.
func Line(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(body, castagnoli), body), nil
}

// ErrDamaged is what ReadLine returns for a line that is not as it was written.
var ErrDamaged = errors.New("its checksum does not match")

// ReadLine reads a line, with its newline or without.
func ReadLine(line []byte, v any) error {
	sum, body, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !ok || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return ErrDamaged
	}
	return json.Unmarshal(body, v)
}

// Log is a file of lines that one process appends to. The file and its first line appear in one
// rename. Each other line is appended by one write and reaches the disk within a second. What
// cannot be written (a full disk) waits in memory and is tried again with later lines and at the
// end.
type Log struct {
	mu      sync.Mutex
	f       *os.File
	name    string
	size    int64 // bytes of the file's whole lines
	torn    bool  // the file holds more than those, as a write failed halfway
	pending []byte
	unsaved int       // lines in pending
	err     error     // why the last write failed; nil if it did not
	failed  time.Time // when the last write failed
	syncErr error     // first failure to flush to the disk, which may have lost any part
	synced  time.Time
}

// retryEvery is how long a Log waits after a failed write before it tries again.
const retryEvery = time.Second

// OpenLog opens a file for this process alone, and returns what it holds. It makes a file that is
// not there, with a first line. Keep has to be called before anything is appended.
func OpenLog(path string, first any) (l *Log, data []byte, err error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		line, err := Line(first)
		if err != nil {
			return nil, nil, err
		}
		if err := WriteFile(path, line); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, err
	}
	if err = lock(f); err != nil {
		err = fmt.Errorf("it is in use by another run: %w", err)
	} else {
		data, err = io.ReadAll(f)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return &Log{f: f, name: path, size: int64(len(data))}, data, nil
}

// Name returns the file's path.
func (l *Log) Name() string { return l.name }

// Keep cuts off what follows the first n bytes, such as a torn last line.
func (l *Log) Keep(n int) error {
	if int64(n) == l.size {
		return nil
	}
	l.size = int64(n)
	return l.f.Truncate(l.size)
}

// Append writes a line. Trouble and Close report a failure.
func (l *Log) Append(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, line...)
	l.unsaved++
	if l.err == nil || time.Since(l.failed) > retryEvery {
		l.write()
	}
	if l.err == nil && time.Since(l.synced) > time.Second {
		l.sync()
	}
}

// write writes what is pending. If that fails, the file keeps its whole lines.
func (l *Log) write() {
	defer func() {
		if l.err != nil {
			l.failed = time.Now()
		}
	}()
	if l.torn {
		if l.err = l.f.Truncate(l.size); l.err != nil {
			return
		}
		l.torn = false
	}
	n, err := l.f.Write(l.pending)
	if l.err = err; err != nil {
		l.torn = n > 0 && l.f.Truncate(l.size) != nil
		return
	}
	l.size += int64(n)
	l.pending, l.unsaved = l.pending[:0], 0
}

func (l *Log) sync() {
	if err := l.f.Sync(); l.syncErr == nil {
		l.syncErr = err
	}
	l.synced = time.Now()
}

// Trouble returns how many lines are not in the file, and why. An error with no such line is that
// some may not have reached the disk. Errors do not name the file.
func (l *Log) Trouble() (unsaved int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trouble()
}

func (l *Log) trouble() (unsaved int, err error) {
	if l.err == nil {
		return 0, l.syncErr
	}
	if p := (*fs.PathError)(nil); errors.As(l.err, &p) {
		return l.unsaved, p.Err
	}
	return l.unsaved, l.err
}

// Close writes what is pending, flushes, and returns what Trouble does. It may be called again.
func (l *Log) Close() (unsaved int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return 0, nil
	}
	if len(l.pending) > 0 {
		l.write()
	}
	l.sync()
	unsaved, err = l.trouble()
	if e := l.f.Close(); err == nil {
		err = e
	}
	l.f = nil
	return unsaved, err
}
