package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// failuresFile is the table of the trials that failed, in the directory of the records.
const failuresFile = "failures.csv"

// Run runs the trials of a sweep that the directory has no records of, and returns the results by
// point, as sweep.Sweep.Run does. All workers must see the directory under this path. Call Init
// first.
//
// If trials failed, or the engine gave up, the results hold the finished trials, and the error says
// what is missing. The file failures.csv in the directory lists the trials that failed, as
// sweep.WriteFailures does. Run it again to go on.
func Run(ctx context.Context, s *sweep.Sweep, dir string, o Options) ([]*simulate.Result, error) {
	if err := o.validate(ctx); err != nil {
		return nil, err
	}
	var err error
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if o.Log != "" {
		if o.Log, err = filepath.Abs(o.Log); err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	for _, p := range s.Points {
		if _, err := p.Prepare(); err != nil {
			return nil, err
		}
	}
	if err := s.Claim(dir); err != nil {
		return nil, err
	}
	gaveUp := passing(o.Pipeline, func() error {
		_, err := beam.Run(ctx, o.runner(), pipeline(s, dir, o))
		return err
	})
	if gaveUp != nil {
		gaveUp = fmt.Errorf("cluster: runner %q: %w", o.runner(), gaveUp)
	}
	results, failures, err := s.Collect(dir)
	if results == nil {
		return nil, errors.Join(gaveUp, err)
	}
	return results, errors.Join(gaveUp, report(filepath.Join(dir, failuresFile), failures), err)
}

// report writes the table of failed trials, and returns the first few as an error.
func report(file string, failures []*simulate.TrialError) error {
	var table bytes.Buffer
	err := sweep.WriteFailures(&table, failures)
	if err == nil {
		err = os.WriteFile(file, table.Bytes(), 0o666)
	}
	all := []error{err}
	for _, f := range failures[:min(len(failures), 10)] {
		all = append(all, f)
	}
	if n := len(failures); n > 10 {
		all = append(all, fmt.Errorf("cluster: %d trials failed: see %s", n, file))
	}
	return errors.Join(all...)
}

// pipeline deals the trials out and plays them. The outcome is files; the engine moves nothing but
// the list of elements.
func pipeline(s *sweep.Sweep, dir string, o Options) *beam.Pipeline {
	p, root := beam.NewPipelineWithRoot()
	j := job{Args: s.Args, Dir: dir, Log: o.Log}
	all := beam.ParDo(root, &dealer{job: j, Time: o.time(), Least: o.elements()}, beam.Impulse(root))
	n := o.branches()
	for i := range n {
		branch := root.Scope(fmt.Sprintf("branch %d", i))
		part := beam.ParDo(branch, &part{Index: i, Of: n}, all)
		done := beam.ParDo(branch, &player{job: j}, beam.Reshuffle(branch, part))
		if o.runner() == "prism" {
			// Prism waits for a stage without an output in a loop that takes a core.
			beam.ParDo0(branch, &end{}, beam.Reshuffle(branch, done))
		}
	}
	return p
}
