package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Run runs experiments as one list. At scale Paper finished trials are kept under
// build/checkpoints/ of the checkout, so that a run that was stopped, or killed, goes on where it
// was; and the tables are written to notebooks/results/. Folders that cannot be written to are an
// error before the start. If the run fails later, the tables of the experiments that finished are
// written all the same.
func Run(ctx context.Context, s cell.Scale, progress simulate.Progress, experiments ...*simulate.Experiment) ([]*simulate.Result, error) {
	if s != cell.Paper {
		return simulate.RunAll(ctx, experiments, simulate.Options{Progress: progress})
	}
	checkpoints, tables, err := folders()
	if err != nil {
		return nil, err
	}
	for _, e := range experiments {
		e.Checkpoint = filepath.Join(checkpoints, e.Name+".jsonl")
	}
	results, err := simulate.RunAll(ctx, experiments, simulate.Options{Progress: progress})
	errs := []error{err}
	for _, r := range results {
		if finished(r) {
			errs = append(errs, save(filepath.Join(tables, r.Name+".csv"), r.Table()))
		}
	}
	return results, errors.Join(errs...)
}

// folders returns where the checkout keeps finished trials, and tables. It makes them, and returns
// an error if one cannot be written to.
func folders() (checkpoints, tables string, err error) {
	root, err := cell.Checkout()
	if err != nil {
		return "", "", err
	}
	checkpoints, tables = filepath.Join(root, "build", "checkpoints"), filepath.Join(root, "notebooks", "results")
	return checkpoints, tables, errors.Join(writable(checkpoints), writable(tables))
}

// finished says whether a result has all of its trials.
func finished(r *simulate.Result) bool { return len(r.Finished) == r.Provenance.Asked }

// writable makes a directory that is not there and tries to write to it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable-*.part")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// save writes a table, all of it or nothing. If that fails, the table goes to a folder for
// temporary files, which the error names.
func save(path string, t *simulate.Table) error {
	var b bytes.Buffer
	if err := t.WriteCSV(&b); err != nil {
		return err
	}
	err := replace(path, b.Bytes())
	if err == nil {
		return nil
	}
	dir, e := os.MkdirTemp("", "dpbandits-")
	if e == nil {
		other := filepath.Join(dir, filepath.Base(path))
		if e = replace(other, b.Bytes()); e == nil {
			return fmt.Errorf("lab: the table is in %s instead: %w", other, err)
		}
	}
	return fmt.Errorf("lab: the table is not saved: %w", errors.Join(err, e))
}

// replace puts a file that holds the data in place, whole or not at all.
func replace(path string, data []byte) error {
	err := os.WriteFile(path+".part", data, 0o644)
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		os.Remove(path + ".part")
	}
	return err
}
