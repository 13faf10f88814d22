package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Blocks releases the mean of an arm once a block of its observations is full, under fresh noise: blocks of 1, 2, 4, 8, ... observations, as
// in DPUCB-MAT and DPTS-MAT (Differentially private matroid bandits, Algorithms 2 and 3), whose w~_e is Estimate.Mean and whose T_e is Estimate.Count. Between
// releases nothing changes (laziness), and a release is of its block alone (forgetfulness).
//
// A record is the weights of one round, each in [Lo, Hi] and the mean in the same units; its neighbour has any others. It adds an observation to at most K =
// Slots arms, and each observation is in one block, so that it moves at most K released sums, by at most Hi - Lo each:
//
//   - delta = 0: Laplace noise of scale b = K (Hi - Lo)/epsilon on a block's sum. K releases at epsilon/K each make the whole run epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation sqrt(K) (Hi - Lo)/mu*(epsilon, delta), calibrated exactly (adaptive releases compose as mu-GDP). Its
//     variance is less than the Laplace's 2 b^2 where 2 K > (epsilon/mu*)^2; for fewer slots ask for delta = 0. The paper has the Laplace only.
//
// When a block is full depends on the arms played, thus on what was released before, and not on the round's weights. The trust model is central: the curator sees
// the weights, and all users see what is played.
//
// With TallySetup.WarmUp the first record shows all L arms, as the papers' line 2 has it, and its user is in L releases:
//
//   - Sound: the first block of each arm carries the noise of L slots instead of K, so that the first user has the same epsilon as all others.
//   - AsPublished: it carries the noise of K slots, and the first user's epsilon is L epsilon/K, which the claim says.
//
// Remember keeps what the older blocks released, which costs no privacy: a record is in one block still, and the rest is arithmetic on releases. A
// block of m observations has a mean of variance (Hi - Lo)^2/(4 m) + v/m^2 at most, v being that of the noise on its sum; means of blocks are weighted by
// the inverse. Estimate.Count is then 1/sum_j(p_j^2/m_j), rounded down, for the weights p_j of the blocks: the observations that a plain mean would need
// to vary as little. It is up to twice the last block's, and a confidence width sqrt(l/Count) + Root sqrt(l) + Linear l is narrower by a fifth to three tenths under
// Laplace noise, from the third block on.
//
// epsilon = +Inf means no noise, and the mean of the last full block, or of all full blocks, which is not that of all observations: Counts has that. The noise is for
// research: floating-point noise leaks through its low bits (Mironov 2012), and a sum of m weights, if they are not all 0 or 1, rounds: neighbours' sums may be
// (1 + m^2 2^-52) (Hi - Lo) apart (Casacuberta, Shoemate, Vadhan, Wagaman 2022), which is 1.0002 for a block of a million.
type Blocks struct {
	Budget      privacy.Budget // no default; delta = 0: Laplace, delta > 0: Gaussian; epsilon = +Inf means no noise
	Calibration privacy.Calibration
	Remember    bool // false: the last full block alone, as the papers have it

	tallied
	gaussian     bool
	first, later float64 // the noise on a block's sum: scale or standard deviation
	levels       []blockLevel
	sums, means  []float64 // by arm: the open block's sum, and the last estimate, of weights less Lo
	noise        *privacy.Noise
	buf          [1]float64
	warmUp       privacy.Event // what is shown of the first record
	claim        privacy.Claim
}

// blockLevel is what is known in advance of the estimate after a number of blocks.
type blockLevel struct {
	share float64 // weight of the last block's mean next to the estimate before
	count int
	tail  privacy.Tail
}

var (
	_ privacy.Tally = (*Blocks)(nil)
	_ privacy.Meter = (*Blocks)(nil)
)

// Init validates and calibrates.
func (b *Blocks) Init(s privacy.TallySetup) error {
	b.noise, b.claim = nil, privacy.Claim{}
	if err := b.tallied.init(s, 2); err != nil {
		return err
	}
	err := b.calibrate()
	if err != nil {
		b.tallied = tallied{}
	}
	return err
}

func (b *Blocks) calibrate() error {
	s := b.setup
	if b.Calibration != privacy.Sound && b.Calibration != privacy.AsPublished {
		return fmt.Errorf("mechanism: Blocks.Calibration = %v, want Sound or AsPublished", b.Calibration)
	}
	n, err := newSlotNoise(b.Budget)
	if err != nil {
		return err
	}
	side := s.Hi - s.Lo
	b.gaussian = n.gaussian
	if b.later, err = n.scale(s.Slots, side); err != nil {
		return err
	}
	event, epsilon := n.event(s.Slots), b.Budget.Epsilon
	conditions := []string{fmt.Sprintf("weights clipped to [%v, %v] inside the mechanism", s.Lo, s.Hi), adaptive, privacy.OneRound}
	b.first, b.warmUp = b.later, event
	switch {
	case !s.WarmUp || s.Arms == s.Slots:
	case b.Calibration == privacy.Sound:
		if b.first, err = n.scale(s.Arms, side); err != nil {
			return err
		}
		b.warmUp = n.event(s.Arms)
		event = privacy.Parallel{b.warmUp, event}
	default:
		b.warmUp = n.published(s.Slots, s.Arms)
		event, epsilon = b.warmUp, n.worth(s.Slots, s.Arms) // another record is in K of these L releases
		conditions = append(conditions, fmt.Sprintf("the epsilon proved is the first user's, of whom %d weights are released; all others have %.4g", s.Arms, b.Budget.Epsilon))
	}
	b.claim = privacy.Claim{
		Model: privacy.Central, Neighbours: replaceWeights, Calibration: b.Calibration,
		Nominal: b.Budget, Epsilon: epsilon, Event: event, Conditions: conditions,
		Source: "Differentially private matroid bandits, Theorem 1",
	}
	if b.gaussian {
		b.claim.Source = "blocks of " + b.claim.Source + "; Balle and Wang 2018, Theorem 8; Dong, Roth, Su 2022"
	}
	b.plan()
	b.sums, b.means = make([]float64, s.Arms), make([]float64, s.Arms)
	return nil
}

