package tally

import (
	"errors"
	"math/bits"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Hybrid releases the mean of all observations of an arm after each of them, without looking
// at the horizon: by the hybrid mechanism (Chan, Shi, Song 2011, Section 5), which DP-UCB reads
// (Tossou and Dimitrakakis 2016).
//
// A logarithmic counter releases the sum of an arm's first n observations at n = 1, 2, 4, ...: it
// adds the sum of those since n/2, under fresh noise, to what it released before. Between 2^j and
// 2^(j+1), a binary tree of j levels over the 2^j - 1 observations in between adds their sum.
//
// A record is the weights of one round, each in [Lo, Hi]; the means are in the same units. A
// neighbour replaces all weights of one record by any others. A record adds an observation to at
// most K = Slots arms. An observation is in one sum of the counter, under Laplace noise of scale 2
// K (Hi - Lo)/epsilon, and in at most j nodes of its segment's tree, under Laplace noise of scale 2
// K j (Hi - Lo)/epsilon. The whole run is epsilon-DP in the central model, with epsilon/2 for
// either.
//
// If epsilon = +Inf, there is no noise and the means are exact. The noise is for research:
// floating-point noise leaks through its low bits (Mironov 2012), and sums round as those of
// [Blocks] do. [Tree], which knows the horizon, has less noise in an arm that is played often.
type Hybrid struct {
	Epsilon float64 // > 0, no default; +Inf means no noise
}

var _ privacy.Tally = Hybrid{}

// hybridTally is a Hybrid for a setup.
type hybridTally struct {
	data   privacy.Setup
	base   float64        // scale of the noise on a sum of the counter; that of a node is j times as large
	levels int            // of the largest tree
	tails  []privacy.Tail // by levels+1 times the segment j, plus the number of nodes in the prefix
	one    privacy.Plan   // without cases and draws
}

// hybridTallyRun is a run of a Hybrid.
type hybridTallyRun struct {
	*hybridTally
	tallied
	noise  *privacy.Noise
	buf    [1]float64
	totals []float64 // by arm, the counter's last release of the sum of weights less Lo
	sums   []float64 // by arm, of weights less Lo since then
	// arms x (levels+1): the noise of the nodes in the prefix at levels >= i; the last place stays 0
	above []float64
	drawn []int // by segment, of its tree
	count []int // sums of the counter that were released, in the first place
}

// Open validates and calibrates.
func (of Hybrid) Open(s privacy.Setup) (privacy.Mechanism[privacy.Means], error) {
	if err := checkTally(s, float64(bits.Len(uint(max(s.Horizon, 0)))+4)); err != nil {
		return nil, err
	}
	if s.WarmUp {
		return nil, errors.New("mechanism: Hybrid has no warm-up: Setup.WarmUp = true, want false")
	}
	asked := privacy.Budget{Epsilon: of.Epsilon}
	noise, err := newSlotNoise(asked)
	if err != nil {
		return nil, err
	}
	h := &hybridTally{data: s, levels: bits.Len(uint(s.Horizon))}
	if _, err = noise.scale(2*s.Slots*h.levels, s.Hi-s.Lo); err != nil {
		return nil, err
	}
	if h.base, err = noise.scale(2*s.Slots, s.Hi-s.Lo); err != nil {
		return nil, err
	}
	var scales []float64
	for j := range h.levels {
		scales = append(scales[:j], h.base)
		for range h.levels + 1 {
			h.tails = append(h.tails, tailOf(false, scales))
			scales = append(scales, h.node(j))
		}
	}
	h.one = ofWeights(s, asked, "the hybrid mechanism for each arm: Chan, Shi, Song 2011; Tossou and Dimitrakakis 2016")
	return h, nil
}

// node returns the scale of the noise on a node of segment j >= 1.
func (h *hybridTally) node(j int) float64 { return float64(max(j, 1)) * h.base }

// Start begins a run that draws its noise from n.
func (h *hybridTally) Start(n *privacy.Noise) privacy.Stream[privacy.Means] {
	if n == nil {
		return curator.WithoutNoise(h)
	}
	arms := h.data.Arms
	return &hybridTallyRun{hybridTally: h, tallied: newTallied(h.data), noise: n,
		totals: make([]float64, arms), sums: make([]float64, arms), above: make([]float64, arms*(h.levels+1)),
		drawn: make([]int, h.levels), count: make([]int, 1)}
}

// Add adds a record and releases a new mean of each of its arms. moved reports whether it has any.
func (h *hybridTallyRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := h.admit(rec); err != nil {
		return false, err
	}
	for i, arm := range rec.Arms {
		h.seen[arm]++
		h.sums[arm] += h.over(rec.Y[i])
		h.means.Of[arm] = h.estimate(arm)
	}
	h.changed(rec.Arms)
	return len(rec.Arms) > 0, nil
}

// estimate draws the noise of an observation and returns the new mean.
func (h *hybridTallyRun) estimate(arm int) privacy.Estimate {
	n := h.seen[arm]
	j := bits.Len(uint(n)) - 1
	inside := n - 1<<j // leaves of the segment's tree
	above := h.above[arm*(h.levels+1) : (arm+1)*(h.levels+1)]
	var more float64
	if inside == 0 {
		h.totals[arm] += h.sums[arm] + h.draw(h.base)
		h.sums[arm] = 0
		h.count[0]++
	} else {
		level := h.lowest(inside)
		above[level] = above[h.lowest(inside&(inside-1))] + h.draw(h.node(j))
		more = h.sums[arm] + above[level]
		h.drawn[j]++
	}
	tail := h.tails[j*(h.levels+1)+bits.OnesCount(uint(inside))]
	return privacy.Estimate{
		Mean: h.setup.Lo + (h.totals[arm]+more)/float64(n), Count: n,
		Tail: privacy.Tail{Root: tail.Root / float64(n), Linear: tail.Linear / float64(n)},
	}
}

// lowest returns the lowest level that has a node in the prefix.
func (h *hybridTallyRun) lowest(leaves int) int {
	return min(bits.TrailingZeros(uint(leaves)), h.levels)
}

func (h *hybridTallyRun) draw(scale float64) float64 {
	h.noise.Laplace(h.buf[:], scale)
	return h.buf[0]
}

// Scale returns the scale of the noise on a sum of the counter, and on a node of the tree between
// 2^j and 2^(j+1) observations, j >= 1.
func (h *hybridTally) Scale(j int) (sum, node float64) { return h.base, h.node(j) }

// Plan returns what the counter and the trees of up to the given number of records reveal of one
// record. It has a case for each segment, of which the first observation is in the most nodes.
func (h *hybridTally) Plan(records int) privacy.Plan {
	return h.plan(records, 0, make([]int, h.levels)).HeldBy(h)
}

// Plan returns the tally's plan with the draws of the run.
func (h *hybridTallyRun) Plan(records int) privacy.Plan {
	return h.plan(records, h.count[0], h.drawn).HeldBy(h)
}

// plan returns the plan after so many sums of the counter, and so many nodes of each segment.
func (h *hybridTally) plan(records, sums int, nodes []int) privacy.Plan {
	p := h.one
	side := h.data.Hi - h.data.Lo
	release := func(scale float64, times int) privacy.Release {
		return privacy.Release{Law: privacy.LaplaceLaw(1, scale),
			Sensitivity: privacy.Norms{L1: side, L2: side}, Times: times * h.data.Slots}
	}
	n := min(max(records, 0), h.data.Horizon)
	if n > 0 {
		p.Cases = [][]privacy.Release{{release(h.base, 1)}} // the first observation
	}
	draws := sums
	if len(nodes) > 1 {
		draws += nodes[1] // whose nodes have the noise of the counter
	}
	p.Draws = []privacy.Draws{{Law: privacy.LaplaceLaw(1, h.base), Count: draws}}
	for j := 1; j < len(nodes); j++ {
		if j > 1 {
			p.Draws = append(p.Draws, privacy.Draws{Law: privacy.LaplaceLaw(1, h.node(j)), Count: nodes[j]})
		}
		inside := min(n-1<<j, 1<<j-1)
		if inside < 1 {
			continue
		}
		shows := []privacy.Release{release(h.node(j), bits.Len(uint(inside)))}
		if n >= 2<<j {
			shows = append(shows, release(h.base, 1))
		}
		p.Cases = append(p.Cases, shows)
	}
	return p
}
