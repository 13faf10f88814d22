package papers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Run runs experiments as one list. Finished trials are kept under build/checkpoints/ of the working
// directory, so that a run that was stopped, or killed, goes on where it was. At scale Paper the tables are written
// to notebooks/results/.
func Run(ctx context.Context, s Scale, progress simulate.Progress, experiments ...*simulate.Experiment) ([]*simulate.Result, error) {
	for _, e := range experiments {
		dir := filepath.Join("build", "checkpoints", string(s))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		e.Checkpoint = filepath.Join(dir, e.Name+".jsonl")
	}
	results, err := simulate.RunAll(ctx, experiments, simulate.Options{Progress: progress})
	if err != nil || s != Paper {
		return results, err
	}
	var errs []error
	for _, r := range results {
		errs = append(errs, save(filepath.Join("notebooks", "results", r.Name+".csv"), r.Table()))
	}
	return results, errors.Join(errs...)
}

// save writes a table, all of it or nothing.
func save(path string, t *simulate.Table) error {
	var b bytes.Buffer
	if err := t.WriteCSV(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".part", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
