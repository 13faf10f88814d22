package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/dpbandits/dpbandits/pkg/internal/durable"
)

// Store is a directory that keeps the records of an experiment, a file a trial. Processes on
// several machines may share it. A file appears whole, by a rename, when its trial has finished, so
// a process that is killed loses only the trials that it plays. A power cut also loses those of the
// half minute before it, unless they took more than a second each. A file that is damaged counts as
// none.
//
// The file of trial 1234567 is 1234/567.json, a line as in a checkpoint. If the trial failed,
// 1234/567.error.json says why, until the trial succeeds. The file experiment.json says what the
// records belong to.
type Store struct {
	p      *Prepared
	dir    string
	synced atomic.Int64 // when a record was last forced to the disk, in Unix nanoseconds
}

// OpenStore makes the directory, or opens it if it belongs to the same experiment, run by a
// program that was built from the same, on the same platform.
func (p *Prepared) OpenStore(dir string) (*Store, error) {
	s := &Store{p: p, dir: dir}
	if err := p.keepable(); err != nil {
		return nil, s.wrap(fmt.Errorf("experiment %q: %w", p.Name, err))
	}
	had, err := s.owner()
	switch {
	case err == nil:
		err = had.differs(p.origin)
	case errors.Is(err, fs.ErrNotExist):
		var line []byte
		if line, err = durable.Line(owner{p.identity, p.origin}); err == nil {
			if err = os.MkdirAll(dir, 0o777); err == nil {
				err = durable.WriteFile(filepath.Join(dir, ownerFile), line)
			}
		}
	}
	if err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// ReadStore returns what a directory holds of the experiment's trials, in their order: the records,
// and why others failed. The records may be of another platform; Reduce refuses a mixture.
func (p *Prepared) ReadStore(dir string) (records []*Record, failures []*TrialError, err error) {
	s := &Store{p: p, dir: dir}
	if err := p.keepable(); err != nil {
		return nil, nil, s.wrap(fmt.Errorf("experiment %q: %w", p.Name, err))
	}
	had, err := s.owner()
	if err != nil {
		return nil, nil, s.wrap(err)
	}
	there := *p
	there.origin.Go, there.origin.Platform = had.Go, had.Platform
	s.p = &there
	if err := had.differs(there.origin); err != nil {
		return nil, nil, s.wrap(err)
	}
	for trial := range p.Trials {
		rec, err := s.read(trial)
		if err != nil {
			return nil, nil, err
		}
		if rec != nil {
			records = append(records, rec)
			continue
		}
		text, err := os.ReadFile(s.path(trial, failed))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, s.wrap(err)
		}
		if failure := new(TrialError); json.Unmarshal(text, failure) == nil {
			failures = append(failures, failure)
		}
	}
	return records, failures, nil
}

// RunTrial returns the record that the directory has of a trial, and otherwise plays the trial and
// keeps its record, or the reason why it failed. It tells which.
func (s *Store) RunTrial(ctx context.Context, trial int) (rec *Record, restored bool, err error) {
	if rec, err := s.read(trial); rec != nil || err != nil {
		return rec, true, err
	}
	rec, err = s.p.RunTrial(ctx, trial)
	var why *TrialError
	switch {
	case err == nil:
		err = s.append(rec)
	case errors.As(err, &why):
		err = errors.Join(err, s.fail(why))
	}
	return rec, false, err
}

// owner is what a directory's records belong to.
type owner struct {
	Identity identity `json:"identity"`
	Origin
}

const (
	ownerFile = "experiment.json"
	finished  = ".json"
	failed    = ".error.json"
)

// owner reads what the directory belongs to, and compares what both programs can name.
func (s *Store) owner() (o owner, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, ownerFile))
	if err == nil {
		err = durable.ReadLine(text, &o)
	}
	if err == nil {
		err = o.Identity.equals(s.p.identity)
	}
	return o, err
}

func (s *Store) path(trial int, kind string) string {
	return filepath.Join(s.dir, fmt.Sprint(trial/1000), fmt.Sprintf("%03d%s", trial%1000, kind))
}

// read returns the record of a trial, nil if there is none or it is damaged.
func (s *Store) read(trial int) (*Record, error) {
	text, err := os.ReadFile(s.path(trial, finished))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rec := new(Record)
	if err == nil {
		err = durable.ReadLine(text, rec)
	}
	if errors.Is(err, durable.ErrDamaged) {
		return nil, nil
	}
	if err == nil {
		err = rec.check(s.p.identity)
	}
	if err == nil {
		err = rec.differs(s.p.origin)
	}
	if err == nil && rec.Trial != trial {
		err = fmt.Errorf("it is of trial %d", rec.Trial)
	}
	if err != nil {
		return nil, fmt.Errorf("simulate: record %s: %w", s.path(trial, finished), err)
	}
	return rec, nil
}

// append keeps a finished trial.
func (s *Store) append(rec *Record) error {
	line, err := durable.Line(rec)
	if err == nil {
		err = s.write(s.path(rec.Trial, finished), line)
	}
	if err != nil {
		return s.wrap(fmt.Errorf("finished trial %d is not saved: %w", rec.Trial, err))
	}
	os.Remove(s.path(rec.Trial, failed))
	return nil
}

// fail keeps the reason why a trial failed.
func (s *Store) fail(why *TrialError) error {
	text, err := json.Marshal(why)
	if err == nil {
		err = s.write(s.path(why.Trial, failed), append(text, '\n'))
	}
	if err != nil {
		return s.wrap(err)
	}
	return nil
}

// write makes a file. It waits for the disk at most once a second.
func (s *Store) write(path string, data []byte) error {
	write := durable.WriteFileSoon
	now, last := time.Now().UnixNano(), s.synced.Load()
	if now-last > int64(time.Second) && s.synced.CompareAndSwap(last, now) {
		write = durable.WriteFile
	}
	err := write(path, data)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = write(path, data)
		}
	}
	return err
}

// trouble returns nothing: each trial that is not saved has an error.
func (s *Store) trouble() (unsaved int, err error) { return 0, nil }

// close does nothing: no file is open.
func (s *Store) close() error { return nil }

func (s *Store) wrap(err error) error { return fmt.Errorf("simulate: records in %s: %w", s.dir, err) }