// plan works out the weights, counts and tails of the estimates, which depend on the number of blocks alone.
func (b *Blocks) plan() {
	b.levels = make([]blockLevel, full(b.records()))
	var total float64 // precision of the blocks that the estimate is of
	precisions, scales := make([]float64, len(b.levels)), make([]float64, len(b.levels))
	parts := make([]float64, 0, len(b.levels))
	for i := range b.levels {
		if scales[i] = b.later; i == 0 {
			scales[i] = b.first
		}
		precisions[i] = 1 / b.variance(i, scales[i]/(b.setup.Hi-b.setup.Lo))
		total += precisions[i]
		oldest := 0
		if !b.Remember {
			total, oldest = precisions[i], i
		}
		var square float64
		parts = parts[:0]
		for j := oldest; j <= i; j++ {
			p := precisions[j] / total
			square += math.Ldexp(p*p, -j)
			parts = append(parts, math.Ldexp(p*scales[j], -j))
		}
		b.levels[i] = blockLevel{
			share: precisions[i] / total,
			count: int(1 / square * (1 + 1e-12)), // a whole number that rounding misses counts
			tail:  tailOf(b.gaussian, parts),
		}
	}
}

// variance bounds that of the mean of the block of 2^level observations, in units of (Hi - Lo)^2, as scale is in units of Hi - Lo.
func (b *Blocks) variance(level int, scale float64) float64 {
	v := float64(scale * scale)
	if !b.gaussian {
		v *= 2
	}
	return math.Ldexp(0.25, -level) + math.Ldexp(v, -2*level)
}

// Reset forgets the data and draws new noise.
func (b *Blocks) Reset(n *privacy.Noise) {
	b.tallied.reset()
	clear(b.sums)
	clear(b.means)
	b.noise = n
}

// Add takes in a record, and releases the blocks that it fills.
func (b *Blocks) Add(arms []int, weights []float64) (released bool, err error) {
	if err := ready(b.noise, &b.claim); err != nil {
		return false, err
	}
	if err := b.admit(arms, weights); err != nil {
		return false, err
	}
	for i, arm := range arms {
		b.sums[arm] += b.over(weights[i])
		b.seen[arm]++
		if n := uint(b.seen[arm]); n&(n+1) == 0 { // 1, 3, 7, ...: a block is full
			b.release(arm, bits.Len(n)-1)
			released = true
		}
	}
	return released, nil
}

// release releases an arm's block of 2^level observations.
func (b *Blocks) release(arm, level int) {
	scale := b.later
	if level == 0 {
		scale = b.first
	}
	if b.gaussian {
		b.noise.Gaussian(b.buf[:], scale)
	} else {
		b.noise.Laplace(b.buf[:], scale)
	}
	mean := math.Ldexp(b.sums[arm]+b.buf[0], -level)
	b.sums[arm] = 0
	if share := b.levels[level].share; share < 1 {
		mean = b.means[arm] + float64(share*(mean-b.means[arm]))
	}
	b.means[arm] = mean
}

// Estimate returns what was released of an arm last.
func (b *Blocks) Estimate(arm int) privacy.Estimate {
	blocks := full(uint(b.seen[arm]))
	if blocks == 0 {
		return privacy.Estimate{}
	}
	l := &b.levels[blocks-1]
	return privacy.Estimate{Mean: b.setup.Lo + b.means[arm], Count: l.count, Tail: l.tail}
}

// full returns how many blocks a number of observations fills.
func full(n uint) int { return bits.Len(n+1) - 1 }

// Scale returns the noise on the sum of an arm's first block and of later ones: the scale of the Laplace, or the standard deviation of the Gaussian. They
// differ for a warm-up record under Sound.
func (b *Blocks) Scale() (first, later float64) { return b.first, b.later }

// Claim returns what the noise buys.
func (b *Blocks) Claim() privacy.Claim { return b.claim }

// Draws returns a draw for each full block.
func (b *Blocks) Draws() []privacy.Draws {
	law := privacy.LaplaceLaw
	if b.gaussian {
		law = privacy.GaussianLaw
	}
	var first, later int
	for _, n := range b.seen {
		if blocks := full(uint(n)); blocks > 0 {
			first++
			later += blocks - 1
		}
	}
	return []privacy.Draws{{Law: law(1, b.first), Count: first}, {Law: law(1, b.later), Count: later}}
}

// Spent returns the event of the claim from the first record on, which fills a block of each of its arms; after a warm-up record alone, what
// that shows of its user.
func (b *Blocks) Spent(records int) privacy.Event {
	switch {
	case records <= 0:
		return nothing
	case b.setup.WarmUp && records == 1:
		return b.warmUp
	}
	return b.claim.Event
}
