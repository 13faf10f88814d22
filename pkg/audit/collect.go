package audit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/dpbandits/dpbandits/pkg/random"
)

// samples are the outputs of all runs in one world, width numbers a run.
type samples struct {
	width int
	flat  []float64
}

func (s samples) len() int            { return len(s.flat) / s.width }
func (s samples) row(i int) []float64 { return s.flat[i*s.width : (i+1)*s.width] }

// slice returns the runs from..to-1.
func (s samples) slice(from, to int) samples {
	return samples{s.width, s.flat[from*s.width : to*s.width]}
}

// runner runs a subject once: in a world, 0 or 1, with the run's index and a source of randomness, into out.
type runner func(world, run int, source rand.Source, out []float64) error

// collection is a number of runs to make in each of the two worlds.
type collection struct {
	name    string // part of the streams' names
	runs    int    // in each world
	width   int    // numbers that a run writes
	block   int    // runs that share a stream of randomness, one after the other, and a runner
	workers int
	seed    uint64
	sink    Progress
	start   func() (runner, error) // called once a worker
}

// failure is what ended a block.
type failure struct {
	block int
	err   error
}

// collect makes the runs, block by block on all workers. What a run gets depends on the seed, the name, the world and its index
// alone. Of several failures it returns that of the first block, so that errors do not depend on the workers either.
func (c collection) collect(ctx context.Context) (worlds [2]samples, err error) {
	for w := range worlds {
		worlds[w] = samples{c.width, make([]float64, c.runs*c.width)}
	}
	blocks := 2 * ((c.runs + c.block - 1) / c.block) // world 0 and 1 in turn
	m := newMeter(c.name, 2*int64(c.runs), c.sink)
	defer m.stop()
	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  = failure{block: blocks}
		wg     sync.WaitGroup
	)
	fail := func(block int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if block < first.block {
			first = failure{block, err}
		}
		failed.Store(true)
	}
	for range min(c.workers, blocks) {
		wg.Go(func() {
			run, err := c.open()
			if err != nil {
				fail(-1, err)
				return
			}
			for ctx.Err() == nil && !failed.Load() {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				if err := c.do(ctx, run, b, worlds[b%2], &m.done); err != nil {
					fail(b, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if first.err != nil {
		return worlds, fmt.Errorf("audit: %q: %w", c.name, first.err)
	}
	if done := m.done.Load(); done < m.total { // only a cancelled context leaves runs undone
		return worlds, fmt.Errorf("audit: %q: stopped after %d of %d runs: %w", c.name, done, m.total, context.Cause(ctx))
	}
	return worlds, nil
}

func (c collection) open() (run runner, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("before the first run: panic: %v", r)
		}
	}()
	return c.start()
}

// do makes the runs of a block.
func (c collection) do(ctx context.Context, run runner, b int, into samples, done *atomic.Int64) (err error) {
	world, block := b%2, b/2
	i := block * c.block
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("run %d in world %d: panic: %v", i, world, r)
		}
	}()
	source := random.Source(c.seed, block, fmt.Sprintf("audit/%s/world %d", c.name, world))
	first := i
	defer func() { done.Add(int64(i - first)) }()
	for end := min(i+c.block, c.runs); i < end; i++ {
		if (i-first)%64 == 63 && ctx.Err() != nil {
			return nil // the undone runs are missed by collect
		}
		out := into.row(i)
		for j := range out {
			out[j] = math.NaN() // what the subject does not set is found out
		}
		if err := run(world, i, source, out); err != nil {
			return fmt.Errorf("run %d in world %d: %w", i, world, err)
		}
		for j, v := range out {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("run %d in world %d: out[%d] = %v, want a finite number, set by the subject", i, world, j, v)
			}
		}
	}
	return nil
}
