package simulate

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// RunTrial plays one trial. The error is ctx's or a *TrialError, which a panic becomes, too.
// Several goroutines may call it.
func (p *Prepared) RunTrial(ctx context.Context, trial int) (*Record, error) {
	if trial < 0 || trial >= p.Trials {
		return nil, fmt.Errorf("simulate: experiment %q: trial %d, want in [0, Trials = %d)", p.Name, trial, p.Trials)
	}
	start := time.Now()
	rec, err := p.runTrial(ctx, trial, func(int) {})
	if err != nil {
		return nil, err
	}
	busy := time.Since(start)
	rec.Busy, rec.Run, rec.After = busy, start.UnixNano(), busy
	return rec, nil
}

// Reduce makes the result of records, in whatever order they come. It is bit by bit the result of
// Experiment.Run, except for what Provenance says about the run.
//
// A record may come twice. Reduce refuses records that contradict each other, and records of
// another experiment, seed, horizon, parameter or version; the platform may be another than this
// program's if it is that of all records. If trials are missing, the result holds the others, and
// the error lists them.
func (p *Prepared) Reduce(records []*Record) (*Result, error) {
	want := p.origin
	if len(records) > 0 && records[0] != nil {
		want.Go, want.Platform = records[0].Go, records[0].Platform
	}
	found, err := collect(records, p.identity, want)
	if err != nil {
		return nil, fmt.Errorf("simulate: experiment %q: %w", p.Name, err)
	}
	byTrial := make([]*Record, p.Trials)
	for trial, r := range found {
		if trial >= p.Trials {
			return nil, fmt.Errorf("simulate: experiment %q: record of trial %d, want in [0, Trials = %d)", p.Name, trial, p.Trials)
		}
		byTrial[trial] = r
	}
	missing := &missingError{Experiment: p.Name, Of: p.Trials}
	for trial, r := range byTrial {
		if r == nil {
			missing.Trials = append(missing.Trials, trial)
		}
	}
	result := p.result(byTrial, want)
	if len(missing.Trials) > 0 {
		return result, missing
	}
	return result, nil
}

// missingError lists the trials of an experiment that have no record.
type missingError struct {
	Experiment string
	Trials     []int // increasing
	Of         int   // trials of the experiment
}

// Error names the experiment and the first of the trials.
func (e *missingError) Error() string {
	const shown = 10
	list, more := e.Trials, ""
	if len(list) > shown {
		list, more = list[:shown], ", ..."
	}
	return fmt.Sprintf("simulate: experiment %q: %d of %d trials have no record: %s%s",
		e.Experiment, len(e.Trials), e.Of, strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ", "), more)
}
