package tally

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Batches releases the sum of a batch of an arm's observations under fresh noise each time that a
// batch is full, and makes a mean of it.
//
// It differs from [Blocks] in two ways. A rule sets a batch's length when the batch begins, so that
// a policy can set it by what was released before, as successive elimination does. And the mean may
// be that of all batches, whose sums are added up, noise and all.
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms, and each observation is in one batch. It therefore moves at most K released
// sums, by at most Hi - Lo each:
//
//   - delta = 0: each batch's sum gets Laplace noise of scale K (Hi - Lo)/epsilon, so that the run
//     is epsilon-DP by parallel composition.
//   - delta > 0: each batch's sum gets Gaussian noise of standard deviation sqrt(K) (Hi -
//     Lo)/mu*(epsilon, delta), calibrated exactly, as adaptive releases compose as mu-GDP.
//
// The trust model is central. With Setup.WarmUp the first record shows all L arms, and an arm's
// first batch carries the noise of L slots instead of K. If epsilon = +Inf, there is no noise. The
// noise is for research: floating-point noise leaks through its low bits (Mironov 2012), and sums
// round as those of Blocks do.
type Batches struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget  privacy.Budget
	Lengths BatchLengths // nil: those of the policy's rule, if Setup.Lengths says that it sets them
	// Cumulative means that nothing is forgotten: the mean is the sum of all batches, with the noise
	// of each, over the number of their observations. false means the last batch alone.
	Cumulative bool
}

// BatchLengths is a rule for the lengths of batches. It may depend on public data and on what was
// released before the batch begins. A policy's rule that is one sets the lengths of Batches without
// any; the policy asks for that by Setup.Lengths.
type BatchLengths interface {
	// Length returns the number of observations of an arm's batch i = 0, 1, ... It is called when the
	// batch begins. A number below 1 counts as 1.
	Length(arm, i int) int
}

// Geometric is the rule by which the number of an arm's observations grows by a factor: after batch
// i it is First Ratio^i, rounded up.
type Geometric struct {
	First float64 // observations of the first batch, >= 1
	Ratio float64 // > 1
}

// Validate returns an error if a field is out of its range.
func (g Geometric) Validate() error {
	switch {
	case !(g.First >= 1 && g.First <= mostObservations):
		return fmt.Errorf("mechanism: Geometric.First = %v, want in [1, %v]", g.First, float64(mostObservations))
	case !(g.Ratio > 1 && g.Ratio <= mostObservations):
		return fmt.Errorf("mechanism: Geometric.Ratio = %v, want > 1, %v at most", g.Ratio, float64(mostObservations))
	}
	return nil
}

// mostObservations bounds a batch: no horizon is as long.
const mostObservations = 1 << 52

// Length returns the length of batch i of any arm.
func (g Geometric) Length(_, i int) int {
	before := 0.0
	if i > 0 {
		before = g.total(i - 1)
	}
	return int(max(1, g.total(i)-before))
}

func (g Geometric) total(i int) float64 {
	return min(math.Ceil(g.First*portable.Pow(g.Ratio, float64(i))), mostObservations)
}

var (
	_ privacy.Summer = (*batchesRun)(nil)
	_ privacy.Tally  = Batches{}
	_ BatchLengths   = Geometric{}
)

// batches are Batches for a setup.
type batches struct {
	noisyTally
	lengths    BatchLengths // nil: each run follows a rule of its own
	cumulative bool
}

// batchesRun is a run of Batches.
type batchesRun struct {
	*batches
	noisyRun
	rule    BatchLengths
	full    []int     // by arm, how many batches are full
	left    []int     // by arm, observations missing until the open batch is full; 0: none is open
	length  []int     // by arm, of the open batch
	sums    []float64 // by arm, of weights less Lo in the open batch
	totals  []float64 // by arm, what was released of all batches
	counted []int     // by arm, observations in totals
	summed  bool      // some observations came as sums
}

