package tally

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Cascade releases how attractive each arm is, from clicks on lists of arms: of the users who
// looked at the arm, the share that clicked it (Kveton, Szepesvari, Wen, Ashkan 2015).
//
// A record is a list of up to K = Slots arms in the order shown. The first weight above 1/2 is
// the click; the arms before it were skipped, and those after it were not looked at, whatever
// their weights. So the rewards of environment.Cascade are records, and so are those of a
// semi-bandit, of which all after the first 1 is left out. Weights are in [0, 1].
//
// If epsilon = +Inf, there is no noise, and each record changes the exact mean of all looks at an
// arm. Over that, slots.OMM with Explore = 1.5 and LogT is CascadeUCB1, and slots.KLOSM with
// LogLog = 3 is CascadeKL-UCB; they show an arm without a look first, and have ln t for the
// paper's ln(t-1).
//
// With noise, an arm's blocks end when it was shown another 1, 2, 4, 8, ... times. A block of so
// many looks would not be private: when it is full depends on the clicks of the users in it, in
// the open. A block's clicks C and its skips S are released under fresh noise each. Replace a
// record by another of the same list, whose click is not at place i but at a later place j: arm i
// has a click less and a skip more, each arm in between has a skip more, and arm j a click more.
// If there is no click at all, all arms from i on have a skip more. At most K + 1 of the numbers
// move, by 1 each, whatever the lists and the blocks:
//
//   - delta = 0: Laplace noise of scale b = (K + 1)/epsilon on each number makes the whole run
//     epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation sqrt(K + 1)/mu*(epsilon, delta), calibrated
//     exactly.
//
// Clicks and looks E = C + S move as far, and have more noise in the mean. Let z be the noises
// and m the attraction. Clicks and skips have C~ = C + z_C and E~ = E + z_C + z_S, thus
//
//	m E~ - C~ = (m E - C) + m z_S - (1-m) z_C,
//
// where clicks and looks have m z_E - z_C.
//
// Estimate.Mean is C~/E~ over all blocks. A block of n rounds has the weight w = n/(n + 4v),
// where v is the variance of the noise on a number. Its error m - Mean is the equation's right
// side over E~:
//
//   - Noise: m z_S - (1-m) z_C is no further out than one noise, as weighted means of
//     symmetric log-concave variables are more peaked the more equal their shares are (Proschan
//     1965). So Estimate.Tail is the tail of the sum of w z, with one z a block, over E~. It holds
//     with the denominator of the run, which is released.
//   - Sampling: with looks E the sum of w (m E - C) has a variance of at most V/4 for any V >=
//     sum of w^2 E. Estimate.Count is E~^2/V, so that an error of sqrt(l V) is sqrt(l/Count) in
//     the mean. V is the sum of w^2 n or, if that is less, of w^2 E~ plus what its noise exceeds
//     with probability 1/Horizon. Count is at most the number of rounds. The bound on the variance
//     is for a V that is fixed. This V is random, as looks are, and so not covered by the proof;
//     TestCascadeCoverage measures how often the width covers.
//
// An arm whose Count would be below 1 keeps its last estimate, or has none.
//
// When a block ends depends on the lists, and thus on earlier releases, but not on the round's
// clicks. The trust model is central, and there is no warm-up. With one slot, [Blocks] has half
// the noise. The noise is for research: floating-point noise leaks through its low bits (Mironov
// 2012).
type Cascade struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon
	// = +Inf no noise.
	Budget privacy.Budget
}

var _ privacy.Tally = Cascade{}

// cascade is a Cascade for a setup.
type cascade struct {
	noisyTally
	levels []cascadeLevel // of an arm's blocks; without noise, one for all of them
}

// cascadeLevel is what an arm's block number i is, and what the estimate is that ends with it.
type cascadeLevel struct {
	length int
	weight float64
	square float64      // of the weight
	tail   privacy.Tail // of the weighted noise in the numerator of the mean
	slack  float64      // which the noise in the sum of w^2 E~ exceeds with probability 1/Horizon
}

// cascadeRun is a run of a Cascade.
type cascadeRun struct {
	*cascade
	noisyRun
	arms  []cascadeArm
	drawn int
}

// cascadeArm is an arm in a run.
type cascadeArm struct {
	full, left    int     // blocks that are full, and rounds until the open one is
	clicks, skips float64 // in the open block
	// Of all full blocks, weighted by w, w, w^2, w^2 and 1.
	clicked, looked, squares, most, shown float64
}

