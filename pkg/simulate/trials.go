package simulate

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// Sample holds a number for each trial.
type Sample []float64

// Trials plays n trials of a game of your own on all cores, and returns their results in order.
//
// It is for what is not an [Experiment]: a stopping rule, a game with full information. play takes
// its randomness from the trial's index, as from random.New(seed, trial, "noise"), so that results
// do not depend on the number of cores. The first error in the order of trials ends it, and so does
// ctx.
func Trials(ctx context.Context, n int, play func(trial int) (float64, error)) (Sample, error) {
	if n < 1 {
		return nil, fmt.Errorf("simulate: %d trials, want >= 1", n)
	}
	sample, errs := make(Sample, n), make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil && !failed.Load(); i = int(next.Add(1)) - 1 {
				if sample[i], errs[i] = play(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("simulate: trial %d: %w", i, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sample, nil
}

// Mean returns the mean.
func (s Sample) Mean() (mean float64) {
	for _, v := range s {
		mean += v / float64(len(s))
	}
	return mean
}

// SE returns the standard error of the mean. It is NaN for a single trial.
func (s Sample) SE() float64 {
	mean, n, squares := s.Mean(), float64(len(s)), 0.0
	for _, v := range s {
		squares += float64((v - mean) * (v - mean))
	}
	return math.Sqrt(squares / (n - 1) / n)
}
