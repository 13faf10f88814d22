package tally

import (
	"fmt"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/internal/field"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Blocks releases the mean of an arm under fresh noise each time a block of its observations is
// full.
//
// By default blocks have 1, 2, 4, 8, ... observations, as in DPUCB-MAT and DPTS-MAT (Differentially
// private matroid bandits, Algorithms 2 and 3), whose w~_e is Estimate.Mean and whose T_e is
// Estimate.Count. Nothing changes between releases (laziness), and a release uses its own block
// alone (forgetfulness).
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms, and each observation is in one block. It therefore moves at most K released
// sums, by at most Hi - Lo each:
//
//   - delta = 0: each block's sum gets Laplace noise of scale b = K (Hi - Lo)/epsilon. K releases
//     at epsilon/K each make the whole run epsilon-DP.
//   - delta > 0: each block's sum gets Gaussian noise of standard deviation sqrt(K) (Hi -
//     Lo)/mu*(epsilon, delta), calibrated exactly, as adaptive releases compose as mu-GDP. Its
//     variance is below the Laplace's 2 b^2 if 2 K > (epsilon/mu*)^2; for fewer slots ask for delta
//     = 0. The paper has only the Laplace noise.
//
// When a block is full depends on the arms played, and thus on earlier releases, but not on the
// round's weights. The trust model is central: the curator sees the weights, and all users see what
// is played.
//
// With Setup.WarmUp the first record shows all L arms, as in line 2 of the papers' algorithms, and
// its user is in L releases:
//
//   - Sound: the first block of each arm carries the noise of L slots instead of K, so that the
//     first user has the same epsilon as all others.
//   - AsPublished: it carries the noise of K slots. The first user's epsilon is then L epsilon/K,
//     and the claim says so.
//
// Remember combines a new block with what older blocks released. It costs no privacy, as a record
// is still in one block and the rest is post-processing. The mean of a block of m observations has
// variance at most (Hi - Lo)^2/(4 m) + v/m^2, where v is the variance of the noise on its sum, and
// the means of blocks are weighted by the inverse of that. Estimate.Count is then
// 1/sum_j(p_j^2/m_j), rounded down, where p_j is the weight of block j: the number of observations
// whose plain mean would vary as little. It is up to twice the last block's. From the third block
// on, under Laplace noise, Remember makes a confidence width sqrt(l/Count) + Root sqrt(l) + Linear
// l narrower by a fifth to three tenths.
//
// If epsilon = +Inf, there is no noise, and the estimate is the mean of the last full block or,
// with Remember, of all full blocks. That is not the mean of all observations, which [Counts] has.
//
// The noise is for research: floating-point noise leaks through its low bits (Mironov 2012). Sums
// round, too: unless all weights are 0 or 1, the sums of m weights of two neighbours may be (1 +
// m^2 2^-52) (Hi - Lo) apart (Casacuberta, Shoemate, Vadhan, Wagaman 2022), a factor of 1.0002 for
// a block of a million.
type Blocks struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget      privacy.Budget
	Calibration privacy.Calibration // Sound or AsPublished; the zero value is Sound
	// Remember combines all full blocks; false means the last full block alone, as in the papers.
	Remember bool
	Lengths  BlockLengths // nil means blocks of 1, 2, 4, 8, ... observations
}

// BlockLengths is a rule for the lengths of an arm's blocks. It may depend only on public data.
type BlockLengths interface {
	// Length returns the number of observations, >= 1, of block i = 0, 1, ... of an arm.
	Length(i int) int
}

// doubling is the rule that gives blocks of 1, 2, 4, 8, ... observations.
type doubling struct{}

// Length returns 2^i.
func (doubling) Length(i int) int { return 1 << min(i, bits.UintSize-2) }

// blockLevel is what is known in advance about an arm's block and about the estimate after it.
type blockLevel struct {
	length int
	share  float64 // the weight of this block's mean; the estimate before has the rest
	count  int
	tail   privacy.Tail
}

var _ privacy.Tally = Blocks{}

// blocks are Blocks for a setup.
type blocks struct {
	noisyTally
	lengths BlockLengths
	levels  []blockLevel
}

// blocksRun is a run of Blocks.
type blocksRun struct {
	*blocks
	noisyRun
	full        []int     // by arm, how many blocks are full
	left        []int     // by arm, observations missing until the open block is full
	sums, means []float64 // by arm: the open block's sum, and the last estimate, of weights less Lo
}

// Open validates and calibrates.
func (of Blocks) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 4); err != nil {
		return nil, err
	}
	if err := curator.Published("Blocks", of.Calibration); err != nil {
		return nil, err
	}
	b := &blocks{noisyTally: noisyTally{data: s}, lengths: of.Lengths}
	if err := b.scales(of.Budget, s.WarmUp && of.Calibration == privacy.Sound); err != nil {
		return nil, err
	}
	if err := b.levelUp(of); err != nil {
		return nil, err
	}
	b.describe(of.Budget, of.Calibration, "blocks of Differentially private matroid bandits, Theorem 1", true)
	return b, nil
}