// Open validates and calibrates.
func (of Cascade) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, 9); err != nil {
		return nil, err
	}
	switch {
	case s.WarmUp:
		return nil, fmt.Errorf("mechanism: Cascade with Setup.WarmUp = true, want false: a user looks at a list of %d arms", s.Slots)
	case s.Lo != 0 || s.Hi != 1:
		return nil, fmt.Errorf("mechanism: Cascade with Setup.Lo = %v, Hi = %v, want 0 and 1, for a click", s.Lo, s.Hi)
	}
	noise, err := newSlotNoise(of.Budget)
	if err != nil {
		return nil, err
	}
	c := &cascade{noisyTally: noisyTally{data: s, gaussian: noise.gaussian}}
	if c.later, err = noise.scale(s.Slots+1, 1); err != nil {
		return nil, err
	}
	c.first = c.later
	c.levelUp(of.Budget.None())
	c.describe(of.Budget, privacy.Sound, "noisy clicks and skips of cascading bandits: Kveton, Szepesvari, Wen, Ashkan 2015", true)
	return c, nil
}

// levelUp computes all that depends on a block's place alone.
func (c *cascade) levelUp(exact bool) {
	if exact {
		c.levels = []cascadeLevel{{length: 1, weight: 1, square: 1}}
		return
	}
	v := float64(c.later * c.later)
	if !c.gaussian {
		v *= 2
	}
	log := portable.Log(max(2, float64(c.data.Horizon)))
	var scales, squares []float64
	for n := 1; ; n *= 2 {
		w := float64(n) / (float64(n) + float64(4*v))
		scales = append(scales, float64(w*c.later))
		for range 2 { // of clicks and of skips
			squares = append(squares, float64(w*w)*c.later)
		}
		slack := tailOf(c.gaussian, squares)
		c.levels = append(c.levels, cascadeLevel{n, w, float64(w * w), tailOf(c.gaussian, scales),
			float64(slack.Root*math.Sqrt(log)) + float64(slack.Linear*log)})
		if n > c.data.Horizon/2 {
			return // the block after this one is never full
		}
	}
}

// level returns that of block i.
func (c *cascade) level(i int) *cascadeLevel { return &c.levels[min(i, len(c.levels)-1)] }

// Start begins a run that draws its noise from n.
func (c *cascade) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(c)
	}
	r := &cascadeRun{cascade: c, noisyRun: c.start(n), arms: make([]cascadeArm, c.data.Arms)}
	for i := range r.arms {
		r.arms[i].left = c.levels[0].length
	}
	return r
}

// Add adds a record and releases the blocks that it fills. moved reports whether there are any.
func (r *cascadeRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := r.admit(rec); err != nil {
		return false, err
	}
	looked := true
	for i, e := range rec.Arms {
		a := &r.arms[e]
		switch {
		case !looked:
		case rec.Y[i] > 0.5:
			a.clicks++
			looked = false
		default:
			a.skips++
		}
		if a.left--; a.left == 0 {
			r.release(e, a)
			moved = true
		}
	}
	return moved, nil
}

// release releases an arm's full block, opens the next, and changes the arm's estimate.
func (r *cascadeRun) release(e int, a *cascadeArm) {
	l := r.level(a.full)
	n := float64(l.length)
	clicks, looks := a.clicks, a.clicks+a.skips
	if r.later > 0 {
		clicks += r.draw(r.later)
		looks = clicks + a.skips + r.draw(r.later)
		r.drawn += 2
	}
	a.clicked += float64(l.weight * clicks)
	a.looked += float64(l.weight * looks)
	a.squares += float64(l.square * looks)
	a.most += float64(l.square * n)
	a.shown += n
	a.full++
	a.left, a.clicks, a.skips = r.level(a.full).length, 0, 0
	v := min(a.most, a.squares+l.slack)
	if !(v > 0 && a.looked > 0) {
		return
	}
	count := int(min(float64(a.looked*a.looked)/v*(1+1e-12), a.shown)) // a whole number that rounding misses counts
	if count < 1 {
		return
	}
	r.change(e, privacy.Estimate{Mean: a.clicked / a.looked, Count: count,
		Tail: privacy.Tail{Root: l.tail.Root / a.looked, Linear: l.tail.Linear / a.looked}})
}

// Scale returns the noise on a number of clicks or of skips: the scale of the Laplace noise, or
// the standard deviation of the Gaussian.
func (c *cascade) Scale() float64 { return c.later }

// Plan returns what the blocks of up to the given number of records reveal of one record: K + 1
// numbers of clicks and of skips. Noise is drawn for both numbers of each full block.
func (c *cascade) Plan(records int) privacy.Plan { return c.shown(records, 0).HeldBy(c) }

// Plan returns the tally's plan with the draws of the run.
func (r *cascadeRun) Plan(records int) privacy.Plan { return r.shown(records, r.drawn).HeldBy(r) }

func (c *cascade) shown(records, draws int) privacy.Plan {
	return c.shows[1].Shown((c.data.Slots+1)*once(max(0, records)), draws)
}
