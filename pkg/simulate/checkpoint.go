package simulate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dpbandits/dpbandits/pkg/internal/durable"
)

// checkpoint is a text file with one record a line: the CRC-32C of the record in eight hexadecimal
// digits, a space, the record in JSON, a newline. The first record is the identity of the
// experiment, and each other one a finished trial (a float64 survives JSON bit by bit). The file
// and its identity appear in one rename. Each trial is appended by one write and reaches the disk
// within a second. A torn last line is dropped; a bad line before it is an error.
//
// A killed process loses only the unfinished trials; a power cut also loses those of the last
// second. What cannot be written (a full disk) waits in memory and is tried again with later trials
// and at the end.
type checkpoint struct {
	mu       sync.Mutex
	f        *os.File
	restored []*Record
	partial  bool  // the file's list of policies is another one, so nothing can be appended
	size     int64 // bytes of the file's whole records
	torn     bool  // the file holds more than those, as a write failed halfway
	pending  []byte
	unsaved  int       // trials in pending
	err      error     // why the last write failed; nil if it did not
	failed   time.Time // when the last write failed
	syncErr  error     // first failure to flush to the disk, which may have lost any part
	synced   time.Time
}

// retryEvery is how long a checkpoint waits after a failed write before it tries again.
const retryEvery = time.Second

// identity is what determines the results of a trial, the code included. The number of trials is
// not part of it: a file may be resumed with more of them, or fewer.
type identity struct {
	Format      string   `json:"format"`
	Name        string   `json:"name"`
	Seed        uint64   `json:"seed"`
	Horizon     int      `json:"horizon"`
	Rounds      int      `json:"rounds"`
	Grid        []int    `json:"grid"`
	Policies    []string `json:"policies"`
	Fingerprint string   `json:"fingerprint"`
	FastForward bool     `json:"fast_forward,omitempty"`
	described
}

// described holds the parameters of the environment and of each policy's learner. The first line
// of each says what its code was built from.
type described struct {
	Environment []string   `json:"environment"`
	Learners    [][]string `json:"learners"`
}

const format = "dpbandits checkpoint 3"

func newIdentity(e *Experiment, grid []int, d described) identity {
	id := identity{format, e.Name, e.Seed, e.Horizon, e.rounds(), grid, nil, e.Fingerprint, e.FastForward, d}
	for _, p := range e.Policies {
		id.Policies = append(id.Policies, p.Name)
	}
	return id
}

// differs returns an error that names the first difference between the identity of a file and that
// of an experiment.
func (id identity) differs(want identity) error {
	diff := func(what string, got, want any) error {
		return fmt.Errorf("it is of another experiment: %s is %#v in the file and %#v in the experiment", what, got, want)
	}
	changed := func(what, how string) error {
		return fmt.Errorf("it is of another experiment: the parameters of %s differ: %s", what, how)
	}
	switch {
	case id.Format != want.Format:
		return fmt.Errorf("its format is %q, want %q", id.Format, want.Format)
	case id.Name != want.Name:
		return diff("Name", id.Name, want.Name)
	case id.Fingerprint != want.Fingerprint:
		return diff("Fingerprint", id.Fingerprint, want.Fingerprint)
	case id.Seed != want.Seed:
		return diff("Seed", id.Seed, want.Seed)
	case id.Horizon != want.Horizon:
		return diff("Horizon", id.Horizon, want.Horizon)
	case id.FastForward != want.FastForward:
		return diff("FastForward", id.FastForward, want.FastForward)
	case id.Rounds != want.Rounds:
		return diff("Rounds", id.Rounds, want.Rounds)
	case id.columns(want.Policies) == nil:
		return diff("the list of policies", id.Policies, want.Policies)
	case !slices.Equal(id.Grid, want.Grid):
		return fmt.Errorf("it is of another experiment: Grid differs (%d rounds in the file, %d in the experiment)", len(id.Grid), len(want.Grid))
	case len(id.Learners) != len(id.Policies):
		return fmt.Errorf("it has %d policies and the parameters of %d", len(id.Policies), len(id.Learners))
	}
	if how := difference(id.Environment, want.Environment); how != "" {
		return changed("the environment", how)
	}
	for i, at := range id.columns(want.Policies) {
		if how := difference(id.Learners[at], want.Learners[i]); how != "" {
			return changed(fmt.Sprintf("policy %q", want.Policies[i]), how)
		}
	}
	return nil
}

// equals returns an error as differs does, also if the file has more policies or another order.
func (id identity) equals(other identity) error {
	if err := id.differs(other); err != nil || slices.Equal(id.Policies, other.Policies) {
		return err
	}
	return fmt.Errorf("it is of another experiment: the list of policies is %q in the file and %q in the experiment", id.Policies, other.Policies)
}

// columns returns the places of the policies in the file's list, or nil if one is missing. A
// policy's results do not depend on the other policies, so a file may serve an experiment with
// fewer of them.
func (id identity) columns(policies []string) []int {
	columns := make([]int, 0, len(policies))
	for _, name := range policies {
		i := slices.Index(id.Policies, name)
		if i < 0 {
			return nil
		}
		columns = append(columns, i)
	}
	return columns
}

