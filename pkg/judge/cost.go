package judge

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Cost is what a round of the learner takes in a world, without the world's own work.
type Cost struct {
	World       string  `json:"world"`
	Nanoseconds float64 `json:"ns_per_round"`
	Allocations float64 `json:"allocations_per_round"` // on the heap
	Memory      int64   `json:"bytes"`                 // that a run holds at the end
	// Piped says that the learner is a program: the pipe to it is included, and of allocations and
	// memory nothing is known.
	Piped bool `json:"piped,omitempty"`
}

// cost times rounds in the first world of each dimension.
func (j *judging) cost(ctx context.Context) error {
	seen := map[int]bool{}
	for _, p := range j.places {
		if seen[p.problem.Dim] {
			continue
		}
		seen[p.problem.Dim] = true
		best := Cost{World: p.Name, Nanoseconds: math.Inf(1), Piped: j.slow()}
		for range 3 { // the least of three: whatever else runs only adds to it
			c, err := j.costIn(ctx, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil && c.Nanoseconds < best.Nanoseconds {
				if best.Nanoseconds = c.Nanoseconds; !best.Piped {
					best.Allocations, best.Memory = c.Allocations, c.Memory
				}
			}
		}
		if !math.IsInf(best.Nanoseconds, 1) { // a learner that fails has failed in the races, too
			j.card.Costs = append(j.card.Costs, best)
		}
	}
	return nil
}

// costIn plays a run, and the world again without it, and takes the difference.
func (j *judging) costIn(ctx context.Context, p place) (c Cost, err error) {
	world, err := bandit.OpenWorld(p.env)
	if err != nil {
		return c, err
	}
	horizon := j.horizon()
	ready, err := j.learner.Open(p.problem, horizon)
	if err != nil {
		return c, err
	}
	defer bandit.Close(ready)
	var before, half, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	run := ready.Start(random.New(j.Seed, 0, "learner"), random.Source(j.Seed, 0, "noise"))
	defer bandit.Close(run)
	var spent [2]time.Duration
	for alone := range spent {
		trial, rewards := world.Start(random.New(j.Seed, 0, "contexts")), random.New(j.Seed, 0, "rewards")
		if w, ok := ready.(bandit.Warmer); ok && w.WantsWarmUp() && alone == 0 {
			if err := warm(run, trial, p.problem); err != nil {
				return c, err
			}
		}
		var v bandit.View
		arms, y := make([]int, 0, p.problem.Slots), make([]float64, p.problem.Slots)
		begun := time.Now()
		for round := 1; round <= horizon; round++ {
			switch {
			case alone == 0 && round == horizon/2:
				now := time.Now()
				runtime.ReadMemStats(&half)
				begun = begun.Add(time.Since(now))
			case round%1024 == 0 && ctx.Err() != nil:
				return c, ctx.Err()
			}
			trial.Next(&v)
			if alone == 0 {
				if arms, err = run.Select(&v, arms[:0]); err != nil {
					return c, err
				}
			}
			trial.Pull(rewards, arms, y)
			if alone == 0 {
				if err = run.Update(&v, arms, y); err != nil {
					return c, err
				}
			}
		}
		if spent[alone] = time.Since(begun); alone == 0 {
			runtime.ReadMemStats(&after)
			c.Allocations = float64(after.Mallocs-half.Mallocs) / float64(horizon-horizon/2+1)
			runtime.GC()
			runtime.ReadMemStats(&after)
			c.Memory = max(0, int64(after.HeapAlloc)-int64(before.HeapAlloc))
		}
	}
	runtime.KeepAlive(run)
	c.Nanoseconds = max(0, float64(spent[0]-spent[1])/float64(horizon))
	return c, nil
}

// warm plays round 0.
func warm(run bandit.Run, trial bandit.Instance, p bandit.Problem) error {
	w, ok := run.(bandit.Warmed)
	if !ok {
		return fmt.Errorf("judge: a %T takes in no round 0, which its learner wants", run)
	}
	all, y := make([]int, p.Arms), make([]float64, p.Arms)
	for i := range all {
		all[i] = i
	}
	trial.Pull(random.New(0, 0, "warm-up"), all, y)
	return w.WarmUp(y)
}
