package tally

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/lattice"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// additiveRun is a run of an Additive.
type additiveRun struct {
	*additive
	weighed
	noise     *privacy.Noise
	records   []privacy.Record // those of the open batch, clipped
	shown     []privacy.Record // the query's copies of them
	filled    int              // records of the open batch
	shortened int              // contexts that were clipped
	value     []float64
	steps     []int64         // noise on the grid; nil without
	ledger    *privacy.Ledger // of the system's noise; nil without a grid
	draws     []int           // by kind
	ended     int             // batches
	answer    Answer
}

// Start begins a run that draws its noise from n. With a grid it draws from the system's
// randomness: that of n, or its own if that is seeded.
func (a *additive) Start(n *privacy.Noise) privacy.Stream[Answer] {
	if n == nil && a.grid == 0 {
		return curator.WithoutNoise(a)
	}
	r := &additiveRun{additive: a, weighed: newWeighed(a.data), noise: n, records: a.batch(), shown: a.batch(),
		value: make([]float64, 0, a.dim), draws: make([]int, len(a.kinds)), answer: Answer{Of: make([]float64, a.dim)}}
	if a.context == 0 {
		r.answer.Played = make([]int, a.data.Arms)
	}
	if a.grid > 0 {
		r.steps, r.ledger = make([]int64, a.dim), privacy.NewLedger(lattice.Source(n))
		r.noise = privacy.NewNoise(r.ledger)
	}
	return r
}

// batch returns empty records with room for those of any batch.
func (a *additive) batch() []privacy.Record {
	d, k := max(0, a.data.Dim-1), a.data.Slots
	numbers, arms := make([]float64, a.longest*(d+k)), make([]int, a.longest*k)
	all := make([]privacy.Record, a.longest)
	for i := range all {
		x, y := numbers[i*(d+k):][:d:d], numbers[i*(d+k)+d:][:k:k]
		all[i] = privacy.Record{X: x[:0], Arms: arms[i*k:][:0:k], Y: y[:0]}
	}
	return all
}

// copyRecord copies what a record holds into another, which has room for it.
func copyRecord(to, from *privacy.Record) {
	to.X, to.Arms, to.Y = append(to.X[:0], from.X...), append(to.Arms[:0], from.Arms...), append(to.Y[:0], from.Y...)
}

// Add adds a record. moved reports that a batch has ended and was answered. If the query has no
// answer that is an error, and nothing has changed.
func (r *additiveRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := r.check(rec); err != nil {
		return false, err
	}
	d := max(0, r.data.Dim-1)
	switch {
	case len(rec.X) != d:
		return false, fmt.Errorf("mechanism: a context of %d numbers, want %d", len(rec.X), d)
	case !packed.Finite(rec.X):
		return false, fmt.Errorf("mechanism: a context %v, want finite numbers", slices.Clone(rec.X))
	}
	if r.ended < len(r.batches) {
		if moved, err = r.fill(rec); err != nil {
			return false, err
		}
	}
	r.take(rec)
	if r.long(rec.X) {
		r.shortened++
	}
	return moved, nil
}

// fill adds a record to the open batch, and answers the batch if that is its last.
func (r *additiveRun) fill(rec *privacy.Record) (moved bool, err error) {
	to := &r.records[r.filled]
	copyRecord(to, rec)
	if r.long(to.X) {
		packed.Shorten(to.X, r.context)
	}
	for i, w := range to.Y {
		to.Y[i] = r.clip(w)
	}
	kind := &r.kinds[r.batches[r.ended]]
	if r.filled+1 < kind.length {
		r.filled++
		return false, nil
	}
	if err := r.ask(kind.length); err != nil {
		return false, err
	}
	r.release(kind)
	return true, nil
}

// long reports whether a context is to be clipped.
func (r *additiveRun) long(x []float64) bool { return packed.Norm(x) > r.context*(1+1e-12) }

// ask puts the answer to the n records of the open batch into value.
func (r *additiveRun) ask(n int) error {
	for i := range n {
		copyRecord(&r.shown[i], &r.records[i])
	}
	value, err := r.query.Answer(r.data, r.shown[:n], r.value[:0])
	if err != nil {
		return fmt.Errorf("mechanism: %T, asked about batch %d of %d records: %w", r.query, r.ended, n, err)
	}
	if len(value) != r.dim {
		return fmt.Errorf("mechanism: %T answers batch %d of %d records with %d numbers, want Dim = %d", r.query, r.ended, n, len(value), r.dim)
	}
	for i, v := range value {
		if v-v != 0 {
			return fmt.Errorf("mechanism: %T answers batch %d of %d records with %v as number %d, want finite", r.query, r.ended, n, v, i)
		}
		if r.grid > 0 && !(math.Abs(v) <= float64(r.room)*r.grid) {
			return fmt.Errorf("mechanism: %T answers batch %d of %d records with %v as number %d, want within %v: use a coarser grid", r.query, r.ended, n, v, i, float64(r.room)*r.grid)
		}
	}
	r.value = value
	return nil
}

// release releases the answer to a batch that has ended.
func (r *additiveRun) release(kind *batchKind) {
	if r.grid > 0 {
		r.releaseOnGrid(kind.noise)
	} else {
		r.releaseBare(kind.scale)
	}
	r.draws[r.batches[r.ended]]++
	r.ended++
	r.answer.Batches, r.answer.Records, r.answer.Tail = r.ended, kind.length, tailOfEqual(r.gaussian, 1, kind.scale)
	if r.context == 0 {
		clear(r.answer.Played)
		for i := range kind.length {
			for _, arm := range r.records[i].Arms {
				r.answer.Played[arm]++
			}
		}
	}
	r.filled = 0
}

// releaseBare writes the answer in value, under noise in floating point, into the release.
func (r *additiveRun) releaseBare(scale float64) {
	if r.gaussian {
		r.noise.Gaussian(r.answer.Of, scale)
	} else {
		r.noise.Laplace(r.answer.Of, scale)
	}
	for i, v := range r.value {
		r.answer.Of[i] += v
	}
}

// Release returns the answer to the last batch that has ended.
func (r *additiveRun) Release() *Answer { return &r.answer }

// Clipped returns how many weights and contexts were clipped.
func (r *additiveRun) Clipped() int { return r.clipped + r.shortened }

// Plan returns the mechanism's plan with the draws of the run. It lists none from the system, which
// Check covers; package simulate calls that after each trial.
func (r *additiveRun) Plan(records int) privacy.Plan {
	if r.grid > 0 {
		return r.plan(records, nil).HeldBy(r)
	}
	return r.plan(records, r.draws).HeldBy(r)
}
