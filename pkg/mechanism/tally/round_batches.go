package tally

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// RoundBatches releases the mean of each arm that was played in a batch of rounds, under fresh
// noise on its sum, when the batch ends. Elimination over core sets reads it (Hanna, Girgis,
// Fragouli, Diggavi 2022).
//
// The lengths of the batches are public and fixed in advance. A batch that the horizon cuts short
// releases nothing, and neither do the rounds after the last batch. Nothing of a batch is kept:
// each release is of its own rounds alone. An arm that was not played in a batch keeps its last
// estimate.
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others, which moves at most Slots sums of one
// batch, each by at most Hi - Lo:
//
//   - delta = 0: Laplace noise of scale Slots (Hi - Lo)/epsilon on each sum makes the whole run
//     epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation sqrt(Slots) (Hi - Lo)/mu*(epsilon, delta),
//     calibrated exactly.
//
// Which arms are played depends on earlier releases and on public contexts, and not on the round's
// weights. The trust model is central. The noise is for research: floating-point noise leaks
// through its low bits (Mironov 2012).
type RoundBatches struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget  privacy.Budget
	Lengths RoundLengths // no default
}

// RoundLengths is a rule for the lengths of batches. It may depend only on public data.
type RoundLengths interface {
	// Length returns the number of rounds, >= 1, of batch i = 0, 1, ..., or 0 if there is none and the
	// batches have ended.
	Length(i int, s privacy.Setup) int
}

// EqualRounds is the rule of batches of so many rounds each.
type EqualRounds int

// Length returns the number itself.
func (n EqualRounds) Length(int, privacy.Setup) int { return int(n) }

var (
	_ privacy.Tally = RoundBatches{}
	_ RoundLengths  = EqualRounds(1)
)

// roundBatches are RoundBatches for a setup.
type roundBatches struct {
	noisyTally
	lengths RoundLengths
}

// roundBatchesRun is a run of RoundBatches.
type roundBatchesRun struct {
	*roundBatches
	noisyRun
	batch   int       // batches that have ended
	left    int       // rounds until the open batch ends; 0 means that there is none
	inBatch []int     // by arm, observations in the open batch
	draws   []int     // by arm, sums released
	sums    []float64 // by arm, of weights less Lo
}

// Open validates and calibrates.
func (of RoundBatches) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 4); err != nil {
		return nil, err
	}
	if s.WarmUp {
		return nil, fmt.Errorf("mechanism: RoundBatches with Setup.WarmUp = true, want false: all rounds are in batches")
	}
	if err := field.Check("mechanism: RoundBatches.Lengths", of.Lengths); err != nil {
		return nil, err
	}
	b := &roundBatches{noisyTally{data: s}, of.Lengths}
	if n := b.lengths.Length(0, s); n < 0 {
		return nil, fmt.Errorf("mechanism: RoundBatches.Lengths.Length(0) = %d, want >= 1, or 0 for none", n)
	}
	if err := b.scales(of.Budget, false); err != nil {
		return nil, err
	}
	b.describe(of.Budget, privacy.Sound, "one noisy sum for an arm and a batch: Hanna, Girgis, Fragouli, Diggavi 2022",
		true, "contexts, if there are any, are public")
	return b, nil
}

// Start begins a run that draws its noise from n.
func (b *roundBatches) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(b)
	}
	arms := b.data.Arms
	return &roundBatchesRun{roundBatches: b, noisyRun: b.start(n), left: max(0, b.lengths.Length(0, b.data)),
		inBatch: make([]int, arms), draws: make([]int, arms), sums: make([]float64, arms)}
}

// Add adds a record. moved reports that a batch has ended and was released.
func (b *roundBatchesRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := b.admit(rec); err != nil || b.left == 0 {
		return false, err
	}
	for i, arm := range rec.Arms {
		b.sums[arm] += b.over(rec.Y[i])
		b.inBatch[arm]++
		b.seen[arm]++
	}
	if b.left--; b.left > 0 {
		return false, nil
	}
	b.release()
	return true, nil
}

// release releases the open batch and opens the next.
func (b *roundBatchesRun) release() {
	for arm, n := range b.inBatch {
		if n == 0 {
			continue
		}
		mean := (b.sums[arm] + b.draw(b.later)) / float64(n)
		b.change(arm, privacy.Estimate{Mean: b.setup.Lo + mean, Count: n, Tail: tailOfEqual(b.gaussian, 1, b.later/float64(n))})
		b.draws[arm]++
		b.inBatch[arm], b.sums[arm] = 0, 0
	}
	b.batch++
	b.left = max(0, b.lengths.Length(b.batch, b.setup))
}

// Scale returns the noise on a sum: the scale of the Laplace noise, or the standard deviation of
// the Gaussian.
func (b *roundBatches) Scale() float64 { return b.later }

// Plan returns what the batches of up to the given number of records reveal of one record: a sum
// for each of its arms. Noise is drawn for each sum released.
func (b *roundBatches) Plan(records int) privacy.Plan {
	return b.plan(records, once, nil).HeldBy(b).Trusts(b.lengths)
}

// Plan returns the tally's plan with the draws of the run.
func (b *roundBatchesRun) Plan(records int) privacy.Plan {
	return b.plan(records, once, b.draws).HeldBy(b).Trusts(b.lengths)
}

// once returns in how many sums of an arm a record is at most, of n records.
func once(n int) int { return min(n, 1) }
