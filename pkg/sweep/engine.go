package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Claim makes a directory the sweep's, or refuses one that belongs to another sweep. Run does so
// itself; an engine of your own calls it once, before its workers start.
func (s *Sweep) Claim(dir string) error {
	if err := s.own(dir); err != nil {
		return fmt.Errorf("sweep: directory %s: %w", dir, err)
	}
	return nil
}

// Store opens the records of point k in the sweep's directory. That takes as long as
// simulate.Experiment.Prepare, so a worker keeps what it returns.
func (s *Sweep) Store(dir string, k int) (*simulate.Store, error) {
	if k < 0 || k >= len(s.Points) {
		return nil, fmt.Errorf("sweep: point %d, want in [0, %d)", k, len(s.Points))
	}
	prepared, err := s.Points[k].Prepare()
	if err != nil {
		return nil, err
	}
	return prepared.OpenStore(point(dir, k))
}

// Collect reduces the records in a directory as Merge does, and returns all failed trials that have
// no record, by point and trial. The error says which trials are missing, for whatever reason.
func (s *Sweep) Collect(dir string) (results []*simulate.Result, failures []*simulate.TrialError, err error) {
	var incomplete []error
	for k, p := range s.Points {
		prepared, err := p.Prepare()
		if err != nil {
			return nil, nil, err
		}
		records, failed, err := prepared.ReadStore(point(dir, k))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		result, err := prepared.Reduce(records)
		if result == nil {
			return nil, nil, err
		}
		results, failures = append(results, result), append(failures, failed...)
		incomplete = append(incomplete, err)
	}
	return results, failures, errors.Join(incomplete...)
}

// WriteFailures writes a table of failed trials, a row for each:
//
//	experiment,policy,trial,round,error
//	coins epsilon=0.1,dpucb,7,5,panic: boom
func WriteFailures(w io.Writer, failures []*simulate.TrialError) error {
	rows := csv.NewWriter(w)
	rows.Write([]string{"experiment", "policy", "trial", "round", "error"})
	for _, f := range failures {
		rows.Write([]string{f.Experiment, f.Policy, strconv.Itoa(f.Trial), strconv.Itoa(f.Round), fmt.Sprint(f.Err)})
	}
	rows.Flush()
	return rows.Error()
}
