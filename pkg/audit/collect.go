package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/dpbandits/dpbandits/pkg/audit/internal/detect"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// runner runs a subject once: in a world, 0 or 1, with the run's index and a source of randomness,
// into out. What it has written before a failure counts as released.
type runner func(world, run int, source rand.Source, out []float64) error

// collection is a number of runs to be made in each of the two worlds.
type collection struct {
	name    string // part of the streams' names
	runs    int    // in each world
	width   int    // numbers that a run writes
	block   int    // runs that share a stream of randomness and a runner, one after the other
	workers int
	seed    uint64
	sink    func(Status)
	start   func() (runner, error) // called once a worker, and again after a panic
}

// outcome holds the results of the runs of a collection.
type outcome struct {
	worlds  [2]detect.Samples
	failed  [2]int // how many runs failed
	failure error  // of the first run that did
}

// failure is a run that failed.
type failure struct {
	world, run int
	err        error
}

// progress is shared by the workers of a collection.
type progress struct {
	collection
	kept     int // the runs of each world that are kept in worlds, the first ones
	worlds   [2]detect.Samples
	visit    func(world int, out []float64, failed bool) // is shown the later runs; out is not to be kept
	meter    *meter
	next     atomic.Int64 // the next block
	mu       sync.Mutex
	idle     []runner
	failed   [2]int
	first    failure   // of the first run that failed
	failures []failure // of the runs that are kept
	broken   error     // the error after which no run can be made
	stopped  atomic.Bool
}

// pilot is the number of runs in each world that are made first. A subject that fails in all of
// them is not audited.
const pilot = MinRuns

// collect makes the runs, block by block on all workers, and keeps them all. A run's inputs depend
// on the seed, the name, the world and its index alone. A failed run counts as an outcome, since it
// may tell the worlds apart. If all runs of the pilot fail, collect returns the error of the first.
func (c collection) collect(ctx context.Context) (o outcome, err error) {
	p, err := c.begin(c.runs)
	if err != nil {
		return o, err
	}
	defer p.meter.stop()
	if err := p.until(ctx, c.runs); err != nil {
		return o, err
	}
	return p.outcome(), nil
}

// begin prepares runs of which the first are kept.
func (c collection) begin(kept int) (*progress, error) {
	what := fmt.Sprintf("audit: %q: Runs = %d of %d numbers", c.name, kept, c.width)
	// This counts the two worlds and their copies.
	if err := size.Check(what, 4*float64(kept)*float64(c.width)); err != nil {
		return nil, err
	}
	p := &progress{collection: c, kept: kept, meter: newMeter(c.name, 2*int64(c.runs), c.sink)}
	for w := range p.worlds {
		p.worlds[w] = detect.Samples{Width: c.width, Flat: make([]float64, kept*c.width)}
	}
	return p, nil
}

// until makes the runs before run number end, of whole blocks.
func (p *progress) until(ctx context.Context, end int) error {
	blocks := func(runs int) int { return 2 * ((min(runs, p.runs) + p.block - 1) / p.block) } // world 0 and 1 alternate
	for _, until := range []int{blocks(min(pilot, end)), blocks(end)} {
		if until <= int(p.next.Load()) {
			continue
		}
		p.pass(ctx, until)
		if p.broken != nil {
			return fmt.Errorf("audit: %q: %w", p.name, p.broken)
		}
		// Only a cancelled context leaves runs undone.
		if done := p.meter.done.Load(); done < 2*int64(min(until/2*p.block, p.runs)) {
			return fmt.Errorf("audit: %q: stopped after %d of %d runs: %w", p.name, done, p.meter.total, context.Cause(ctx))
		} else if n := int64(p.failed[0] + p.failed[1]); n > 0 && n == done {
			return fmt.Errorf("audit: %q: run %d in world %d: %w", p.name, p.first.run, p.first.world, p.first.err)
		}
	}
	return nil
}

// fail notes a failed run.
func (p *progress) fail(f failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first.err == nil || 2*f.run+f.world < 2*p.first.run+p.first.world {
		p.first = f
	}
	p.failed[f.world]++
	if f.run < p.kept {
		p.failures = append(p.failures, f)
	}
}

// pass makes the runs of the remaining blocks before until.
func (p *progress) pass(ctx context.Context, until int) {
	var wg sync.WaitGroup
	for range min(p.workers, until-int(p.next.Load())) {
		wg.Go(func() {
			run, err := p.take()
			for err == nil && ctx.Err() == nil && !p.stopped.Load() {
				b := p.next.Add(1) - 1
				if b >= int64(until) {
					break
				}
				run, err = p.do(ctx, run, int(b))
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if err != nil {
				p.broken = err
				p.stopped.Store(true)
				return
			}
			p.idle = append(p.idle, run)
		})
	}
	wg.Wait()
	p.next.Store(int64(until))
}

// take returns a runner of an earlier pass, or a new one.
func (p *progress) take() (runner, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		run := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return run, nil
	}
	p.mu.Unlock()
	return p.open()
}

func (c collection) open() (run runner, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("before the first run: panic: %v", r)
		}
	}()
	return c.start()
}

// do makes the runs of a block, and returns the runner to go on with.
func (p *progress) do(ctx context.Context, run runner, b int) (runner, error) {
	world, block := b%2, b/2
	source := random.Source(p.seed, block, fmt.Sprintf("audit/%s/world %d", p.name, world))
	start := block * p.block
	end := min(start+p.block, p.runs)
	passing := make([]float64, p.width) // a run that is not kept
	for i := start; i < end; i++ {
		if (i-start)%64 == 63 && ctx.Err() != nil {
			p.meter.done.Add(int64(i - start))
			return run, nil // collect misses the undone runs
		}
		out := passing
		if i < p.kept {
			out = p.worlds[world].Row(i)
		}
		panicked, err := attempt(run, world, i, source, out)
		if i >= p.kept {
			p.visit(world, out, err != nil)
		}
		if err == nil {
			continue
		}
		p.fail(failure{world, i, err})
		if panicked { // it stopped in the middle of a run, in an unknown state
			if run, err = p.open(); err != nil {
				return nil, err
			}
		}
	}
	p.meter.done.Add(int64(end - start))
	return run, nil
}

// attempt makes a run. If the run fails, the numbers that it has not set are 0.
func attempt(run runner, world, i int, source rand.Source, out []float64) (panicked bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked, err = true, fmt.Errorf("panic: %v", r)
		}
		if err == nil {
			return
		}
		for j, v := range out {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				out[j] = 0
			}
		}
	}()
	for j := range out {
		out[j] = math.NaN() // reveals what the subject does not set
	}
	if err := run(world, i, source, out); err != nil {
		return false, err
	}
	for j, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false, fmt.Errorf("out[%d] = %v, want a finite number, set by the subject", j, v)
		}
	}
	return false, nil
}

// outcome returns the kept runs. If any of them failed, each has an output that says whether it
// did.
func (p *progress) outcome() outcome {
	o := outcome{worlds: p.worlds, failed: p.failed, failure: p.first.err}
	if len(p.failures) == 0 {
		return o
	}
	for w, s := range p.worlds {
		wide := detect.Samples{Width: s.Width + 1, Flat: make([]float64, 0, len(s.Flat)+s.Len()), Failures: true}
		for i := range s.Len() {
			wide.Flat = append(append(wide.Flat, s.Row(i)...), 0)
		}
		o.worlds[w] = wide
	}
	for _, f := range p.failures {
		o.worlds[f.world].Row(f.run)[p.width] = 1
	}
	return o
}