// openCheckpoint creates the file, or reads it and cuts off a torn last line.
func openCheckpoint(path string, id identity) (c *checkpoint, err error) {
	defer func() {
		if err != nil {
			if c != nil {
				c.f.Close()
			}
			c, err = nil, fmt.Errorf("simulate: checkpoint %s: %w", path, err)
		}
	}()
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		line, err := encode(id)
		if err != nil {
			return nil, err
		}
		if err := durable.WriteFile(path, line); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	c = &checkpoint{f: f}
	if err := lock(f); err != nil {
		return c, fmt.Errorf("it is in use by another run: %w", err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return c, err
	}
	held, records, good, err := parseCheckpoint(data)
	if err != nil {
		return c, err
	}
	if err := held.differs(id); err != nil {
		return c, fmt.Errorf("%w (move the file away to start anew)", err)
	}
	columns := held.columns(id.Policies)
	c.partial = !slices.Equal(held.Policies, id.Policies)
	for _, rec := range records {
		c.restored = append(c.restored, rec.choose(columns))
	}
	c.size = int64(good)
	if good < len(data) {
		if err := f.Truncate(int64(good)); err != nil {
			return c, err
		}
	}
	return c, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encode(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(body, castagnoli), body), nil
}

var errDamaged = errors.New("its checksum does not match")

func decode(line []byte, v any) error {
	sum, body, ok := bytes.Cut(line, []byte(" "))
	if !ok || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(body, castagnoli)) {
		return errDamaged
	}
	return json.Unmarshal(body, v)
}

// parseCheckpoint returns what a file holds, and how many bytes of it are good.
func parseCheckpoint(data []byte) (id identity, records []*Record, good int, err error) {
	for n := 0; good < len(data); n++ {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			if n == 0 {
				return id, nil, 0, errors.New("it is not a checkpoint")
			}
			return id, records, good, nil // torn
		}
		line, after := data[good:good+end], good+end+1
		if n == 0 {
			if err := decode(line, &id); err != nil {
				return id, nil, 0, fmt.Errorf("it is not a checkpoint: offset 0: %w", err)
			}
			good = after
			continue
		}
		rec := new(Record)
		err := decode(line, rec)
		if err == nil {
			err = rec.check(id)
		}
		switch {
		case err == nil:
			records = append(records, rec)
		case after == len(data):
			return id, records, good, nil // torn
		default:
			return id, nil, 0, fmt.Errorf("corrupt record at offset %d: %w", good, err)
		}
		good = after
	}
	return id, records, good, nil
}

// take returns the restored trials and forgets them.
func (c *checkpoint) take() []*Record {
	restored := c.restored
	c.restored = nil
	return restored
}

// append saves a finished trial. trouble and close report a failure to write.
func (c *checkpoint) append(r *Record) error {
	line, err := encode(r)
	if err != nil {
		return fmt.Errorf("simulate: checkpoint %s: trial %d: %w", c.f.Name(), r.Trial, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, line...)
	c.unsaved++
	if c.err == nil || time.Since(c.failed) > retryEvery {
		c.write()
	}
	if c.err == nil && time.Since(c.synced) > time.Second {
		c.sync()
	}
	return nil
}

// fail keeps nothing: a checkpoint has finished trials only.
func (c *checkpoint) fail(*TrialError) error { return nil }

// write writes what is pending. If that fails, the file keeps its whole records.
func (c *checkpoint) write() {
	defer func() {
		if c.err != nil {
			c.failed = time.Now()
		}
	}()
	if c.torn {
		if c.err = c.f.Truncate(c.size); c.err != nil {
			return
		}
		c.torn = false
	}
	n, err := c.f.Write(c.pending)
	if c.err = err; err != nil {
		c.torn = n > 0 && c.f.Truncate(c.size) != nil
		return
	}
	c.size += int64(n)
	c.pending, c.unsaved = c.pending[:0], 0
}

func (c *checkpoint) sync() {
	c.syncErr = first(c.syncErr, c.f.Sync())
	c.synced = time.Now()
}

// trouble returns how many finished trials are not in the file, and why.
func (c *checkpoint) trouble() (unsaved int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsaved, c.describe()
}

func (c *checkpoint) describe() error {
	switch {
	case c.err != nil:
		err := c.err
		if p := (*fs.PathError)(nil); errors.As(err, &p) { // it names the file, too
			err = p.Err
		}
		return fmt.Errorf("simulate: checkpoint %s: finished trials are not saved (%d so far): %w", c.f.Name(), c.unsaved, err)
	case c.syncErr != nil:
		return fmt.Errorf("simulate: checkpoint %s: finished trials may not have reached the disk: %w", c.f.Name(), c.syncErr)
	}
	return nil
}

// close writes what is pending, flushes, and reports what could not be saved. It may be called
// again.
func (c *checkpoint) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f == nil {
		return nil
	}
	if len(c.pending) > 0 {
		c.write()
	}
	c.sync()
	err := c.describe()
	if e := c.f.Close(); err == nil && e != nil {
		err = fmt.Errorf("simulate: checkpoint %s: %w", c.f.Name(), e)
	}
	c.f = nil
	return err
}

// first returns the first of two errors that is not nil.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
