package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Options are the options of RunAll.
type Options struct {
	Workers  int      // trials that run at the same time, >= 0; 0 means runtime.GOMAXPROCS(0)
	Progress Progress // nil means DefaultProgress
	Shard    Shard    // the part to run; the zero value means all
}

// Run runs one experiment as RunAll does, with its own Workers and Progress.
func (e *Experiment) Run(ctx context.Context) (*Result, error) {
	if e == nil {
		return nil, errors.New("simulate: the experiment is nil")
	}
	results, err := RunAll(ctx, []*Experiment{e}, Options{Workers: e.Workers, Progress: e.Progress})
	if results == nil {
		return nil, err
	}
	return results[0], err
}

// RunAll runs several experiments as one list of trials, the longest trials first, so that all
// workers stay busy to the end. It ignores the experiments' own Workers and Progress.
//
// The results are bit-identical for any number of workers. If the context is cancelled or trials
// fail (a learner's Err, a panic), the results hold the trials that finished; the other trials run
// to their end unless the context is cancelled. The error wraps the context's error, and a
// *TrialError for each of the first failures.
//
// If a checkpoint cannot be written, the next progress report says so and the run tries again. If
// trials are still not saved at the end, the error says so, and the results are complete all the
// same. Results are nil only if an experiment or a checkpoint is found invalid before the start.
//
// The results of a shard hold its trials only.
func RunAll(ctx context.Context, experiments []*Experiment, opts Options) ([]*Result, error) {
	if opts.Workers < 0 {
		return nil, fmt.Errorf("simulate: Options.Workers = %d, want >= 0", opts.Workers)
	}
	if opts.Workers == 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if err := opts.Shard.Validate(); err != nil {
		return nil, err
	}
	jobs, err := openJobs(experiments, opts.Shard)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, j := range jobs {
			j.save.close()
			for _, l := range j.learners {
				_ = bandit.Close(l) // its runs are closed, and the results are there
			}
		}
	}()

	if opts.Progress == nil {
		opts.Progress = DefaultProgress
	}
	meter := newMeter(jobs, opts.Progress)
	tasks := tasks(jobs)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(opts.Workers, len(tasks)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				tasks[i].run(ctx, meter)
			}
		})
	}
	wg.Wait()
	meter.stop()

	results := make([]*Result, len(jobs))
	var errs []error
	for i, j := range jobs {
		results[i] = j.result(j.records, j.origin)
		for k, why := range j.unkept {
			if why != nil {
				p := &results[i].Policies[k]
				p.Warnings = append(p.Warnings, bandit.Warning{What: why.Error(), Count: 1})
			}
		}
		results[i].Provenance.Workers, results[i].Provenance.Restored = opts.Workers, j.restored
		if err := j.failure(); err != nil {
			errs = append(errs, err)
		}
		if err := j.save.close(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := ctx.Err(); err != nil && meter.done() < meter.trials {
		errs = append(errs, fmt.Errorf("simulate: stopped with %d of %d trials finished: %w", meter.done(), meter.trials, err))
	}
	return results, errors.Join(errs...)
}

// job is an experiment that is being run.
type job struct {
	*Prepared
	share    []int // trials to run, increasing
	save     keeper
	restored int
	records  []*Record         // by trial, nil until finished
	found    map[int][]*Record // by trial and policy, of trials that are restored in part
	unkept   []error           // by policy, why a Cache does not keep its trials
	errs     []error           // by trial; each worker writes only those of its own trials
}

// keeper keeps finished trials.
type keeper interface {
	append(*Record) error
	fail(*TrialError) error
	trouble() (unsaved int, err error)
	close() error
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) append(*Record) error   { return nil }
func (nowhere) fail(*TrialError) error { return nil }
func (nowhere) trouble() (int, error)  { return 0, nil }
func (nowhere) close() error           { return nil }

func openJobs(experiments []*Experiment, shard Shard) (jobs []*job, err error) {
	defer func() {
		if err != nil {
			for _, j := range jobs {
				j.save.close()
			}
		}
	}()
	if len(experiments) == 0 {
		return nil, errors.New("simulate: no experiments")
	}
	for i, e := range experiments {
		if e == nil {
			return jobs, fmt.Errorf("simulate: experiments[%d] is nil", i)
		}
		p, err := e.prepare(e.Checkpoint+e.Records+e.Cache != "")
		if err != nil {
			return jobs, err
		}
		jobs = append(jobs, &job{Prepared: p, save: nowhere{}, records: make([]*Record, e.Trials), errs: make([]error, e.Trials)})
	}
	shard.deal(jobs)
	for _, j := range jobs { // only now, so that no file is made for an invalid list
		if err := j.restore(); err != nil {
			return jobs, err
		}
	}
	return jobs, nil
}

// failure joins the first errors of the job's trials, in trial order.
func (j *job) failure() error {
	const shown = 3
	var errs []error
	failed := 0
	for _, err := range j.errs {
		if err == nil {
			continue
		}
		if failed++; failed <= shown {
			errs = append(errs, err)
		}
	}
	if failed > shown {
		errs = append(errs, fmt.Errorf("simulate: experiment %q: %d more trials failed", j.Name, failed-shown))
	}
	return errors.Join(errs...)
}

// task is a trial of a job.
type task struct {
	*job
	trial int
}

// tasks lists the trials to run, the longest first.
func tasks(jobs []*job) []task {
	var list []task
	for _, j := range jobs {
		for _, trial := range j.share {
			if j.records[trial] == nil {
				list = append(list, task{j, trial})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b task) int { return cmp.Compare(b.cost(), a.cost()) })
	return list
}

// cost returns the number of rounds of a trial, counted once for each policy.
func (p *Prepared) cost() int64 { return int64(p.rounds()) * int64(len(p.Policies)) }

func (t task) run(ctx context.Context, m *meter) {
	start := time.Now()
	play, found := t.Prepared, t.found[t.trial]
	if found != nil {
		play = t.choose(missing(found, len(t.Policies))...)
	}
	policies := int64(len(play.Policies))
	rec, err := play.runTrial(ctx, t.trial, func(rounds int) {
		m.rounds.Add(int64(rounds) * policies)
		yield()
	})
	if err == nil {
		rec.Busy, rec.Run, rec.After = time.Since(start), m.start.UnixNano(), time.Since(m.start)
		err = t.save.append(rec)
		if found != nil {
			rec = t.complete(found, rec)
		}
		t.records[t.trial] = rec
	}
	var why *TrialError
	switch {
	case rec != nil:
		m.finished.Add(1)
		t.errs[t.trial] = err
	case errors.As(err, &why):
		t.errs[t.trial] = errors.Join(err, t.save.fail(why))
		m.failed.Add(1)
	}
}

// meter counts rounds and trials, and reports them.
type meter struct {
	rounds, finished, failed atomic.Int64
	jobs                     []*job
	restored, total          int64 // rounds
	trials                   int64
	start                    time.Time
	sink                     Progress
	quit                     chan struct{}
	wg                       sync.WaitGroup
}

const reportEvery = 250 * time.Millisecond

func newMeter(jobs []*job, sink Progress) *meter {
	m := &meter{jobs: jobs, start: time.Now(), sink: sink, quit: make(chan struct{})}
	for _, j := range jobs {
		m.total += j.cost() * int64(len(j.share))
		m.restored += j.cost() * int64(j.restored)
		for _, found := range j.found {
			m.restored += int64(j.rounds()) * int64(len(found)-len(missing(found, len(found))))
		}
		m.trials += int64(len(j.share))
		m.finished.Add(int64(j.restored))
	}
	if sink == nil {
		return m
	}
	sink(m.status(false))
	m.wg.Go(func() {
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				sink(m.status(false))
			case <-m.quit:
				return
			}
		}
	})
	return m
}

func (m *meter) done() int64 { return m.finished.Load() }

// stop sends the last report.
func (m *meter) stop() {
	close(m.quit)
	m.wg.Wait()
	if m.sink != nil {
		m.sink(m.status(true))
	}
}

func (m *meter) status(finished bool) Status {
	ran, elapsed := m.rounds.Load(), time.Since(m.start)
	s := Status{
		Done: m.restored + ran, Total: m.total,
		TrialsDone: int(m.finished.Load()), TrialsFailed: int(m.failed.Load()), Trials: int(m.trials),
		Elapsed: elapsed, Left: -1, Finished: finished,
	}
	for _, j := range m.jobs {
		unsaved, err := j.save.trouble()
		s.Unsaved += unsaved
		s.Err = cmp.Or(s.Err, err)
	}
	if ran > 0 && elapsed > 0 {
		s.RoundsPerSecond = float64(ran) / elapsed.Seconds()
		s.Left = time.Duration(float64(s.Total-s.Done) / s.RoundsPerSecond * float64(time.Second))
	}
	return s
}