// maxRemembered bounds the number of blocks of an arm that Remember combines, each with all before.
const maxRemembered = 1 << 12

// levelUp computes the lengths, weights, counts and tails of all blocks, which depend only on a
// block's place.
func (b *blocks) levelUp(of Blocks) error {
	rule := of.Lengths
	if rule == nil {
		rule = doubling{}
	}
	if err := field.Check("mechanism: Blocks.Lengths", rule); err != nil {
		return err
	}
	most := curator.MaxReleases
	if of.Remember {
		most = maxRemembered
	}
	for rest := mostRecords(b.data); ; {
		n := rule.Length(len(b.levels))
		switch {
		case n < 1:
			return fmt.Errorf("mechanism: Blocks.Lengths.Length(%d) = %d, want >= 1", len(b.levels), n)
		case len(b.levels) == most:
			return fmt.Errorf("mechanism: Blocks.Lengths has over %d blocks for a horizon of %d, want fewer and longer ones", most, b.data.Horizon)
		}
		b.levels = append(b.levels, blockLevel{length: n})
		if uint(n) > rest {
			break // never full
		}
		rest -= uint(n)
	}
	var total float64 // summed precision of the blocks in the estimate
	precisions, scales := make([]float64, len(b.levels)), make([]float64, len(b.levels))
	parts := make([]float64, 0, len(b.levels))
	for i := range b.levels {
		if scales[i] = b.later; i == 0 {
			scales[i] = b.first
		}
		n := float64(b.levels[i].length)
		precisions[i] = 1 / b.variance(n, scales[i]/(b.data.Hi-b.data.Lo))
		total += precisions[i]
		oldest := 0
		if !of.Remember {
			total, oldest = precisions[i], i
		}
		var square float64
		parts = parts[:0]
		for j := oldest; j <= i; j++ {
			p, m := precisions[j]/total, float64(b.levels[j].length)
			square += p * p / m
			parts = append(parts, p*scales[j]/m)
		}
		l := &b.levels[i]
		l.share = precisions[i] / total
		l.count = int(1 / square * (1 + 1e-12)) // a whole number that rounding misses counts
		l.tail = tailOf(b.gaussian, parts)
	}
	return nil
}

// variance bounds the variance of the mean of a block of n observations, in units of (Hi - Lo)^2,
// with scale in units of Hi - Lo.
func (b *blocks) variance(n, scale float64) float64 {
	v := float64(scale * scale)
	if !b.gaussian {
		v = float64(2 * v)
	}
	return 0.25/n + v/n/n
}

// Start begins a run that draws its noise from n.
func (b *blocks) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(b)
	}
	arms := b.data.Arms
	r := &blocksRun{blocks: b, noisyRun: b.start(n), full: make([]int, arms), left: make([]int, arms),
		sums: make([]float64, arms), means: make([]float64, arms)}
	for i := range r.left {
		r.left[i] = b.levels[0].length
	}
	return r
}

// Add adds a record and releases the blocks that it fills. moved reports whether there are any.
func (b *blocksRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := b.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		b.sums[arm] += b.over(rec.Y[i])
		b.seen[arm]++
		if b.left[arm]--; b.left[arm] == 0 {
			b.release(arm)
			b.change(arm, b.estimate(arm))
			moved = true
		}
	}
	return moved, nil
}

// release releases an arm's full block and opens the next.
func (b *blocksRun) release(arm int) {
	level, scale := b.full[arm], b.later
	if level == 0 {
		scale = b.first
	}
	mean := (b.sums[arm] + b.draw(scale)) / float64(b.levels[level].length)
	b.sums[arm] = 0
	b.full[arm]++
	b.left[arm] = b.levels[level+1].length
	if share := b.levels[level].share; share < 1 {
		mean = b.means[arm] + float64(share*(mean-b.means[arm]))
	}
	b.means[arm] = mean
}

// estimate returns the last release of an arm.
func (b *blocksRun) estimate(arm int) privacy.Estimate {
	l := &b.levels[b.full[arm]-1]
	return privacy.Estimate{Mean: b.setup.Lo + b.means[arm], Count: l.count, Tail: l.tail}
}

// Scale returns the noise on the sum of an arm's first block and of later ones: the scale of the
// Laplace noise, or the standard deviation of the Gaussian. The two differ only for a warm-up
// record under Sound.
func (b *blocks) Scale() (first, later float64) { return b.first, b.later }

// Plan returns what the blocks of up to the given number of records reveal of one record: a sum for
// each of its arms or, of the warm-up record, the first block of each arm. Noise is drawn for each
// full block; an arm's first one has no less than the others.
func (b *blocks) Plan(records int) privacy.Plan {
	return b.plan(records, once, nil).HeldBy(b).Trusts(b.lengths)
}

// Plan returns the tally's plan with the draws of the run.
func (b *blocksRun) Plan(records int) privacy.Plan {
	return b.plan(records, once, b.full).HeldBy(b).Trusts(b.lengths)
}
