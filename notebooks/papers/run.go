package papers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// Run runs experiments as one list. At scale Paper finished trials are kept under build/checkpoints/ of the checkout, so that a
// run that was stopped, or killed, goes on where it was; and the tables are written to notebooks/results/.
func Run(ctx context.Context, s Scale, progress simulate.Progress, experiments ...*simulate.Experiment) ([]*simulate.Result, error) {
	if s != Paper {
		return simulate.RunAll(ctx, experiments, simulate.Options{Progress: progress})
	}
	root, err := checkout()
	if err != nil {
		return nil, err
	}
	checkpoints := filepath.Join(root, "build", "checkpoints")
	if err := os.MkdirAll(checkpoints, 0o755); err != nil {
		return nil, err
	}
	for _, e := range experiments {
		e.Checkpoint = filepath.Join(checkpoints, e.Name+".jsonl")
	}
	results, err := simulate.RunAll(ctx, experiments, simulate.Options{Progress: progress})
	if err != nil {
		return results, err
	}
	var errs []error
	for _, r := range results {
		errs = append(errs, save(filepath.Join(root, "notebooks", "results", r.Name+".csv"), r.Table()))
	}
	return results, errors.Join(errs...)
}

// checkout returns the checkout's directory: DPBANDITS_ROOT, which the notebooks' kernel sets, or the nearest one above
// the working directory that has a go.mod.
func checkout() (string, error) {
	if root := os.Getenv("DPBANDITS_ROOT"); root != "" {
		return root, nil
	}
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("papers: no go.mod in %s or above it: paper-scale runs keep their checkpoints in the checkout", start)
		}
	}
}

// save writes a table, all of it or nothing.
func save(path string, t *simulate.Table) error {
	var b bytes.Buffer
	if err := t.WriteCSV(&b); err != nil {
		return err
	}
	if err := os.WriteFile(path+".part", b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
