package mechanism

import (
	"fmt"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TreeTally releases the mean of all observations of an arm after each of them, by a binary tree of noisy sums for each arm (Chan, Shi, Song 2011). A UCB learner
// over it is CUCB with tree-based privacy (Mishra and Thakurta 2015; Chen, Zheng, Zhou, Yang, Chen, Wang, (Locally) Differentially Private Combinatorial Semi-Bandits,
// 2020, there CUCB-DP), what DPUCB-MAT is compared with. The noise is derived here, and is not the constant of either paper.
//
// A record is the weights of one round, each in [Lo, Hi] and the means in the same units; its neighbour has any others. It adds an observation to at most K =
// Slots arms. The observations of an arm are the leaves of its tree, and the prefix of t of them is the sum of one node for each binary digit 1 of t. Of the nodes that
// prefixes of up to n observations, the horizon's, take, the first observation is in m = floor(log2 n) + 1 and no other in more. A record moves thus at most K m
// released sums, by at most Hi - Lo each:
//
//   - delta = 0: Laplace noise of scale K m (Hi - Lo)/epsilon on each node makes the whole run epsilon-DP.
//   - delta > 0: Gaussian noise of standard deviation sqrt(K m) (Hi - Lo)/mu*(epsilon, delta), calibrated exactly (adaptive releases compose as mu-GDP): less where
//     2 K m > (epsilon/mu*)^2, which for more than a few nodes it is.
//
// The trust model is central. With TallySetup.WarmUp the first record, which shows all L arms, is released apart from the trees, under the noise that L slots
// need, Laplace of scale L (Hi - Lo)/epsilon: its user has the same epsilon as all others, and the trees are what they are without it.
//
// What is kept of an arm is the exact sum and the noise of the nodes in the prefix, floor(log2 n) + 2 numbers; noise is drawn once an observation, fresh for each
// node. epsilon = +Inf means no noise, and exact means. The noise is for research: floating-point noise leaks through its low bits (Mironov 2012), and
// sums round, as those of Blocks do.
type TreeTally struct {
	Budget privacy.Budget // no default; delta = 0: Laplace, delta > 0: Gaussian; epsilon = +Inf means no noise

	tallied
	gaussian    bool
	first, node float64 // the noise on a weight of the warm-up record, and on a node
	levels      int
	sums        []float64 // by arm, of weights less Lo
	leaves      []int     // by arm, the observations in the tree
	above       []float64 // arms x (levels+1): the noise of the nodes in the prefix at levels >= i, and last that of the warm-up
	tails       [2][]privacy.Tail
	noise       *privacy.Noise
	buf         [1]float64
	perRound    slotNoise
	warmUp      privacy.Event // what is shown of a first record apart
	claim       privacy.Claim
}

var (
	_ privacy.Tally = (*TreeTally)(nil)
	_ privacy.Meter = (*TreeTally)(nil)
)

// Init validates and calibrates.
func (t *TreeTally) Init(s privacy.TallySetup) error {
	t.noise, t.claim = nil, privacy.Claim{}
	if err := t.tallied.init(s, float64(bits.Len(uint(s.Horizon))+3)); err != nil {
		return err
	}
	err := t.calibrate()
	if err != nil {
		t.tallied = tallied{}
	}
	return err
}

func (t *TreeTally) calibrate() (err error) {
	s := t.setup
	if t.perRound, err = newSlotNoise(t.Budget); err != nil {
		return err
	}
	t.gaussian, t.levels = t.perRound.gaussian, bits.Len(uint(s.Horizon))
	if t.node, err = t.perRound.scale(s.Slots*t.levels, s.Hi-s.Lo); err != nil {
		return err
	}
	t.warmUp, t.first = nil, 0
	event := t.event(s.Horizon)
	if s.WarmUp {
		if t.first, err = t.perRound.scale(s.Arms, s.Hi-s.Lo); err != nil {
			return err
		}
		t.warmUp = t.perRound.event(s.Arms)
		event = privacy.Parallel{t.warmUp, event}
	}
	t.claim = privacy.Claim{
		Model: privacy.Central, Neighbours: replaceWeights,
		Nominal: t.Budget, Epsilon: t.Budget.Epsilon, Event: event,
		Conditions: []string{fmt.Sprintf("weights clipped to [%v, %v] inside the mechanism", s.Lo, s.Hi), adaptive, privacy.OneRound},
		Source:     "a binary tree for each arm: Chan, Shi, Song 2011; Chen, Zheng, Zhou, Yang, Chen, Wang 2020",
	}
	if t.gaussian {
		t.claim.Source += "; accounted by mu-GDP (Dong, Roth, Su 2022)"
	}
	t.sums, t.leaves = make([]float64, s.Arms), make([]int, s.Arms)
	t.above = make([]float64, s.Arms*(t.levels+1))
	var scales [2][]float64
	scales[1] = append(scales[1], t.first)
	t.tails = [2][]privacy.Tail{}
	for range t.levels + 1 {
		for i := range scales {
			t.tails[i] = append(t.tails[i], tailOf(t.gaussian, scales[i]))
			scales[i] = append(scales[i], t.node)
		}
	}
	return nil
}

// event returns that of a record in the trees that as many records have made.
func (t *TreeTally) event(records int) privacy.Event {
	return privacy.TreeEvent{Node: t.perRound.each(t.setup.Slots * t.levels), Nodes: t.setup.Slots * bits.Len(uint(records))}
}

// Reset forgets the data and draws new noise.
func (t *TreeTally) Reset(n *privacy.Noise) {
	t.tallied.reset()
	clear(t.sums)
	clear(t.leaves)
	clear(t.above)
	t.noise = n
}

// Add takes in a record, and releases a new mean of each of its arms.
func (t *TreeTally) Add(arms []int, weights []float64) (released bool, err error) {
	if err := ready(t.noise, &t.claim); err != nil {
		return false, err
	}
	warm := t.warm()
	if err := t.admit(arms, weights); err != nil {
		return false, err
	}
	for i, arm := range arms {
		t.sums[arm] += t.over(weights[i])
		t.seen[arm]++
		above := t.above[arm*(t.levels+1) : (arm+1)*(t.levels+1)]
		if warm {
			above[t.levels] = t.draw(t.first)
			continue
		}
		t.leaves[arm]++
		level := t.lowest(t.leaves[arm])
		above[level] = above[t.lowest(t.leaves[arm]&(t.leaves[arm]-1))] + t.draw(t.node) // on the nodes of the other digits
	}
	return len(arms) > 0, nil
}

// lowest returns the lowest level that has a node in the prefix.
func (t *TreeTally) lowest(leaves int) int { return min(bits.TrailingZeros(uint(leaves)), t.levels) }

func (t *TreeTally) draw(scale float64) float64 {
	if t.gaussian {
		t.noise.Gaussian(t.buf[:], scale)
	} else {
		t.noise.Laplace(t.buf[:], scale)
	}
	return t.buf[0]
}

// Estimate returns the mean of an arm's observations under the noise of its prefix.
func (t *TreeTally) Estimate(arm int) privacy.Estimate {
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

// Scale returns the noise on a weight of the warm-up record, 0 where there is none, and on a node: the scale of the Laplace, or the standard deviation of the Gaussian.
func (t *TreeTally) Scale() (first, node float64) { return t.first, t.node }

// Claim returns what the noise buys.
func (t *TreeTally) Claim() privacy.Claim { return t.claim }

// Draws returns a draw for each observation: in the trees each finishes one node of those that prefixes take.
func (t *TreeTally) Draws() []privacy.Draws {
	law := privacy.LaplaceLaw
	if t.gaussian {
		law = privacy.GaussianLaw
	}
	var first, nodes int
	for arm, n := range t.leaves {
		first += t.seen[arm] - n
		nodes += n
	}
	return []privacy.Draws{{Law: law(1, t.first), Count: first}, {Law: law(1, t.node), Count: nodes}}
}

// Spent returns the event of the nodes that the first record of the trees is in after a number of records: no record is in more.
func (t *TreeTally) Spent(records int) privacy.Event {
	trees := records
	if t.setup.WarmUp {
		trees--
	}
	switch {
	case records <= 0:
		return nothing
	case trees == 0:
		return t.warmUp
	case t.setup.WarmUp:
		return privacy.Parallel{t.warmUp, t.event(min(trees, t.setup.Horizon))}
	}
	return t.event(min(trees, t.setup.Horizon))
}
