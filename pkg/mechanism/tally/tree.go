package tally

import (
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Tree releases the mean of all observations of an arm after each of them, by a binary tree of
// noisy sums for each arm (Chan, Shi, Song 2011).
//
// A UCB learner over it is CUCB with tree-based privacy (Mishra and Thakurta 2015; Chen, Zheng,
// Zhou, Yang, Chen, Wang, (Locally) Differentially Private Combinatorial Semi-Bandits, 2020, there
// called CUCB-DP), the rival of DPUCB-MAT. The noise is derived here and has neither paper's
// constant.
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms. The observations of an arm are the leaves of its tree, and the prefix of t
// of them is the sum of one node for each binary digit 1 of t. Over prefixes of up to n
// observations, n the horizon, the first observation is in m = floor(log2 n) + 1 of the nodes used,
// and no other is in more. A record therefore moves at most K m released sums, by at most Hi - Lo
// each:
//
//   - delta = 0: Laplace noise of scale K m (Hi - Lo)/epsilon on each node makes the whole run
//     epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation sqrt(K m) (Hi - Lo)/mu*(epsilon, delta),
//     calibrated exactly, as adaptive releases compose as mu-GDP. It is less noise if 2 K m >
//     (epsilon/mu*)^2, which holds for more than a few nodes.
//
// The trust model is central. With Setup.WarmUp the first record, which shows all L arms, is
// released apart from the trees under the noise that L slots need, such as Laplace noise of scale L
// (Hi - Lo)/epsilon. Its user has the same epsilon as all others, and the trees are the same as
// without it.
//
// For each arm Tree stores the exact sum and, in floor(log2 n) + 2 numbers, the noise of the
// nodes in the prefix and of the warm-up. Noise is drawn once an observation, fresh for each node.
// If epsilon = +Inf, there is no noise and the means are exact. The noise is for research:
// floating-point noise leaks through its low bits (Mironov 2012), and sums round as those of
// [Blocks] do.
type Tree struct {
	// Budget has no default. delta = 0 means Laplace noise, delta > 0 Gaussian noise, and epsilon =
	// +Inf no noise.
	Budget privacy.Budget
}

var _ privacy.Tally = Tree{}

// treeTally is a Tree for a setup.
type treeTally struct {
	noisyTally
	levels   int
	tails    [2][]privacy.Tail
	perRound slotNoise
}

// treeTallyRun is a run of a Tree.
type treeTallyRun struct {
	*treeTally
	noisyRun
	sums   []float64 // by arm, the sum of weights less Lo
	leaves []int     // by arm, the number of observations in the tree
	// arms x (levels+1): the noise of the prefix's nodes at levels >= i and, in the last place, that
	// of the warm-up
	above []float64
}

// Open validates and calibrates.
func (of Tree) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, float64(bits.Len(uint(s.Horizon))+3)); err != nil {
		return nil, err
	}
	t := &treeTally{noisyTally: noisyTally{data: s}}
	var err error
	if t.perRound, err = newSlotNoise(of.Budget); err != nil {
		return nil, err
	}
	t.gaussian, t.levels = t.perRound.gaussian, bits.Len(uint(s.Horizon))
	if t.later, err = t.perRound.scale(s.Slots*t.levels, s.Hi-s.Lo); err != nil {
		return nil, err
	}
	if s.WarmUp {
		if t.first, err = t.perRound.scale(s.Arms, s.Hi-s.Lo); err != nil {
			return nil, err
		}
	}
	var scales [2][]float64
	scales[1] = append(scales[1], t.first)
	for range t.levels + 1 {
		for i := range scales {
			t.tails[i] = append(t.tails[i], tailOf(t.gaussian, scales[i]))
			scales[i] = append(scales[i], t.later)
		}
	}
	t.describe(of.Budget, privacy.Sound, "a binary tree for each arm: Chan, Shi, Song 2011; Chen, Zheng, Zhou, Yang, Chen, Wang 2020", false)
	return t, nil
}

// Start begins a run that draws its noise from n.
func (t *treeTally) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	arms := t.data.Arms
	return &treeTallyRun{treeTally: t, noisyRun: t.start(n), sums: make([]float64, arms), leaves: make([]int, arms),
		above: make([]float64, arms*(t.levels+1))}
}

// Add adds a record and releases a new mean of each of its arms. moved reports whether it has any.
func (t *treeTallyRun) Add(rec *privacy.Record) (moved bool, err error) {
	warm := t.warm()
	if err := t.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		t.sums[arm] += t.over(rec.Y[i])
		t.seen[arm]++
		above := t.above[arm*(t.levels+1) : (arm+1)*(t.levels+1)]
		if warm {
			above[t.levels] = t.draw(t.first)
			t.means.Of[arm] = t.estimate(arm)
			continue
		}
		t.leaves[arm]++
		level := t.lowest(t.leaves[arm])
		// The new node's noise comes on top of that of the nodes of the other digits.
		above[level] = above[t.lowest(t.leaves[arm]&(t.leaves[arm]-1))] + t.draw(t.later)
		t.means.Of[arm] = t.estimate(arm)
	}
	t.changed(rec.Arms)
	return len(rec.Arms) > 0, nil
}

// lowest returns the lowest level that has a node in the prefix.
func (t *treeTallyRun) lowest(leaves int) int { return min(bits.TrailingZeros(uint(leaves)), t.levels) }

// estimate returns the mean of an arm's observations under the noise of its prefix.
func (t *treeTallyRun) estimate(arm int) privacy.Estimate {
	seen, leaves := t.seen[arm], t.leaves[arm]
	if seen == 0 {
		return privacy.Estimate{}
	}
	n := float64(seen)
	tail := t.tails[seen-leaves][bits.OnesCount(uint(leaves))]
	return privacy.Estimate{
		Mean:  t.setup.Lo + (t.sums[arm]+t.above[arm*(t.levels+1)+t.lowest(leaves)])/n,
		Count: seen,
		Tail:  privacy.Tail{Root: tail.Root / n, Linear: tail.Linear / n},
	}
}

// Scale returns the noise on a weight of the warm-up record, which is 0 without a warm-up, and on a
// node: the scale of the Laplace noise, or the standard deviation of the Gaussian.
func (t *treeTally) Scale() (first, node float64) { return t.first, t.later }

// Plan returns what the trees of up to the given number of records reveal of one record. For each
// of its arms the first record is in as many nodes as any. A warm-up record is in no tree, but in a
// sum of its own for each arm. Noise is drawn for each observation: in the trees each finishes
// exactly one of the nodes that prefixes use.
func (t *treeTally) Plan(records int) privacy.Plan { return t.show(records, nil).HeldBy(t) }

// Plan returns the tally's plan with the draws of the run.
func (t *treeTallyRun) Plan(records int) privacy.Plan { return t.show(records, t.seen).HeldBy(t) }

func (t *treeTally) show(records int, seen []int) privacy.Plan {
	return t.plan(records, func(n int) int { return bits.Len(uint(min(n, t.data.Horizon))) }, seen)
}
