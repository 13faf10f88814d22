package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
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
	Lengths BatchLengths // no default
	// Cumulative means that nothing is forgotten: the mean is the sum of all batches, with the noise
	// of each, over the number of their observations. false means the last batch alone.
	Cumulative bool

	noisyTally
	rule    BatchLengths // Lengths, as it was in Init
	batches []int        // by arm, how many are full
	left    []int        // by arm, observations missing until the open batch is full; 0: none is open
	length  []int        // by arm, of the open batch
	sums    []float64    // by arm, of weights less Lo in the open batch
	totals  []float64    // by arm, what was released of all batches
	counted []int        // by arm, observations in totals
	summed  bool         // some observations came as sums
}

// BatchLengths is a rule for the lengths of batches. It may depend on public data and on what was
// released before the batch begins.
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
	_ privacy.Summer = (*Batches)(nil)
	_ privacy.Tally  = (*Batches)(nil)
	_ BatchLengths   = Geometric{}
)

// Init validates and calibrates.
func (b *Batches) Init(s privacy.Setup) error {
	return b.init(s, 6, b.calibrate)
}

func (b *Batches) calibrate() error {
	s := b.setup
	if err := field.Check("mechanism: Batches.Lengths", b.Lengths); err != nil {
		return err
	}
	if v, ok := b.Lengths.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return err
		}
	}
	if err := b.scales(b.Budget, s.WarmUp); err != nil {
		return err
	}
	b.rule = b.Lengths
	b.describe(b.Budget, privacy.Sound, "batches of an arm: parallel composition", true)
	b.batches, b.left, b.length, b.counted = make([]int, s.Arms), make([]int, s.Arms), make([]int, s.Arms), make([]int, s.Arms)
	b.sums, b.totals = make([]float64, s.Arms), make([]float64, s.Arms)
	return nil
}

// Reset forgets the data and draws new noise from n.
func (b *Batches) Reset(n *privacy.Noise) {
	b.tallied.reset()
	clear(b.batches)
	clear(b.left)
	clear(b.counted)
	clear(b.sums)
	clear(b.totals)
	b.noise, b.summed = n, false
}

// Add adds a record and releases the batches that it fills. moved reports whether there are any.
func (b *Batches) Add(rec *privacy.Record) (moved bool, err error) {
	if err := b.ready(); err != nil {
		return false, err
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
func (b *Batches) open(arm int) {
	b.length[arm] = max(1, b.rule.Length(arm, b.batches[arm]))
	b.left[arm], b.sums[arm] = b.length[arm], 0
}

// release releases an arm's full batch.
func (b *Batches) release(arm int) {
	scale := b.later
	if b.batches[arm] == 0 {
		scale = b.first
	}
	if !b.Cumulative {
		b.totals[arm], b.counted[arm] = 0, 0
	}
	b.totals[arm] += b.sums[arm] + b.draw(scale)
	b.counted[arm] += b.length[arm]
	b.batches[arm]++
	noises := 1
	if b.Cumulative {
		noises, scale = b.batches[arm], b.first
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
func (b *Batches) Scale() (first, later float64) { return b.first, b.later }

// Plan returns what the batches of up to the given number of records reveal of one record: a sum
// for each of its arms.
func (b *Batches) Plan(records int) privacy.Plan {
	p := b.plan(records, func(n int) int { return min(n, 1) }, b.batches)
	if b.summed {
		p.Conditions = append(slices.Clone(p.Conditions), "weights that came as sums were within the bounds before")
	}
	return p.HeldBy(b).Trusts(b.rule)
}
