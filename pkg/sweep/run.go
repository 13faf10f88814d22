package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/durable"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// sweepFile says which sweep a directory belongs to. The records of point k are a simulate.Store in
// the directory k.
const sweepFile = "sweep.json"

// Run runs the trials of a shard that the directory has no records of; those of the whole sweep if
// Options.Shard is zero. An empty dir means that nothing is kept. The results are those of
// simulate.RunAll, by point.
func (s *Sweep) Run(ctx context.Context, dir string, options simulate.Options) ([]*simulate.Result, error) {
	if dir != "" {
		if err := s.Claim(dir); err != nil {
			return nil, err
		}
	}
	experiments := make([]*simulate.Experiment, len(s.Points))
	for k, p := range s.Points {
		e := *p.Experiment
		if dir != "" {
			e.Checkpoint, e.Cache, e.Records = "", "", point(dir, k)
		}
		experiments[k] = &e
	}
	return simulate.RunAll(ctx, experiments, options)
}

// Open returns the sweep that a directory belongs to.
func (c Catalogue) Open(dir string) (*Sweep, error) {
	args, err := owner(dir)
	if err != nil {
		return nil, fmt.Errorf("sweep: directory %s: %w", dir, err)
	}
	return c.Parse(args)
}

// Merge reduces the records in a directory to the results, by point. It refuses records that do not
// belong to the sweep, or to one version of its program. If trials have no record, the results hold
// the others, and the error says which are missing and why they failed.
func (s *Sweep) Merge(dir string) ([]*simulate.Result, error) {
	results, failures, err := s.Collect(dir)
	if results == nil {
		return nil, err
	}
	var incomplete []error
	shown := make(map[string]int)
	for _, failure := range failures {
		if shown[failure.Experiment]++; shown[failure.Experiment] <= 10 {
			incomplete = append(incomplete, failure)
		}
	}
	return results, errors.Join(append(incomplete, err)...)
}

func point(dir string, k int) string { return filepath.Join(dir, strconv.Itoa(k)) }

// own makes the directory the sweep's, or refuses one that belongs to another sweep.
func (s *Sweep) own(dir string) error {
	args, err := owner(dir)
	if errors.Is(err, fs.ErrNotExist) {
		var text []byte
		if text, err = json.Marshal(s.Args); err != nil {
			return err
		}
		if err = os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		return durable.WriteFile(filepath.Join(dir, sweepFile), append(text, '\n'))
	}
	if err == nil && !slices.Equal(args, s.Args) {
		err = fmt.Errorf("it belongs to the sweep %q, not to %q", strings.Join(args, " "), strings.Join(s.Args, " "))
	}
	return err
}

// owner reads the arguments of the sweep that a directory belongs to.
func owner(dir string) (args []string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, sweepFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, fmt.Errorf("%s: %w", sweepFile, err)
	}
	return args, nil
}