// Open validates and calibrates.
func (of Batches) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 6); err != nil {
		return nil, err
	}
	if of.Lengths != nil || !s.Lengths {
		if err := field.Check("mechanism: Batches.Lengths", of.Lengths); err != nil {
			return nil, err
		}
	}
	if v, ok := of.Lengths.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, err
		}
	}
	b := &batches{noisyTally{data: s}, of.Lengths, of.Cumulative}
	if err := b.scales(of.Budget, s.WarmUp); err != nil {
		return nil, err
	}
	b.describe(of.Budget, privacy.Sound, "batches of an arm: parallel composition", true)
	return b, nil
}

// Start begins a run that draws its noise from n.
func (b *batches) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(b)
	}
	ints, floats := func() []int { return make([]int, b.data.Arms) }, func() []float64 { return make([]float64, b.data.Arms) }
	return &batchesRun{batches: b, noisyRun: b.start(n), rule: b.lengths, full: ints(), left: ints(), length: ints(), counted: ints(),
		sums: floats(), totals: floats()}
}

// Follows reports whether the lengths of batches are those of the policy's rule, whose word the
// claim then takes.
func (b *batches) Follows() bool { return b.lengths == nil }

// Follow takes the lengths of the run's batches from the policy's rule, unless there are Lengths.
// It comes before the first record.
func (b *batchesRun) Follow(rule BatchLengths) {
	if b.lengths == nil {
		b.rule = rule
	}
}

// Add adds a record and releases the batches that it fills. moved reports whether there are any.
func (b *batchesRun) Add(rec *privacy.Record) (moved bool, err error) {
	if b.rule == nil {
		return false, errors.New("mechanism: batches without lengths: Batches.Lengths is nil, and no policy's rule sets them")
	}
	if err := b.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		if b.left[arm] == 0 {
			b.open(arm)
		}
		b.sums[arm] += b.over(rec.Y[i])
		b.seen[arm]++
		if b.left[arm]--; b.left[arm] == 0 {
			b.release(arm)
			moved = true
		}
	}
	return moved, nil
}

// open begins an arm's next batch.
func (b *batchesRun) open(arm int) {
	b.length[arm] = max(1, b.rule.Length(arm, b.full[arm]))
	b.left[arm], b.sums[arm] = b.length[arm], 0
}

// release releases an arm's full batch.
func (b *batchesRun) release(arm int) {
	scale := b.later
	if b.full[arm] == 0 {
		scale = b.first
	}
	if !b.cumulative {
		b.totals[arm], b.counted[arm] = 0, 0
	}
	b.totals[arm] += b.sums[arm] + b.draw(scale)
	b.counted[arm] += b.length[arm]
	b.full[arm]++
	noises := 1
	if b.cumulative {
		noises, scale = b.full[arm], b.first
	}
	n, tail := float64(b.counted[arm]), tailOfEqual(b.gaussian, noises, scale)
	b.change(arm, privacy.Estimate{
		Mean: b.setup.Lo + b.totals[arm]/n, Count: b.counted[arm],
		Tail: privacy.Tail{Root: tail.Root / n, Linear: tail.Linear / n},
	})
}

// Scale returns the noise on the sum of an arm's first batch and of later ones: the scale of the
// Laplace noise, or the standard deviation of the Gaussian. The two differ only for a warm-up
// record.
func (b *batches) Scale() (first, later float64) { return b.first, b.later }

// Plan returns what the batches of up to the given number of records reveal of one record: a sum
// for each of its arms.
func (b *batches) Plan(records int) privacy.Plan {
	return b.plan(records, once, nil).HeldBy(b).Trusts(b.lengths)
}

// Plan returns the tally's plan with the draws of the run.
func (b *batchesRun) Plan(records int) privacy.Plan {
	p := b.plan(records, once, b.full)
	if b.summed {
		p.Conditions = append(slices.Clone(p.Conditions), "weights that came as sums were within the bounds before")
	}
	return p.HeldBy(b).Trusts(b.lengths)
}
